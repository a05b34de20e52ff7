// Single lines of the protocol. The simulation detects within 600 seeds when one of them is broken: a mutant
// that survives shows a rule or a fault that the simulation lacks. `npm run pin-seeds` writes a seed for each
// into pinnedSeeds.json: the seeds change with the simulation and the protocol.

import { readFileSync } from 'node:fs';
import type { MutantRun } from '../mutants/mutantSuite.ts';
import { loadMutant, type TextChange } from '../support/mutant.ts';
import { findCheapSeed, findSeed, type SeedRun } from './findSeed.ts';

/** A change of one line that breaks the protocol. */
interface Mutant extends TextChange {
  /** The rule that has to notice it, where others do as well. */
  rule?: string;
  /** The simulation that has to notice it. Default: that of sessions. */
  simulation?: 'deliveries';
}

const RUN = new URL('runSeed.ts', import.meta.url);
const RUN_DELIVERIES = new URL('features/deliveries/runDeliveries.ts', import.meta.url);
/** The file of pinned seeds: for each mutant one that detects it, which is tried first. */
export const PINNED_SEEDS = new URL('pinnedSeeds.json', import.meta.url);

/** Reads the pinned seeds, by the name of their mutant. */
export function readPinnedSeeds(): Record<string, number> {
  return JSON.parse(readFileSync(PINNED_SEEDS, 'utf8'));
}

/** The mutants, by what is broken. */
export const MUTANTS: Record<string, Mutant> = {
  'a repeated request for a fork opens another one': {
    file: 'features/fork/openFork.ts',
    text: 'key === undefined ? randomHex',
    by: 'key !== undefined ? randomHex',
    rule: 'forks',
  },
  'a fork is opened and its link does not say so': {
    file: 'features/fork/openFork.ts',
    text: "state: 'open' as const",
    by: "state: 'opening' as const",
    rule: 'forks',
  },
  'a fork keeps the destinations of its source': {
    file: 'features/fork/planFork.ts',
    text: '    { parts: {} },\n  );',
    by: '    { parts: source.parts },\n  );',
    rule: 'forks',
  },
  'a fork outlives its source': {
    file: 'features/fork/planFork.ts',
    text: '    expireAt,\n    traceparent: null,',
    by: '    expireAt: new Date(expireAt.getTime() + 1_000),\n    traceparent: null,',
    rule: 'forks',
  },
  'a fork has the time for which its source waited': {
    file: 'features/fork/planFork.ts',
    text: 'now.getTime() + config.sessionDeadlineMs(source.chain.name)',
    by: 'now.getTime() + source.deadline.getTime() - source.createdAt.getTime()',
    rule: 'outage',
  },
  'a fork forgets what its agent has read': {
    file: 'features/fork/planFork.ts',
    text: '    reads,\n    ...pins,',
    by: '    ...pins,',
    rule: 'forks',
  },
  'a fork has the answer that it is to give again': {
    file: 'features/fork/forkPoint.ts',
    text: 'answer[0] - 1;',
    by: 'answer[0];',
    rule: 'forks',
  },
  'a fork with recorded tools reaches the server': {
    file: 'features/fork/feature.ts',
    text: "if (fork.tools === 'live')",
    by: "if (fork.tools !== 'live')",
    rule: 'forks',
  },
  'a fork asks nobody before calls that change something': {
    file: 'features/fork/feature.ts',
    text: 'if (tool.readOnly) return tool;',
    by: 'return tool;',
    rule: 'forks',
  },
  'a fork changes something once that is approved': {
    file: 'features/fork/feature.ts',
    text: 'name === call.name && !readOnly)',
    by: 'name === call.name && readOnly)',
    rule: 'forks',
  },
  'a call of a fork that was cut off is not repeated': {
    file: 'features/fork/feature.ts',
    text: ", recovery: 'repeat' }",
    by: ', recovery: undefined }',
    rule: 'forks',
  },
  'a result of a fork is that the store failed': {
    file: 'core/iteration/calls/runTools.ts',
    text: '|| isStoreFailure(error)) throw error;',
    by: ') throw error;',
    rule: 'forks',
  },
  'a store that fails costs a fork an iteration': {
    file: 'core/iteration/performIteration.ts',
    text: 'isStoreFailure(connection.error)) throw',
    by: '!isStoreFailure(connection.error)) throw',
    rule: 'outages',
  },
  'an alert leads although another is about to open the session': {
    file: 'features/correlation/leadAlerts.ts',
    text: 'if (session === undefined && isOpening)',
    by: 'if (session !== undefined && isOpening)',
    rule: 'related',
  },
  'an alert leads although the write was refused': {
    file: 'features/correlation/leadAlerts.ts',
    text: '(await store.commit(claims)).ok',
    by: '(await store.commit(claims))',
    rule: 'related',
  },
  'no alert joins a session that has run for a minute': {
    file: 'features/correlation/leadAlerts.ts',
    text: "return status === 'in_progress' && conclusion === null;",
    by: 'return false;',
    rule: 'related',
  },
  'an alert that joins counts twice': {
    file: 'kits/alerts/fates/reportCounts.ts',
    text: 'const total = Math.max(earlier, before[kind]) + 1;',
    by: 'const total = Math.max(earlier, before[kind]) + 2;',
    rule: 'related',
  },
  'alerts join no session that waits for its settle window': {
    file: 'features/correlation/leadAlerts.ts',
    text: "['settling', 'sessions_per_hour', 'daily_tokens']",
    by: "['sessions_per_hour', 'daily_tokens']",
    rule: 'related',
  },
  'alerts do not follow the merge of their leader': {
    file: 'features/correlation/leadAlerts.ts',
    text: 'for await (const next of followMerges(session.value, store)) session = next;',
    by: 'session = { ...session };',
    rule: 'related',
  },
  'a merge counts its alert twice': {
    file: 'features/correlation/mergeSession.ts',
    text: 'correctJoined(leader.value, counts, { joined: 1, events: 0 }, now)',
    by: 'correctJoined(leader.value, counts, { joined: 2, events: 0 }, now)',
    rule: 'grouping',
  },
  'a merge leaves the problem to the session that ends': {
    file: 'features/correlation/mergeSession.ts',
    text: 'const change = { sessionId: into, merged',
    by: 'const change = { sessionId, merged',
    rule: 'grouping',
  },
  'each request to split takes the alert out again': {
    file: 'features/correlation/splitAlert.ts',
    text: 'if (joined.isSplit)',
    by: 'if (joined.isSplit && fate === undefined)',
    rule: 'grouping',
  },
  'each request to split opens a session': {
    file: 'features/correlation/splitAlert.ts',
    text: "createHash('sha256')",
    by: "createHash('sha256').update(clock.now().toISOString())",
    rule: 'grouping',
  },
  'an alert that was split is still counted': {
    file: 'features/correlation/splitAlert.ts',
    text: 'joined: isLess ? -1 : 0',
    by: 'joined: 0',
    rule: 'grouping',
  },
  'a time of a schedule is handled, and its check not requested': {
    file: 'features/checks/runSchedules.ts',
    text: 'store.commit([write, ...request])',
    by: 'store.commit([write])',
    rule: 'schedules',
  },
  'a schedule requests a check beside the one before': {
    file: 'features/checks/decideSchedule.ts',
    text: 'if (stored.checkId !== null && (await isRunning(stored.checkId)))',
    by: 'if (stored.checkId === now)',
    rule: 'schedules',
  },
  'a schedule runs while it is paused': {
    file: 'features/checks/decideSchedule.ts',
    text: 'if (stored.paused !== null) return undefined;',
    by: '',
    rule: 'schedules',
  },
  'a check whose message was lost is not published again': {
    file: 'features/checks/publishChecks.ts',
    text: 'dueAt: new Date(now.getTime() + RETRY_MS) }',
    by: 'dueAt: null }',
  },
  'each message of a check opens a session': {
    file: 'features/checks/openCheck.ts',
    text: 'key: alertKeyOfCheck(checkId),',
    by: 'key: alertKeyOfCheck(checkId + messageId),',
    rule: 'checks',
  },
  'each message of a question opens a session': {
    file: 'features/ask/openAsk.ts',
    text: 'key: deriveAskKey(askId),',
    by: 'key: deriveAskKey(askId + messageId),',
    rule: 'asks',
  },
  'a change that has not ended is checked': {
    file: 'features/checks/checkChange.ts',
    text: "if (status !== 'done') return;",
    by: '',
    rule: 'checks',
  },
  'each message about a change requests a check': {
    file: 'features/checks/checkChange.ts',
    text: 'JSON.stringify([tenantId, name, key])',
    by: 'JSON.stringify([tenantId, name, key, now])',
    rule: 'checks',
  },
  'a program that repeats its request gets another check': {
    file: 'features/checks/requestCheck.ts',
    text: 'JSON.stringify([tenantId, key])',
    by: 'JSON.stringify([tenantId, key, now])',
    rule: 'checks',
  },
  'calls are repeated while a question is answered': {
    file: 'features/outcomes/checkOutcomes.ts',
    text: 'if (isBusy(session.value))',
    by: 'if (!isTerminal(session.value.status))',
    rule: 'probes',
  },
  'the results of repeated calls are read before their stage has ended': {
    file: 'features/outcomes/checkOutcomes.ts',
    text: 'if (stage !== undefined && !isTerminal(stage.value.status))',
    by: 'if (stage === undefined)',
    rule: 'probes',
  },
  'calls are repeated once only': {
    file: 'features/outcomes/checkOutcomes.ts',
    text: 'return at < expireAt ? at : null;',
    by: 'return null;',
    rule: 'probes',
  },
  'nothing reads the results of repeated calls': {
    file: 'features/outcomes/startProbes.ts',
    text: '{ ...outcome.value, checks: [...checks, check], dueAt };',
    by: '{ ...outcome.value, checks: [...checks, check], dueAt: null };',
    rule: 'probes',
  },
  'a model is asked about the results of repeated calls': {
    file: 'core/iteration/performIteration.ts',
    text: 'if (asksNoModel(context.agent.strategy))',
    by: 'if (false)',
    rule: 'probes',
  },
  'a problem that came back counts as one that never ended': {
    file: 'features/outcomes/decideOutcome.ts',
    text: "if (wasOver) return { value: 'recurred'",
    by: "if (!wasOver) return { value: 'recurred'",
    rule: 'probes',
  },
  'the results of repeated calls are in another order than the calls': {
    file: 'features/outcomes/checkOutcomes.ts',
    text: 'probes.map(async (probe, index) => {',
    by: 'probes.toReversed().map(async (probe, index) => {',
    rule: 'probes',
  },
  'an outcome leaves out the actions before it': {
    file: 'features/outcomes/decideOutcome.ts',
    text: 'const earlier = actions.filter((action) => action.at < at);',
    by: 'const earlier = actions.filter((action) => action.at > at);',
    rule: 'probes',
  },
  'more sessions are opened in an hour than it may have': {
    file: 'kits/allowances/takeAllowance.ts',
    text: 'if (old.used + held + need > cap)',
    by: 'if (old.used + held + need > cap + 1)',
  },
  'a refused call keeps its reservation': {
    file: 'kits/budgets/tokenLedger.ts',
    text: 'await settleAll(held, 0);',
    by: '',
    rule: 'token budget',
  },
  'a reservation stays when its call has ended': {
    file: 'kits/budgets/stageTokens.ts',
    text: 'reserved: { [window]: -tokens }',
    by: 'reserved: { [window]: 0 }',
    rule: 'token budget',
  },
  'a call that has ended counts nothing': {
    file: 'kits/budgets/stageTokens.ts',
    text: 'const value = { count: used, reserved',
    by: 'const value = { count: 0, reserved',
    rule: 'token budget',
  },
  'a session that is deferred is stored as open': {
    file: 'kits/alerts/deferredSession.ts',
    text: "status: 'deferred', deferral: own",
    by: "status: 'in_progress', deferral: own",
  },
  'what a model says stays when its answer is stored': {
    file: 'core/kernel/execution/commitCall.ts',
    text: 'batch.writes.push(...live.deletion());',
    by: '',
    rule: 'live',
  },
  'what a model says is written although its session is not watched': {
    file: 'features/live/liveText.ts',
    text: 'this.#watchedUntil = watchedUntil?.getTime() ?? 0;',
    by: 'this.#watchedUntil = watchedUntil?.getTime() ?? 9e12;',
    rule: 'live',
  },
  'children are not published after the commit that creates them': {
    file: 'core/stage/endExecution.ts',
    text: "if (execution.status === 'waiting') await publishChildren(execution, deps);",
    by: "if (execution.status === 'waiting') return;",
  },
  'a message about an execution that waits does not publish its children': {
    file: 'core/stage/settleWaits.ts',
    text: 'await publishAgain(child, deps);',
    by: '',
  },
  'a message is published again however recently it was': {
    file: 'core/kernel/execution/publishAgain.ts',
    text: 'if (age < PUBLICATION_MS &&',
    by: 'if (age < 0 &&',
    rule: 'messages',
  },
  'the end of a child settles nothing': {
    file: 'core/stage/publishOrAdvance.ts',
    text: 'else await settleParent(ended, ended.parentExecutionId, deps);',
    by: 'else await advanceStage(ended, deps);',
  },
  'a call counts as settled although the write was refused': {
    file: 'core/stage/publishOrAdvance.ts',
    text: 'return written.ok ? execution : undefined;',
    by: 'return execution;',
  },
  'who finds a settled call does not publish its parent': {
    file: 'core/stage/publishOrAdvance.ts',
    text: 'await publishAgain(parent, deps);',
    by: ';',
  },
  'who finds a settled call does not continue above an ended parent': {
    file: 'core/stage/publishOrAdvance.ts',
    text: 'if (isTerminal(parent.value.status)) await continueAfterEnd(parent.value, deps);',
    by: 'if (isTerminal(parent.value.status)) return;',
  },
  'a result that can never be stored is not replaced': {
    file: 'core/stage/publishOrAdvance.ts',
    text: 'if (!(error instanceof TerminalError)) throw error;',
    by: 'throw error;',
  },
  'what is open below an ended execution stays open': {
    file: 'core/kernel/execution/descendants.ts',
    text: 'if (ended.children === 0) return;',
    by: 'if (ended.children >= 0) return;',
  },
  'a child may take as long as its parent': {
    file: 'features/children/startChild.ts',
    text: 'appendChild(execution, childExecutionId, question, until, plan, batch);',
    by: 'appendChild(execution, childExecutionId, question, execution.deadline, plan, batch);',
  },
  'an agent may be asked below itself': {
    file: 'features/children/startChild.ts',
    text: 'if ([...ancestors, plan.asker].includes(agent.name))',
    by: 'if (false)',
  },
  'tokens of children are not counted': {
    file: 'core/stage/stageOutcome.ts',
    text: 'const tree = [...executions, ...descendants];',
    by: 'const tree = [...executions];',
  },
  'an execution counts as ended although the write was refused': {
    file: 'core/kernel/execution/commitEnding.ts',
    text: 'if (!written.ok) return undefined;',
    by: '',
  },
  'a stage counts as advanced although the write was refused': {
    file: 'core/stage/commitStageEnd.ts',
    text: 'if (!result.ok) return false;',
    by: 'if (!result.ok) return true;',
  },
  'a late message does not advance the current stage': {
    file: 'core/stage/advanceStage.ts',
    text: 'return advanceStage({ sessionId, stageId }, deps);',
    by: 'return;',
  },
  'the first call that fails ends the wait for the others': {
    file: 'core/iteration/calls/runTools.ts',
    text: 'const outcomes = await Promise.allSettled(wave.map((call) => runCall(run, call, passCrashPoints)));',
    by: `await Promise.all(wave.map((call) => runCall(run, call, passCrashPoints)));
    const outcomes: PromiseSettledResult<void>[] = [];`,
  },
  'parts of a large result are written where a dead holder wrote its own': {
    file: 'features/results/feature.ts',
    text: 'const part = before + from + offset + 1;',
    by: 'const part = from + offset + 1;',
  },
  'a message refers to parts of a large result that are not stored': {
    file: 'features/results/feature.ts',
    text: 'writes: (now) => writesOf(done, pieces.length, now),',
    by: 'writes: () => [],',
  },
  'messages are kept before their commit is confirmed': {
    file: 'core/kernel/execution/commitBatch.ts',
    text: `      messages = batch.messages;
      return { execution: build(current, batch), writes: batch.writes, after: batch.after };
    });
  } catch (error) {
    conversations.drop(held.current());`,
    by: `      const execution = build(current, batch);
      conversations.append(current, batch.messages);
      return { execution, writes: batch.writes, after: batch.after };
    });
  } catch (error) {`,
  },
  'messages are kept although it is unknown whether they were written': {
    file: 'core/kernel/execution/commitBatch.ts',
    text: 'conversations.drop(held.current());',
    by: 'if (!held.signal.aborted) conversations.append(held.current(), messages);',
  },
  'messages of another execution with the same id are taken for its own': {
    file: 'core/kernel/conversation/conversationCache.ts',
    text: 'if (entry.createdAt !== execution.createdAt.getTime()) {',
    by: 'if (false) {',
  },
  'an execution is never late': {
    file: 'core/kernel/state/replaceExecution.ts',
    text: 'due: computeDue(execution, now) }',
    by: 'due: {} }',
  },
  'an execution stays as late as it was': {
    file: 'core/kernel/state/replaceExecution.ts',
    text: 'due: computeDue(execution, now) }',
    by: '}',
  },
  'an execution is not late before it was claimed': {
    file: 'core/stage/startStage.ts',
    text: 'due: computeDue(fresh, now),',
    by: '',
  },
  'one analysis is enough where all are needed': {
    file: 'core/stage/decideStage.ts',
    text: "chain.stages[index - 1]?.successPolicy ?? 'any'",
    by: "'any'",
  },
  'all analyses are needed where one is enough': {
    file: 'core/stage/decideStage.ts',
    text: "chain.stages[index - 1]?.successPolicy ?? 'any'",
    by: "'all'",
  },
  'a stage that lacks an analysis loses those it has': {
    file: 'core/stage/decideStage.ts',
    text: 'outcome.findings.length > 0 ? outcome.findings : latestFindings(earlier)',
    by: "outcome.status === 'completed' ? outcome.findings : latestFindings(earlier)",
  },
  'an executive summary that fails takes its session with it': {
    file: 'core/stage/decideStage.ts',
    text: "decideSessionEnd(session, { status: 'completed', failure: null });\n  const caveats",
    by: 'outcome;\n  const caveats',
  },
  'an executive summary is written and the session does not show it': {
    file: 'core/stage/decideStage.ts',
    text: 'executiveSummary: findExecutiveSummary(executions) },\n    outcome,\n  };',
    by: 'executiveSummary: null }, outcome };',
  },
  'a session that was summarised forgets how it had ended': {
    file: 'core/stage/decideStage.ts',
    text: 'return conclusion ?? otherwise;',
    by: 'return otherwise;',
  },
  'a session that is being cancelled is not late': {
    file: 'core/kernel/session/replaceSession.ts',
    text: 'dueAt: sessionDueAt(changed) }',
    by: '}',
  },
  'the mark of the sweep is moved before the run is complete': {
    file: 'core/rescue/sweep.ts',
    text: 'const { late, unseenForMs, listing } = await findLateOrLog(startedAt, deps);',
    by: `const { late, unseenForMs, listing } = await findLateOrLog(startedAt, deps);
  await moveMarkOrLog({ startedAt, listed: false, complete: true }, deps);`,
  },
  'an execution that has ended is not looked at': {
    file: 'core/rescue/findLateSessions.ts',
    text: '[...late, ...sessions, ...ended]',
    by: '[...late, ...sessions]',
  },
  'a decision counts although its write was refused': {
    file: 'kits/approvals/decideApproval.ts',
    text: 'if (!written.ok) return undefined;',
    by: '',
  },
  'a decision is taken after its time': {
    file: 'kits/approvals/decideApproval.ts',
    text: "return now < call.waitsFor.until ? { kind: 'waits', call } : { kind: 'overdue' };",
    by: "return { kind: 'waits', call };",
  },
  'a decision is taken while its session is cancelled': {
    file: 'kits/approvals/decideApproval.ts',
    text: "if (isClosed(session, execution)) return { kind: 'ended' };",
    by: '',
  },
  'a denied call runs': {
    file: 'kits/approvals/decideApproval.ts',
    text: 'denyCall(found.execution.value, call, decision, batch)',
    by: 'approveCall(found.execution.value, call, { by: decision.by, at: now })',
  },
  'what was decided is not published by those who find it': {
    file: 'core/kernel/state/continueUnheld.ts',
    text: 'publishedIteration: execution.iteration - 1',
    by: 'publishedIteration: execution.iteration',
  },
  'nobody settles a call whose time is over': {
    file: 'core/kernel/state/decideWait.ts',
    text: "return { kind: isOver ? 'time_out' : 'leave' };",
    by: "return { kind: 'leave' };",
  },
  'a call is settled before its time is over': {
    file: 'core/kernel/state/decideWait.ts',
    text: 'const isOver = now >= waitsFor.until;',
    by: 'const isOver = now.getTime() >= waitsFor.until.getTime() - 60_000;',
  },
  'a waiting call keeps its lease': {
    file: 'core/iteration/calls/startNextCalls.ts',
    text: '{ lease: null, claims: 0',
    by: '{ claims: 0',
  },
  'the claims before a wait count after it': {
    file: 'core/iteration/calls/startNextCalls.ts',
    text: 'lease: null, claims: 0, startedClaims: 0 }',
    by: 'lease: null }',
  },
  'a call that waits does not hold back those behind it': {
    file: 'core/kernel/state/pendingCalls.ts',
    text: "if (calls.some(({ state }) => state === 'running' || state === 'waiting')) return",
    by: "if (calls.some(({ state }) => state === 'running')) return",
  },
  'a call that needs approval runs without it': {
    file: 'core/kernel/state/pendingCalls.ts',
    text: "if (needsPerson(call)) return { kind: call.approval === undefined ? 'wait' : 'run', calls: [call] };",
    by: "if (needsPerson(call)) return { kind: 'run', calls: [call] };",
  },
  'a waiting execution publishes its message': {
    file: 'core/stage/publishOrAdvance.ts',
    text: "if (execution.status === 'waiting' || isParked(execution)) return;",
    by: 'if (isParked(execution)) return;',
  },
  'a waiting execution is run like any other': {
    file: 'core/kernel/state/decide.ts',
    text: "if (execution.status === 'waiting') return { kind: 'waits' };",
    by: '',
  },
  'an approval stays pending when its execution ends': {
    file: 'core/kernel/execution/commitEnding.ts',
    text: '[...batch.writes, ...closing.writes]',
    by: 'batch.writes',
  },
  'a tool runs that is not what its session pinned': {
    file: 'features/pins/pinTools.ts',
    text: 'if (changes.length === 0) return { ...executor, changes };',
    by: 'return { ...executor, changes: [] };',
  },
  'an approved call runs although its tool has changed': {
    file: 'core/iteration/calls/runTools.ts',
    text: 'return approved !== undefined && tool !== undefined && toolDigest(tool) !== approved;',
    by: 'return false;',
    and: {
      file: 'features/pins/pinTools.ts',
      text: 'if (changes.length === 0) return { ...executor, changes };',
      by: 'return { ...executor, changes: [] };',
    },
    rule: 'approvals:',
  },
  'a call that was cut off is repeated without a probe': {
    file: 'core/iteration/calls/runTools.ts',
    text: "if (pending.recovery === 'repeat') return;",
    by: 'if (pending.recovery !== undefined) return;',
  },
  'a call that took effect, as its probe says, is repeated': {
    file: 'core/iteration/calls/runTools.ts',
    text: 'return commitProbed(run, pending, content);',
    by: 'return;',
  },
  'a call that could be repeated is given up': {
    file: 'core/iteration/calls/runTools.ts',
    text: "if (pending.recovery === 'repeat') return;",
    by: "if (pending.recovery === 'repeat') return commitUnknown(run, index);",
  },
  'guidance is stored again when its answer was lost': {
    file: 'kits/steering/addGuidance.ts',
    text: 'if (before !== undefined) {',
    by: 'if (before?.number === -1) {',
  },
  'a resumption does not publish all': {
    file: 'kits/steering/pauseSession.ts',
    text: '    read.map(async (one) => {',
    by: '    read.slice(1).map(async (one) => {',
  },
  'the sweep publishes what is paused': {
    file: 'core/rescue/decideSweep.ts',
    text: "if (paused !== null) return { kind: 'leave' };",
    by: '',
  },
  'the sweep takes a pause for idleness': {
    file: 'core/rescue/decideSweep.ts',
    text: '[updatedAt, value.notBefore, resumedAt]',
    by: '[updatedAt, value.notBefore]',
  },
  'an iteration is claimed although its session is paused': {
    file: 'core/kernel/state/decide.ts',
    text: "if (isPaused && execution.status !== 'waiting') return { kind: 'paused' };",
    by: '',
  },
  'a session that has ended is steered': {
    file: 'kits/steering/steerSession.ts',
    text: "return status === 'in_progress' ?",
    by: 'return status !== undefined ?',
  },
  'guidance does not count as taken': {
    file: 'core/kernel/model/modelCall.ts',
    text: 'guidanceTaken: call.guidanceTaken,',
    by: '',
  },
  'guidance is lost with a call of the model that failed': {
    file: 'core/iteration/answer/failIteration.ts',
    text: 'for (const draft of prelude) batch.appendMessage(draft);',
    by: '',
  },
  'guidance is lost when another model takes over': {
    file: 'features/modelOutages/feature.ts',
    text: 'for (const draft of unread) batch.appendMessage(draft);',
    by: '',
  },
  'guidance that no agent read is not reported': {
    file: 'core/kernel/session/sessionEvents.ts',
    text: 'if (read >= steering.guidance) return [];',
    by: 'if (read >= 0) return [];',
  },
  'the model that took over is not stored': {
    file: 'features/modelOutages/fallback.ts',
    text: 'modelIndex: execution.modelIndex + 1,',
    by: '',
  },
  'a model is left out': {
    file: 'features/modelOutages/fallback.ts',
    text: 'modelIndex: execution.modelIndex + 1,',
    by: 'modelIndex: execution.modelIndex + 2,',
  },
  'every iteration asks the first model again': {
    file: 'core/kernel/state/agentInUse.ts',
    text: 'const model = [agent.model, ...agent.fallback][modelIndex];',
    by: 'const model = [agent.model, ...agent.fallback][0 * modelIndex];',
  },
  'a failure ends the execution although a model is left': {
    file: 'features/modelOutages/fallback.ts',
    text: 'return fallback[modelIndex];',
    by: "return error.code === 'MODEL_BLOCKED' ? undefined : fallback[modelIndex];",
  },
  'a call that changes something is made before an agent begins': {
    file: 'features/collect/commitCollect.ts',
    text: 'if (!tool.readOnly || tool.waits !== undefined)',
    by: 'if (tool.waits !== undefined)',
  },
  'the iteration that collects counts like any other': {
    file: 'core/schema/execution.ts',
    text: 'return iteration - modelIndex - (collects ? 1 : 0);',
    by: 'return iteration - modelIndex;',
  },
  'a server that hangs is called again and again': {
    file: 'core/iteration/prepare/connectTools.ts',
    text: '...restingServers(execution).map(({ name }) => name),',
    by: '',
    rule: 'slow tools',
  },
  'a server that hangs never rests': {
    file: 'core/kernel/state/hungServers.ts',
    text: 'iterations: (before?.iterations ?? 0) + 1',
    by: 'iterations: 1',
    rule: 'slow tools',
  },
  'who takes over does not know what is collected': {
    file: 'core/iteration/performIteration.ts',
    text: "if (conversation.some(({ role }) => role === 'assistant')) return storedCalls(conversation);",
    by: 'return storedCalls(conversation);',
  },
  'a question is asked beside another one': {
    file: 'kits/questions/askQuestion.ts',
    text: 'if (openStage !== null) return',
    by: 'if (openStage?.cancelling) return',
  },
  'the sweep takes a session that answers for one that has ended': {
    file: 'core/rescue/sweep.ts',
    text: 'return !isTerminal(status) || openStage !== null;',
    by: 'return !isTerminal(status);',
  },
  'the answer to a question ends its session once more': {
    file: 'core/stage/commitQuestionEnd.ts',
    text: "return session.kind === 'chat' && session.status === 'in_progress'",
    by: 'return session.questions > 0',
  },
  'a question that was answered stays open': {
    file: 'core/stage/commitQuestionEnd.ts',
    text: 'openStage: isOpen ? null : session.openStage',
    by: 'openStage: session.openStage',
  },
  'a renewal does not compare the lease with the clock': {
    file: 'core/kernel/execution/lease.ts',
    text: `abortIfExpired();
    // A commit`,
    by: '// A commit',
  },
  'a holder leaves its own claim whose answer was lost': {
    file: 'core/kernel/execution/lease.ts',
    text: 'if (!(error instanceof RetryableError)) throw error;',
    by: 'throw error;',
    rule: 'lease',
  },
  'a claim that did nothing counts as started': {
    file: 'core/kernel/execution/lease.ts',
    text: 'claims: stored.value.claims + 1,',
    by: 'claims: stored.value.claims + 1, startedClaims: stored.value.startedClaims + 1,',
    rule: 'dead letters',
  },
  'a call runs whose tool was not offered when the answer was stored': {
    file: 'core/iteration/calls/runTools.ts',
    text: "const refused = left <= 0 ? 'Not run: its time is over.' : offeredSinceText(run, pending);",
    by: "const refused = left <= 0 ? 'Not run: its time is over.' : undefined;",
  },
  'the instructions of a server are shown in every iteration': {
    file: 'features/pins/recordInstructions.ts',
    text: '...added.map(({ server }) => server),',
    by: '',
  },
  'instructions that changed are told in every iteration': {
    file: 'features/pins/recordInstructions.ts',
    text: 'changedServers: [...reported, ...changed],',
    by: '',
  },
  'instructions that are not pinned are shown': {
    file: 'features/pins/pinTools.ts',
    text: 'instructions: speaking.filter(({ isPinned }) => isPinned)',
    by: 'instructions: speaking',
  },
  'a report that is delivered again is counted again': {
    file: 'features/incidents/attachReport.ts',
    text: '    alertKeyWrite(alert, session.value, attachedOutcome(alert, session.id), now, count),',
    by: '',
    rule: 'incidents',
  },
  'what keeps firing has a session after each cool-down': {
    file: 'alerts/coolDown.ts',
    text: 'return { waitMs: Math.max(coolDownMs, reinvestigateAfterMs),',
    by: 'return { waitMs: coolDownMs,',
    rule: 'incidents',
  },
  'the sweep starts a waiting session without a ticket': {
    file: 'features/budgets/startWaiting.ts',
    text: "if (!(await hasTickets(session.value, budgets, now, deps))) return 'no_room';",
    by: '',
    rule: 'budget',
  },
  'reports count in the order in which they come': {
    file: 'alerts/incident.ts',
    text: 'return than === null || at >= than;',
    by: 'return true;',
    rule: 'incidents',
  },
  'a report whose delivery died is not acted on': {
    file: 'features/incidents/attachReport.ts',
    text: '    await followIncident(alert, rules, deps);\n    return continue',
    by: '    return continue',
    rule: 'incidents',
  },
  'two deliveries open a session of one incident': {
    file: 'features/incidents/openIncident.ts',
    text: 'return saveDocument(path, incidentType, incident, version);',
    by: `if (version === undefined) return saveDocument(path, incidentType, incident, version);
  return { op: 'add', path, type: incidentType as never, value: incident, fields: [] };`,
    rule: 'incidents',
  },
  'an approval waits in the last minute before the deadline': {
    file: 'features/approvals/askPerson.ts',
    text: 'deadlineBelow(execution.deadline).getTime() - now.getTime()',
    by: 'execution.deadline.getTime() - now.getTime()',
    rule: 'waits',
  },
  'evidence is taken for a state wherever it was looked for': {
    file: 'kits/claims/verdictFacts.ts',
    text: "speaks: cited === undefined ? (isText ? 'text' : 'nothing') : 'state',",
    by: "speaks: 'state', ...{ state: 'held' },",
    rule: 'ledger',
  },
  'claims are not checked after calls for contrast': {
    file: 'core/stage/decideStage.ts',
    text: 'if (again !== undefined && !isCancelled && now < session.deadline) {',
    by: 'if (false) {',
    rule: 'contrast',
  },
  'a call for contrast waits for the quota of its server': {
    file: 'features/quotas/serverQuota.ts',
    text: 'isContrast ? 0 : MAX_WAIT_MS',
    by: 'MAX_WAIT_MS',
    rule: 'contrast',
  },
  'calls for contrast have an hour': {
    file: 'features/claims/contrastProbe.ts',
    text: 'now.getTime() + CONTRAST_MS, session',
    by: 'now.getTime() + 60 * CONTRAST_MS, session',
    rule: 'contrast',
  },
  'a sibling that fails as well confirms a cause': {
    file: 'evidence/contrast.ts',
    text: "return { state: without === 0 ? 'usual' : 'shown', by: 'sibling', siblings: without };",
    by: "return { state: 'shown', by: 'sibling', siblings: without };",
    rule: 'contrast',
  },
  'the rules give their fact in every iteration': {
    file: 'features/claims/rules/feature.ts',
    text: 'agent.tools.includes(KEEPS_LEDGER) && !isDone(conversation);',
    by: 'agent.tools.includes(KEEPS_LEDGER);',
    rule: 'rules',
  },
  'the rules repeat their calls for contrast': {
    file: 'features/claims/rules/feature.ts',
    text: 'statedContrasts(conversation) === undefined && !isLast',
    by: '!isLast',
    rule: 'rules',
  },
  'a state that nothing contrasts is a finding': {
    file: 'features/claims/findByRule.ts',
    text: "...states.filter(({ contrast }) => contrast.state === 'shown')",
    by: '...states',
    rule: 'rules',
  },
  'a new session is not announced': {
    file: 'features/alerts/opening/commitSession.ts',
    text: 'announce({}, after, writes, deps)',
    by: 'deps.store.commit(writes)',
    rule: 'announce',
  },
  'a deferred session that starts is not announced': {
    file: 'core/session/startDeferred.ts',
    text: 'announce({ session: stored.value }, { session, stages: [stage] }, batch, deps)',
    by: 'deps.store.commit(batch)',
    rule: 'announce',
  },
  'the end of a stage is not announced': {
    file: 'core/stage/commitStageEnd.ts',
    text: 'announce(before, follows.after, follows.writes, deps)',
    by: 'deps.store.commit(follows.writes)',
    rule: 'announce',
  },
  'the smaller end of a session is not announced': {
    file: 'core/stage/commitStageEnd.ts',
    text: 'announce(before, less.after, less.writes, deps)',
    by: 'deps.store.commit(less.writes)',
    rule: 'announce',
  },
  'the end of a session without its stage is not announced': {
    file: 'core/session/endSession.ts',
    text: 'saveSession(session, ended, others, deps)',
    by: 'saveSession(session, ended, others, { ...deps, announce: undefined })',
    rule: 'announce',
  },
  'the end of a question is not announced': {
    file: 'core/stage/commitQuestionEnd.ts',
    text: '{ session: changed, stages: [ended] }',
    by: '{ session: changed }',
    rule: 'announce',
  },
  'a request for approval is not announced': {
    file: 'core/kernel/execution/commitBatch.ts',
    text: ', after: batch.after',
    by: '',
    rule: 'announce',
  },
  'a decision is not announced': {
    file: 'kits/approvals/decideApproval.ts',
    text: 'writes, deps, change)',
    by: 'writes, deps)',
    rule: 'announce',
  },
  'an approval that expires is not announced': {
    file: 'core/stage/settleWaits.ts',
    text: 'writes, deps, closing)',
    by: 'writes, deps)',
    rule: 'announce',
  },
  'an approval that ends with its execution is not announced': {
    file: 'core/kernel/execution/commitEnding.ts',
    text: 'deps, closing)',
    by: 'deps)',
    rule: 'announce',
  },
  'an outcome is not announced': {
    file: 'features/outcomes/recordOutcome.ts',
    text: 'announce({ outcome: before }, { outcome }, batch, deps)',
    by: 'deps.store.commit(batch)',
    rule: 'announce',
  },
  'a problem that is over is not announced': {
    file: 'features/incidents/attachReport.ts',
    text: 'announce(change.before, change.after, writes, deps)',
    by: 'deps.store.commit(writes)',
    rule: 'announce',
  },
  'a storm does not count a further session': {
    file: 'features/deliveries/messageGroups.ts',
    text: ': { dueAt: value.dueAt ?? next };',
    by: ': {};',
    simulation: 'deliveries',
  },
  'a value that a later check finds again is reported again': {
    file: 'features/deliveries/outbox/announceDeliveries.ts',
    text: 'for (const isOf of [isOfEnd, isOfOutcome]) {',
    by: 'for (const isOf of [isOfEnd]) {',
    rule: 'the outcome',
    simulation: 'deliveries',
  },
  'an outcome that a further check may find is reported as unknown': {
    file: 'features/deliveries/outbox/causes.ts',
    text: "(value === 'unknown' && dueAt !== null)",
    by: 'false',
    rule: 'the outcome',
    simulation: 'deliveries',
  },
  'all messages that wait try a destination that refused': {
    file: 'features/deliveries/destinationCircuit.ts',
    text: "if (passes !== 'half_open') return undefined;",
    by: "if (passes !== 'half_open' || state.closedUntil !== null) return undefined;",
    rule: 'several messages try',
    simulation: 'deliveries',
  },
  'the message of a group does not ask the circuit': {
    file: 'features/deliveries/deliverGroup.ts',
    text: 'const closedUntil = await enterCircuit(stored.value.destination, deps);',
    by: 'const closedUntil = null as Date | null;',
    rule: 'a request while',
    simulation: 'deliveries',
  },
  'an edit that is refused takes its message for deleted': {
    file: 'features/deliveries/sendMessage.ts',
    text: "if (action.form === 'edit' && result.outcome === 'gone') {",
    by: "if (action.form === 'edit' && ['gone', 'refused'].includes(result.outcome)) {",
    rule: 'the result was sent',
    simulation: 'deliveries',
  },
  'a removed destination forgets that its first message can be there': {
    file: 'features/deliveries/deliverThread.ts',
    text: "if (state === 'unknown' && thread?.value.root === 'none' && isShownByRoot(value))",
    by: "if (state === 'unknown' && thread !== undefined && state !== 'unknown')",
    rule: 'two first messages',
    simulation: 'deliveries',
  },
  'a message without an answer has failed when its destination is removed': {
    file: 'features/deliveries/decideMessage.ts',
    text: "return state === 'sending' || isDoubtful ? 'unknown' : 'failed';",
    by: "return state === 'sending' && !isDoubtful ? 'failed' : 'failed';",
    rule: 'a message has failed and exists',
    simulation: 'deliveries',
  },
  'messages of a removed destination stay open': {
    file: 'features/deliveries/deliverThread.ts',
    text: 'return failAll(due, refusal ?? UNKNOWN_DESTINATION, deps);',
    by: 'return;',
    rule: 'a message is still open',
    simulation: 'deliveries',
  },
  'the result after a first message of unknown arrival is not marked': {
    file: 'features/deliveries/planThread.ts',
    text: "return isResult && rules.onDoubt === 'repeat' ? { form: 'root', isRepeated: true } : undefined;",
    by: "return isResult && rules.onDoubt === 'repeat' ? { form: 'root', isRepeated: false } : undefined;",
    rule: 'two first messages',
    simulation: 'deliveries',
  },
  'a result that is to be held is repeated': {
    file: 'features/deliveries/planThread.ts',
    text: "return isResult && rules.onDoubt === 'repeat' ? { form: 'root', isRepeated: true } : undefined;",
    by: "return isResult ? { form: 'root', isRepeated: true } : undefined;",
    rule: 'a message is repeated',
    simulation: 'deliveries',
  },
  'the result of a session whose first message was deleted is not shown': {
    file: 'features/deliveries/planThread.ts',
    text: "return isResult && hasThread && rootRef !== null ? { form: 'reply', thread: rootRef } : undefined;",
    by: "return isResult && hasThread && rootRef !== null ? { form: 'root', isRepeated: false } : undefined;",
    rule: 'two first messages',
    simulation: 'deliveries',
  },
  'a digest is sent before its period ends': {
    file: 'features/deliveries/messageGroups.ts',
    text: 'new Date((period + 1) * periodMs)',
    by: 'new Date(period * periodMs)',
    rule: 'a digest is sent',
    simulation: 'deliveries',
  },
  'an execution forgets that it has sent a question': {
    file: 'features/interactions/feature.ts',
    text: 'return { ...withPart(questionPart, current, question), ...batch.counters(), guidanceTaken };',
    by: 'return { ...current, ...batch.counters(), guidanceTaken };',
    rule: 'thoughts',
  },
  'an answer that was taken is waited for again': {
    file: 'features/interactions/thought.ts',
    text: 'question?.iteration === execution.iteration && !isAnswered ?',
    by: 'question?.iteration === execution.iteration ?',
  },
  'the question of an iteration is read in the next one': {
    file: 'features/interactions/thought.ts',
    text: 'question?.iteration === execution.iteration && !isAnswered ?',
    by: '!isAnswered ?',
  },
};

/** A mutant to run. */
export interface SimulationTask {
  name: string;
  /** Whether to look for the cheapest seed to pin, instead of the first that detects the mutant. */
  isPinning?: boolean;
}

/** Runs seeds with a mutant. A seed that breaks rules without it, too, detects nothing. */
async function loadSimulation(mutant: Mutant): Promise<(seed: number) => Promise<SeedRun>> {
  const isOfSessions = mutant.simulation === undefined;
  const broken = isOfSessions
    ? ofSessions(await loadMutant(RUN, mutant))
    : ofDeliveries(await loadMutant(RUN_DELIVERIES, mutant));
  return async (seed) => {
    const run = await broken(seed);
    if (run.violations.length === 0) return run;
    const whole = isOfSessions
      ? ofSessions(await import('./runSeed.ts'))
      : ofDeliveries(await import('./features/deliveries/runDeliveries.ts'));
    return (await whole(seed)).violations.length === 0 ? run : { ...run, violations: [] };
  };
}

const ofSessions =
  ({ runSeed }: typeof import('./runSeed.ts')) =>
  (seed: number): Promise<SeedRun> =>
    runSeed(seed);

const ofDeliveries =
  ({ runDeliveries }: typeof import('./features/deliveries/runDeliveries.ts')) =>
  async (seed: number): Promise<SeedRun> => {
    const { violations, deliveries } = await runDeliveries(seed);
    return { violations, trace: deliveries };
  };

/** Runs seeds until one detects the mutant. */
export async function runTask({ name, isPinning = false }: SimulationTask): Promise<MutantRun> {
  const mutant = MUTANTS[name];
  if (mutant === undefined) throw new RangeError(`there is no mutant "${name}"`);
  const runSeed = await loadSimulation(mutant);
  const known = readPinnedSeeds()[name] ?? 1;
  const notice = await (isPinning
    ? findCheapSeed(runSeed, mutant.rule)
    : findSeed(runSeed, known, mutant.rule));
  return notice === undefined
    ? { name }
    : { name, seed: notice.seed, detectedBy: `seed ${notice.seed}: ${notice.violation}` };
}
