// Mutants of lost races, cancellations and ends.

import type { UnitMutant } from '../unitMutant.ts';

const RACES = 'shared/kits/lostRaces.test.ts';
const CONVERSATION = 'shared/core/iteration/prepare/loadConversation.test.ts';
const CANCEL = 'shared/core/session/cancelSession.test.ts';

/** The mutants, by what is broken. */
export const RACES_MUTANTS: Record<string, UnitMutant> = {
  'missing messages are not noticed': {
    file: 'core/iteration/prepare/loadConversation.ts',
    text: 'return found.size === expected.length && expected.every((number) => found.has(number));',
    by: 'return true;',
    test: CONVERSATION,
  },
  'the end of what is open below an execution is not tried again': {
    file: 'core/kernel/execution/descendants.ts',
    text: 'return RACE_LOST;',
    by: 'return;',
    test: RACES,
  },
  'guidance counts as stored although it was refused': {
    file: 'kits/steering/addGuidance.ts',
    text: "return isStored ? { kind: 'told', guidance, isPaused } : RACE_LOST;",
    by: "return { kind: 'told', guidance, isPaused };",
    test: RACES,
  },
  'guidance that lost a race is not tried again': {
    file: 'kits/steering/addGuidance.ts',
    text: 'SESSION_RACES, async',
    by: '1, async',
    test: RACES,
  },
  'guidance whose answer was lost counts as that of another call': {
    file: 'kits/steering/addGuidance.ts',
    text: 'const isOwn = wasTried && before.createdAt.getTime() === now.getTime();',
    by: 'const isOwn = false;',
    test: RACES,
  },
  'the same guidance of another call counts as stored by this one': {
    file: 'kits/steering/addGuidance.ts',
    text: 'const isOwn = wasTried && before.createdAt.getTime() === now.getTime();',
    by: 'const isOwn = true;',
    test: RACES,
  },
  'the same words of another person are not stored': {
    file: 'kits/steering/addGuidance.ts',
    text: 'one.text === text && one.givenBy === by',
    by: 'one.text === text',
    test: RACES,
  },
  'a pause counts as stored although it was refused': {
    file: 'kits/steering/pauseSession.ts',
    text: "return isStored ? { kind: 'paused', paused: own } : RACE_LOST;",
    by: "return { kind: 'paused', paused: own };",
    test: RACES,
  },
  'a pause that lost a race is not tried again': {
    file: 'kits/steering/pauseSession.ts',
    text: `retryLostRaces<PauseOutcome>(\`session \${sessionId}\`, SESSION_RACES`,
    by: `retryLostRaces<PauseOutcome>(\`session \${sessionId}\`, 1`,
    test: RACES,
  },
  'a session is paused twice': {
    file: 'kits/steering/pauseSession.ts',
    text: 'if (paused !== null) {',
    by: "if (paused?.by === '') {",
    test: RACES,
  },
  'a pause whose answer was lost counts as that of another call': {
    file: 'kits/steering/pauseSession.ts',
    text: 'const isOwn = wasTried && paused.by === by',
    by: 'const isOwn = false && paused.by === by',
    test: RACES,
  },
  'a resumption counts as stored although it was refused': {
    file: 'kits/steering/pauseSession.ts',
    text: "return isStored ? { kind: 'resumed', resumedAt: now } : RACE_LOST;",
    by: "return { kind: 'resumed', resumedAt: now };",
    test: RACES,
  },
  'a resumption that lost a race is not tried again': {
    file: 'kits/steering/pauseSession.ts',
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
    file: 'kits/steering/pauseSession.ts',
    text: 'const isOwn = wasTried && resumedAt?.getTime() === now.getTime();',
    by: 'const isOwn = false;',
    test: RACES,
  },
  'what people do counts as stored although it was refused': {
    file: 'kits/steering/steerSession.ts',
    text: 'return result.ok;',
    by: 'return true;',
    test: RACES,
  },
  'iterations do not see a pause': {
    file: 'kits/steering/steerSession.ts',
    text: 'paused: steered.paused !== null,',
    by: 'paused: steering.paused !== null,',
    test: RACES,
  },
  'iterations do not see guidance': {
    file: 'kits/steering/steerSession.ts',
    text: 'guidance: steered.guidance,',
    by: 'guidance: steering.guidance,',
    test: RACES,
  },
  'the cancellation of a question counts although it was refused': {
    file: 'core/session/cancelSession.ts',
    text: "return isDone ? { kind: 'question_cancelled', stageId } : RACE_LOST;",
    by: "return { kind: 'question_cancelled', stageId };",
    test: RACES,
  },
  'a cancellation counts although its mark was refused': {
    file: 'core/session/cancelSession.ts',
    text: 'if (!result.ok) return RACE_LOST;',
    by: '',
    test: RACES,
  },
  'a cancellation that lost a race is not tried again': {
    file: 'core/session/cancelSession.ts',
    text: `retryLostRaces<CancelOutcome>(\`session \${sessionId}\`, SESSION_RACES`,
    by: `retryLostRaces<CancelOutcome>(\`session \${sessionId}\`, 1`,
    test: RACES,
  },
  'the cancellation of a deferred session counts although it was refused': {
    file: 'core/session/cancelSession.ts',
    text: "return ended.ok ? { kind: 'cancelled' } : RACE_LOST;",
    by: "return { kind: 'cancelled' };",
    test: RACES,
  },
  'the end of a cancelled session that was refused is not tried again': {
    file: 'core/session/cancelSession.ts',
    text: 'return result.ok ? ended : RACE_LOST;',
    by: 'return ended;',
    test: RACES,
  },
  'the end of a cancelled session is tried once': {
    file: 'core/session/cancelSession.ts',
    text: `return retryLostRaces(\`session \${sessionId}\`, SESSION_RACES`,
    by: `return retryLostRaces(\`session \${sessionId}\`, 1`,
    test: RACES,
  },
  'a question counts as marked although the mark was refused': {
    file: 'core/session/cancelQuestion.ts',
    text: 'if (!result.ok) return false;',
    by: '',
    test: CANCEL,
  },
  'a question is cancelled without a mark for the sweep': {
    file: 'core/session/cancelQuestion.ts',
    text: 'if (!openStage.cancelling) {',
    by: 'if (false) {',
    test: CANCEL,
  },
  'the end of a question without a stage that was refused is not tried again': {
    file: 'core/session/cancelQuestion.ts',
    text: 'return result.ok ? ended : RACE_LOST;',
    by: 'return ended;',
    test: RACES,
  },
  'the end of a question without a stage is tried once': {
    file: 'core/session/cancelQuestion.ts',
    text: 'SESSION_RACES, async',
    by: '1, async',
    test: RACES,
  },
  'the stage of a cancelled question stays open': {
    file: 'core/session/cancelQuestion.ts',
    text: 'await advanceStage({ sessionId, stageId }, deps)',
    by: 'await Promise.resolve()',
    test: CANCEL,
  },
  'executions whose end was refused stay open': {
    file: 'core/session/endExecutions.ts',
    text: 'return RACE_LOST;',
    by: 'return ended;',
    test: RACES,
  },
  'executions are ended once': {
    file: 'core/session/endExecutions.ts',
    text: 'SESSION_RACES, async',
    by: '1, async',
    test: RACES,
  },
  'a question counts as asked although it was refused': {
    file: 'kits/questions/askQuestion.ts',
    text: 'if (!result.ok) return RACE_LOST;',
    by: '',
    test: RACES,
  },
  'a question that lost a race is not tried again': {
    file: 'kits/questions/askQuestion.ts',
    text: 'SESSION_RACES, async',
    by: '1, async',
    test: RACES,
  },
  'a question whose answer was lost counts as that of another call': {
    file: 'kits/questions/askQuestion.ts',
    text: 'if (tried !== undefined && (await isStored(tried, deps))) return publishQuestion(tried, deps);',
    by: '',
    test: RACES,
  },
  'a dead letter counts as buried although its end was refused': {
    file: 'core/rescue/buryIteration.ts',
    text: "return execution === undefined ? RACE_LOST : { kind: 'ended', execution };",
    by: "return { kind: 'ended', execution: execution ?? stored.value };",
    test: RACES,
  },
  'the end of a question that was refused is not tried again': {
    file: 'core/stage/advanceStage.ts',
    text: `          ? undefined
          : RACE_LOST;`,
    by: `          ? undefined
          : undefined;`,
    test: RACES,
  },
  'the end of a stage that was refused is not tried again': {
    file: 'core/stage/advanceStage.ts',
    text: 'if (!(await commitStageEnd(ended, decision, now, deps))) return RACE_LOST;',
    by: 'await commitStageEnd(ended, decision, now, deps);',
    test: RACES,
  },
  'the end of a stage is tried once': {
    file: 'core/stage/advanceStage.ts',
    text: 'SESSION_RACES, async',
    by: '1, async',
    test: RACES,
  },
  'the end of a wait for a person that was refused is not tried again': {
    file: 'core/stage/settleWaits.ts',
    text: 'return (await settleOver(stored, calls, now, deps)) ? true : RACE_LOST;',
    by: 'return await settleOver(stored, calls, now, deps);',
    test: RACES,
  },
  'the end of a child whose time is over that was refused is not tried again': {
    file: 'core/stage/settleWaits.ts',
    text: 'return ended === undefined ? RACE_LOST : true;',
    by: 'return ended !== undefined;',
    test: RACES,
  },
  'the result of a child that was refused is not tried again': {
    file: 'core/stage/publishOrAdvance.ts',
    text: 'if (settled === undefined) return RACE_LOST;',
    by: 'if (settled === undefined) return undefined;',
    test: RACES,
  },
  'the result of a child is stored at the first try or not at all': {
    file: 'core/stage/publishOrAdvance.ts',
    text: 'SESSION_RACES, async',
    by: '1, async',
    test: RACES,
  },
  'the stage of a cancelled session stays open where its executions have ended': {
    file: 'core/session/cancelSession.ts',
    text: 'await advanceStage({ sessionId, stageId: currentStageId }, deps)',
    by: 'await Promise.resolve()',
    test: CANCEL,
  },
  'a cancellation is not in the timeline': {
    file: 'core/session/cancelSession.ts',
    text: 'saveSession(session, marked, cancellationEvent(marked), deps)',
    by: 'saveSession(session, marked, [], deps)',
    test: CANCEL,
  },
  'a session that has ended counts as cancelled': {
    file: 'core/session/cancelSession.ts',
    text: "if (isTerminal(status)) return { kind: 'already_ended', status };",
    by: "if (isTerminal(status)) return { kind: 'cancelled' };",
    test: CANCEL,
  },
  'tokens of a question are not counted': {
    file: 'core/stage/commitQuestionEnd.ts',
    text: 'tokens: addTokens(closed.tokens, tokens),',
    by: '',
    test: CANCEL,
  },
  'costs of a question are not counted': {
    file: 'core/stage/commitQuestionEnd.ts',
    text: 'cost: addCosts(closed.cost, cost),',
    by: '',
    test: CANCEL,
  },
  'guidance is taken by an investigation that has concluded': {
    file: 'kits/steering/addGuidance.ts',
    text: "if (session.conclusion !== null) return { kind: 'concluded' };",
    by: '',
    test: CANCEL,
  },
  'a session has any amount of guidance': {
    file: 'kits/steering/addGuidance.ts',
    text: "if (session.steering.guidance >= MAX_GUIDANCE) return { kind: 'too_many' };",
    by: '',
    test: CANCEL,
  },
  'guidance of another call at another time counts as that of this one': {
    file: 'kits/steering/addGuidance.ts',
    text: 'wasTried && before.createdAt.getTime() === now.getTime()',
    by: 'wasTried',
    test: RACES,
  },
  'a pause of another call counts as that of this one': {
    file: 'kits/steering/pauseSession.ts',
    text: 'wasTried && paused.by === by && paused.at.getTime() === own.at.getTime()',
    by: 'wasTried',
    test: RACES,
  },
  'a question of another call counts as that of this one': {
    file: 'kits/questions/askQuestion.ts',
    text: 'if (tried !== undefined && (await isStored(tried, deps)))',
    by: 'if (tried !== undefined)',
    test: RACES,
  },
  'any question under the same number counts as this one': {
    file: 'kits/questions/askQuestion.ts',
    text: 'return stored !== undefined && isDeepStrictEqual(stored.value, own);',
    by: 'return stored !== undefined && own !== undefined;',
    test: RACES,
  },
};
