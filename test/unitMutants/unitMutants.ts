// Single lines that unit tests protect, and the file of tests that notices when one is broken.

import type { TextChange } from '../support/mutant.ts';

/** A change of one line, and the file of tests that fails by it. */
export interface UnitMutant extends TextChange {
  /** Below the project's folder. */
  test: string;
}

const RACES = 'shared/runtime/lostRaces.test.ts';
const APPROVAL = 'shared/runtime/approval/askPerson.test.ts';
const DECISIONS = 'shared/runtime/approval/decideApproval.test.ts';
const STORED = 'shared/runtime/approval/storedDecisions.test.ts';
const QUESTION_END = 'shared/runtime/chat/commitQuestionEnd.test.ts';
const QUESTION = 'shared/runtime/chat/askQuestion.test.ts';
const CHILD = 'shared/runtime/children/startChild.test.ts';
const CHILD_RESULT = 'shared/runtime/children/childResult.test.ts';

/** The mutants, by what is broken. */
export const UNIT_MUTANTS: Record<string, UnitMutant> = {
  'the end of what is open below an execution is not tried again': {
    file: 'runtime/children/descendants.ts',
    text: 'return RACE_LOST;',
    by: 'return;',
    test: RACES,
  },
  'guidance counts as stored although it was refused': {
    file: 'runtime/steering/tellSession.ts',
    text: "return isStored ? { kind: 'told', guidance, isPaused } : RACE_LOST;",
    by: "return { kind: 'told', guidance, isPaused };",
    test: RACES,
  },
  'guidance that lost a race is not tried again': {
    file: 'runtime/steering/tellSession.ts',
    text: 'SESSION_RACES, async',
    by: '1, async',
    test: RACES,
  },
  'guidance whose answer was lost counts as that of another call': {
    file: 'runtime/steering/tellSession.ts',
    text: 'const isOwn = wasTried && before.createdAt.getTime() === now.getTime();',
    by: 'const isOwn = false;',
    test: RACES,
  },
  'the same guidance of another call counts as stored by this one': {
    file: 'runtime/steering/tellSession.ts',
    text: 'const isOwn = wasTried && before.createdAt.getTime() === now.getTime();',
    by: 'const isOwn = true;',
    test: RACES,
  },
  'the same words of another person are not stored': {
    file: 'runtime/steering/tellSession.ts',
    text: 'one.text === text && one.givenBy === by',
    by: 'one.text === text',
    test: RACES,
  },
  'a pause counts as stored although it was refused': {
    file: 'runtime/steering/pauseSession.ts',
    text: "return isStored ? { kind: 'paused', paused: own } : RACE_LOST;",
    by: "return { kind: 'paused', paused: own };",
    test: RACES,
  },
  'a pause that lost a race is not tried again': {
    file: 'runtime/steering/pauseSession.ts',
    text: `retryLostRaces<PauseOutcome>(\`session \${sessionId}\`, SESSION_RACES`,
    by: `retryLostRaces<PauseOutcome>(\`session \${sessionId}\`, 1`,
    test: RACES,
  },
  'a session is paused twice': {
    file: 'runtime/steering/pauseSession.ts',
    text: 'if (paused !== null) {',
    by: "if (paused?.by === '') {",
    test: RACES,
  },
  'a pause whose answer was lost counts as that of another call': {
    file: 'runtime/steering/pauseSession.ts',
    text: 'const isOwn = wasTried && paused.by === by',
    by: 'const isOwn = false && paused.by === by',
    test: RACES,
  },
  'a resumption counts as stored although it was refused': {
    file: 'runtime/steering/pauseSession.ts',
    text: "return isStored ? { kind: 'resumed', resumedAt: now } : RACE_LOST;",
    by: "return { kind: 'resumed', resumedAt: now };",
    test: RACES,
  },
  'a resumption that lost a race is not tried again': {
    file: 'runtime/steering/pauseSession.ts',
    text: `>(\`session \${sessionId}\`, SESSION_RACES, async () => {
    const running = await readRunning(sessionId, deps);
    if (running.kind !== 'running') return running;
    const session = running.session.value;
    const { paused, resumedAt }`,
    by: `>(\`session \${sessionId}\`, 1, async () => {
    const running = await readRunning(sessionId, deps);
    if (running.kind !== 'running') return running;
    const session = running.session.value;
    const { paused, resumedAt }`,
    test: RACES,
  },
  'a resumption whose answer was lost counts as that of another call': {
    file: 'runtime/steering/pauseSession.ts',
    text: 'const isOwn = wasTried && resumedAt?.getTime() === now.getTime();',
    by: 'const isOwn = false;',
    test: RACES,
  },
  'what people do counts as stored although it was refused': {
    file: 'runtime/steering/steerSession.ts',
    text: 'return result.ok;',
    by: 'return true;',
    test: RACES,
  },
  'iterations do not see a pause': {
    file: 'runtime/steering/steerSession.ts',
    text: 'paused: steered.paused !== null,',
    by: 'paused: steering.paused !== null,',
    test: RACES,
  },
  'iterations do not see guidance': {
    file: 'runtime/steering/steerSession.ts',
    text: 'guidance: steered.guidance,',
    by: 'guidance: steering.guidance,',
    test: RACES,
  },
  'the cancellation of a question counts although it was refused': {
    file: 'runtime/session/cancelSession.ts',
    text: "return isDone ? { kind: 'question_cancelled', stageId } : RACE_LOST;",
    by: "return { kind: 'question_cancelled', stageId };",
    test: RACES,
  },
  'a cancellation counts although its mark was refused': {
    file: 'runtime/session/cancelSession.ts',
    text: 'if (!result.ok) return RACE_LOST;',
    by: '',
    test: RACES,
  },
  'a cancellation that lost a race is not tried again': {
    file: 'runtime/session/cancelSession.ts',
    text: `retryLostRaces<CancelOutcome>(\`session \${sessionId}\`, SESSION_RACES`,
    by: `retryLostRaces<CancelOutcome>(\`session \${sessionId}\`, 1`,
    test: RACES,
  },
  'the cancellation of a deferred session counts although it was refused': {
    file: 'runtime/session/cancelSession.ts',
    text: "return ended.ok ? { kind: 'cancelled' } : RACE_LOST;",
    by: "return { kind: 'cancelled' };",
    test: RACES,
  },
  'the end of a cancelled session that was refused is not tried again': {
    file: 'runtime/session/cancelSession.ts',
    text: 'return result.ok ? ended : RACE_LOST;',
    by: 'return ended;',
    test: RACES,
  },
  'the end of a cancelled session is tried once': {
    file: 'runtime/session/cancelSession.ts',
    text: `return retryLostRaces(\`session \${sessionId}\`, SESSION_RACES`,
    by: `return retryLostRaces(\`session \${sessionId}\`, 1`,
    test: RACES,
  },
  'a question counts as marked although the mark was refused': {
    file: 'runtime/chat/cancelQuestion.ts',
    text: 'if (!result.ok) return false;',
    by: '',
    test: RACES,
  },
  'a question is cancelled without a mark for the sweep': {
    file: 'runtime/chat/cancelQuestion.ts',
    text: 'if (!openStage.cancelling) {',
    by: 'if (false) {',
    test: RACES,
  },
  'the end of a question without a stage that was refused is not tried again': {
    file: 'runtime/chat/cancelQuestion.ts',
    text: 'return result.ok ? ended : RACE_LOST;',
    by: 'return ended;',
    test: RACES,
  },
  'the end of a question without a stage is tried once': {
    file: 'runtime/chat/cancelQuestion.ts',
    text: 'SESSION_RACES, async',
    by: '1, async',
    test: RACES,
  },
  'the cancellation of an older question closes a newer one': {
    file: 'runtime/chat/cancelQuestion.ts',
    text: 'if (session?.value.openStage?.stageId !== stageId) return ended;',
    by: 'if (session === undefined) return ended;',
    test: RACES,
  },
  'the stage of a cancelled question stays open': {
    file: 'runtime/chat/cancelQuestion.ts',
    text: 'await advanceStage({ sessionId, stageId }, deps).catch(ignoreTerminalError);',
    by: '',
    test: RACES,
  },
  'executions whose end was refused stay open': {
    file: 'runtime/session/endExecutions.ts',
    text: 'return RACE_LOST;',
    by: 'return ended;',
    test: RACES,
  },
  'executions are ended once': {
    file: 'runtime/session/endExecutions.ts',
    text: 'SESSION_RACES, async',
    by: '1, async',
    test: RACES,
  },
  'a question counts as asked although it was refused': {
    file: 'runtime/chat/askQuestion.ts',
    text: 'if (!result.ok) return RACE_LOST;',
    by: '',
    test: RACES,
  },
  'a question that lost a race is not tried again': {
    file: 'runtime/chat/askQuestion.ts',
    text: 'SESSION_RACES, async',
    by: '1, async',
    test: RACES,
  },
  'a question whose answer was lost counts as that of another call': {
    file: 'runtime/chat/askQuestion.ts',
    text: 'if (tried !== undefined && (await isStored(tried, deps))) return publishQuestion(tried, deps);',
    by: '',
    test: RACES,
  },
  'a dead letter counts as buried although its end was refused': {
    file: 'runtime/rescue/buryIteration.ts',
    text: "return execution === undefined ? RACE_LOST : { kind: 'ended', execution };",
    by: "return { kind: 'ended', execution: execution ?? stored.value };",
    test: RACES,
  },
  'the end of a question that was refused is not tried again': {
    file: 'runtime/stage/advanceStage.ts',
    text: `          ? undefined
          : RACE_LOST;`,
    by: `          ? undefined
          : undefined;`,
    test: RACES,
  },
  'the end of a stage that was refused is not tried again': {
    file: 'runtime/stage/advanceStage.ts',
    text: 'if (!(await commitStageEnd(ended, decision, now, deps))) return RACE_LOST;',
    by: 'await commitStageEnd(ended, decision, now, deps);',
    test: RACES,
  },
  'the end of a stage is tried once': {
    file: 'runtime/stage/advanceStage.ts',
    text: 'SESSION_RACES, async',
    by: '1, async',
    test: RACES,
  },
  'the end of a wait for a person that was refused is not tried again': {
    file: 'runtime/iteration/settleWaits.ts',
    text: 'return (await settleOver(stored, calls, now, deps)) ? true : RACE_LOST;',
    by: 'return await settleOver(stored, calls, now, deps);',
    test: RACES,
  },
  'the end of a child whose time is over that was refused is not tried again': {
    file: 'runtime/iteration/settleWaits.ts',
    text: 'return ended === undefined ? RACE_LOST : true;',
    by: 'return ended !== undefined;',
    test: RACES,
  },
  'the result of a child that was refused is not tried again': {
    file: 'runtime/iteration/publishOrAdvance.ts',
    text: 'if (settled === undefined) return RACE_LOST;',
    by: 'if (settled === undefined) return undefined;',
    test: RACES,
  },
  'the result of a child is stored at the first try or not at all': {
    file: 'runtime/iteration/publishOrAdvance.ts',
    text: 'SESSION_RACES, async',
    by: '1, async',
    test: RACES,
  },
  'an approval waits in the last minute before the deadline': {
    file: 'runtime/approval/askPerson.ts',
    text: 'execution.deadline.getTime() - TIME_AFTER_MS - now.getTime()',
    by: 'execution.deadline.getTime() - now.getTime()',
    test: APPROVAL,
  },
  'a person is asked who has no time to decide': {
    file: 'runtime/approval/askPerson.ts',
    text: 'if (left < SHORTEST_WAIT_MS) {',
    by: 'if (left < -1e12) {',
    test: APPROVAL,
  },
  'a person is asked about more than anyone reads': {
    file: 'runtime/approval/askPerson.ts',
    text: 'if (bytes > MAX_ARGUMENTS_BYTES) {',
    by: 'if (bytes < 0) {',
    test: APPROVAL,
  },
  'a person is shown arguments of the model that configuration replaces': {
    file: 'runtime/approval/askPerson.ts',
    text: '{ ...parseCallArguments(text), ...bound }',
    by: '{ ...bound, ...parseCallArguments(text) }',
    test: APPROVAL,
  },
  'an approval of a question that is being cancelled can be decided': {
    file: 'runtime/approval/decideApproval.ts',
    text: 'return openStage.cancelling;',
    by: 'return false;',
    test: DECISIONS,
  },
  'an approval of a question ends with its session': {
    file: 'runtime/approval/decideApproval.ts',
    text: 'if (openStage?.stageId === stageId) return openStage.cancelling;',
    by: '',
    test: DECISIONS,
  },
  'an approval of a session that has ended can be decided': {
    file: 'runtime/approval/decideApproval.ts',
    text: "return status === 'cancelling' || isTerminal(status);",
    by: "return status === 'cancelling';",
    test: DECISIONS,
  },
  'a decision that comes again publishes nothing': {
    file: 'runtime/approval/decideApproval.ts',
    text: 'if (execution !== undefined) await publishUnclaimed(execution.value, deps);',
    by: '',
    test: STORED,
  },
  'a decision that comes again publishes an execution that is held': {
    file: 'runtime/approval/decideApproval.ts',
    text: 'if (lease === null && publishedIteration < iteration) await',
    by: 'if (publishedIteration < iteration) await',
    test: STORED,
  },
  'a decision that comes again publishes an execution that was claimed': {
    file: 'runtime/approval/decideApproval.ts',
    text: 'if (lease === null && publishedIteration < iteration) await',
    by: 'if (lease === null) await',
    test: STORED,
  },
  'a decision that comes too late does not settle its call': {
    file: 'runtime/approval/decideApproval.ts',
    text: 'await settleWaits({ sessionId, executionId }, deps);',
    by: '',
    test: STORED,
  },
  'two people who deny at one moment have both decided': {
    file: 'runtime/approval/decideApproval.ts',
    text: 'return isOwn ? approval : undefined;',
    by: 'return approval;',
    test: STORED,
  },
  'a decision is not in the timeline': {
    file: 'runtime/approval/decideApproval.ts',
    text: 'appendDecision(call, decision, batch);',
    by: '',
    test: STORED,
  },
  'an approval that is decided is closed again': {
    file: 'runtime/approval/closeApprovals.ts',
    text: "if (stored === undefined || stored.value.status !== 'pending') return [];",
    by: 'if (stored === undefined) return [];',
    test: STORED,
  },
  'approvals of calls that do not wait are closed': {
    file: 'runtime/approval/closeApprovals.ts',
    text: "state === 'waiting' && waitsFor?.kind === 'person'",
    by: "waitsFor?.kind === 'person'",
    test: STORED,
  },
  'approvals whose time is over are listed': {
    file: 'runtime/approval/listApprovals.ts',
    text: "stored?.value.status === 'pending' && stored.value.until > now",
    by: "stored?.value.status === 'pending'",
    test: STORED,
  },
  'only the first page of approvals is listed': {
    file: 'runtime/approval/listApprovals.ts',
    text: 'afterId = ids.length < PAGE_SIZE ? undefined : ids.at(-1);',
    by: 'afterId = undefined;',
    test: STORED,
  },
  'approvals are listed in any order': {
    file: 'runtime/approval/listApprovals.ts',
    text: 'a.until.getTime() - b.until.getTime()',
    by: '0 * (a.until.getTime() - b.until.getTime())',
    test: STORED,
  },
  'the end of an older question closes a newer one': {
    file: 'runtime/chat/commitQuestionEnd.ts',
    text: 'const isOpen = session.openStage?.stageId === stageId;',
    by: 'const isOpen = session.openStage !== null;',
    test: QUESTION_END,
  },
  'each question ends its chat again': {
    file: 'runtime/chat/commitQuestionEnd.ts',
    text: "session.kind === 'chat' && session.status === 'in_progress'",
    by: "session.kind === 'chat'",
    test: QUESTION_END,
  },
  'a question is answered after its session is deleted': {
    file: 'runtime/chat/askQuestion.ts',
    text: 'Math.min(now.getTime() + longest, before.expireAt.getTime())',
    by: 'now.getTime() + longest',
    test: QUESTION,
  },
  'a question has the deadline of its investigation': {
    file: 'runtime/chat/askQuestion.ts',
    text: 'Math.min(now.getTime() + longest, before.expireAt.getTime())',
    by: 'before.deadline.getTime()',
    test: QUESTION,
  },
  'a session has any number of questions': {
    file: 'runtime/chat/askQuestion.ts',
    text: "if (questions >= MAX_QUESTIONS) return { kind: 'too_many' };",
    by: '',
    test: QUESTION,
  },
  'a session that runs is asked': {
    file: 'runtime/chat/askQuestion.ts',
    text: "if (!isTerminal(status)) return { kind: 'not_ended', status };",
    by: '',
    test: QUESTION,
  },
  'a question about a session that ended while it was paused is paused': {
    file: 'runtime/chat/askQuestion.ts',
    text: 'if (steering.paused === null) return [];',
    by: 'if (steering.guidance >= 0) return [];',
    test: QUESTION,
  },
  'a question fails because its message was not published': {
    file: 'runtime/chat/askQuestion.ts',
    text: `      return false;
`,
    by: `      throw error;
`,
    test: QUESTION,
  },
  'agents ask below the deepest allowed': {
    file: 'runtime/children/startChild.ts',
    text: 'if (depth >= MAX_DEPTH)',
    by: 'if (depth > MAX_DEPTH)',
    test: CHILD,
  },
  'an agent has more open children than it may': {
    file: 'runtime/children/startChild.ts',
    text: 'if (open >= MAX_OPEN)',
    by: 'if (open > MAX_OPEN)',
    test: CHILD,
  },
  'a session has more children than it may': {
    file: 'runtime/children/startChild.ts',
    text: 'if (plan.existing + open >= MAX_OF_SESSION)',
    by: 'if (plan.existing + open > MAX_OF_SESSION)',
    test: CHILD,
  },
  'children of the same batch do not count': {
    file: 'runtime/children/startChild.ts',
    text: 'if (plan.existing + open >= MAX_OF_SESSION)',
    by: 'if (plan.existing >= MAX_OF_SESSION)',
    test: CHILD,
  },
  'an agent is asked that has no time to answer': {
    file: 'runtime/children/startChild.ts',
    text: 'if (timeoutMs < SHORTEST_WAIT_MS)',
    by: 'if (timeoutMs < 0)',
    test: CHILD,
  },
  'no time is left to an agent after its children': {
    file: 'runtime/children/startChild.ts',
    text: 'execution.deadline.getTime() - TIME_AFTER_MS - now.getTime()',
    by: 'execution.deadline.getTime() - now.getTime()',
    test: CHILD,
  },
  'an agent asks one that it may not': {
    file: 'runtime/children/startChild.ts',
    text: 'plan.asks.includes(name) ? ownEntry(plan.agents, name) : undefined',
    by: 'ownEntry(plan.agents, name)',
    test: CHILD,
  },
  'a name that every object has is taken for an agent': {
    file: 'runtime/children/startChild.ts',
    text: 'Object.hasOwn(entries, name) ? entries[name] : undefined',
    by: 'entries[name]',
    test: CHILD,
  },
  'a question may have any size': {
    file: 'runtime/children/startChild.ts',
    text: 'if (bytes > MAX_QUESTION_BYTES)',
    by: 'if (bytes < 0)',
    test: CHILD,
  },
  'a child may have any time': {
    file: 'runtime/children/startChild.ts',
    text: 'if (!isSeconds(seconds))',
    by: "if (typeof seconds !== 'number')",
    test: CHILD,
  },
  'a child may have parts of seconds': {
    file: 'runtime/children/startChild.ts',
    text: 'Number.isInteger(value) && Number(value)',
    by: 'Number(value)',
    test: CHILD,
  },
  'an agent asks itself': {
    file: 'runtime/children/startChild.ts',
    text: '[...ancestors, plan.asker].includes',
    by: '[...ancestors].includes',
    test: CHILD,
  },
  'an agent forgets all but the nearest above it': {
    file: 'runtime/children/startChild.ts',
    text: 'ancestors: [...parent.ancestors, asker],',
    by: 'ancestors: [asker],',
    test: CHILD,
  },
  'a child has no budget of its session': {
    file: 'runtime/children/startChild.ts',
    text: 'limits: withBudgets(limits, parent.limits),',
    by: 'limits,',
    test: CHILD,
  },
  'a child without tools is given labels': {
    file: 'runtime/children/startChild.ts',
    text: 'labels: agent.tools.length === 0 ? {} : labels,',
    by: 'labels,',
    test: CHILD,
  },
  'a child works on although the budget is used up': {
    file: 'runtime/children/startChild.ts',
    text: 'budgetReached: parent.budgetReached,',
    by: 'budgetReached: null,',
    test: CHILD,
  },
  'a child that was never claimed is never late': {
    file: 'runtime/children/startChild.ts',
    text: 'dueAt: dueAtOf(fresh, now) }',
    by: 'dueAt: null }',
    test: CHILD,
  },
  'a child is not given earlier guidance': {
    file: 'runtime/children/startChild.ts',
    text: 'guidanceTaken: 0,',
    by: 'guidanceTaken: parent.guidanceTaken,',
    test: CHILD,
  },
  'a child collects as its parent does': {
    file: 'runtime/children/startChild.ts',
    text: 'collects: false,',
    by: 'collects: parent.collects,',
    test: CHILD,
  },
  'a refused question counts as a call that could not be run': {
    file: 'runtime/children/startChild.ts',
    text: "return settleCall(execution, pending.index, 'done');",
    by: "return settleCall(execution, pending.index, 'failed');",
    test: CHILD,
  },
  'the analysis of a child is not cut': {
    file: 'runtime/children/childResult.ts',
    text: "limitText(finalAnalysis ?? '', toolResultBytes)",
    by: "limitText(finalAnalysis ?? '', 1e9 + toolResultBytes)",
    test: CHILD_RESULT,
  },
  'the analysis of a child that failed is lost': {
    file: 'runtime/children/childResult.ts',
    text: 'if (finalAnalysis === null) {',
    by: "if (status !== 'completed') {",
    test: CHILD_RESULT,
  },
  'the caveats of a child are lost': {
    file: 'runtime/children/childResult.ts',
    text: '...(caveats.length > 0 && { caveats }),',
    by: '',
    test: CHILD_RESULT,
  },
  'invisible characters of a child reach the model': {
    file: 'runtime/children/childResult.ts',
    text: 'output: visible(content),',
    by: 'output: content,',
    test: CHILD_RESULT,
  },
};
