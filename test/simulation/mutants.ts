// `npm run mutants`: breaks one line of the protocol at a time and runs seeds until the simulation notices. A mutant that
// survives shows a rule or a fault that the simulation lacks. `npm run pin-seeds` writes the seeds that notice into this file:
// they move when simulation or protocol change. With `-- --moved` it searches only for mutants that their own seed misses.

import { readFileSync, writeFileSync } from 'node:fs';
import { loadMutant, type TextChange } from '../support/mutant.ts';
import { findCheapSeed, findSeed, type Notice } from './findSeed.ts';

/** A change of one line that breaks the protocol. */
interface Mutant extends TextChange {
  /** A seed that notices it, which is tried first. */
  seed: number;
  /** The rule that has to notice it, where others do as well. */
  rule?: string;
}

const RUN = new URL('runSeed.ts', import.meta.url);

/** The mutants, by what is broken. */
export const MUTANTS: Record<string, Mutant> = {
  'more sessions are opened in an hour than it may have': {
    file: 'runtime/kernel/tokens/usage.ts',
    text: 'if ((await add(limit, 1, 0)) <= limit.limit) continue;',
    by: 'if ((await add(limit, 1, 0)) <= limit.limit + 1) continue;',
    seed: 3,
  },
  'a refused call keeps its reservation': {
    file: 'runtime/kernel/tokens/tokenLedger.ts',
    text: 'await settleAll(held, 0);',
    by: '',
    seed: 16,
    rule: 'token budget',
  },
  'a reservation stays when its call has ended': {
    file: 'runtime/kernel/tokens/usage.ts',
    text: 'reserved: { [window]: -tokens }',
    by: 'reserved: { [window]: 0 }',
    seed: 16,
    rule: 'token budget',
  },
  'a call that has ended counts nothing': {
    file: 'runtime/kernel/tokens/usage.ts',
    text: 'const value = { count: used, reserved',
    by: 'const value = { count: 0, reserved',
    seed: 16,
    rule: 'token budget',
  },
  'a session that is deferred is stored as open': {
    file: 'runtime/kernel/session/deferredSession.ts',
    text: "status: 'deferred', deferral: own",
    by: "status: 'in_progress', deferral: own",
    seed: 3,
  },
  'what a model says stays when its answer is stored': {
    file: 'runtime/kernel/execution/commitCall.ts',
    text: 'batch.writes.push(...live.deletion());',
    by: '',
    seed: 9,
    rule: 'live',
  },
  'what a model says is written although its session is not watched': {
    file: 'runtime/features/live/liveText.ts',
    text: 'this.#watchedUntil = watchedUntil?.getTime() ?? 0;',
    by: 'this.#watchedUntil = watchedUntil?.getTime() ?? 9e12;',
    seed: 1,
    rule: 'live',
  },
  'children are not published after the commit that creates them': {
    file: 'runtime/stage/endExecution.ts',
    text: "if (execution.status === 'waiting') await publishChildren(execution, deps);",
    by: "if (execution.status === 'waiting') return;",
    seed: 6,
  },
  'a message about an execution that waits does not publish its children': {
    file: 'runtime/stage/settleWaits.ts',
    text: 'await publishAgain(child, deps);',
    by: '',
    seed: 10,
  },
  'a message is published again however recently it was': {
    file: 'runtime/kernel/execution/publishAgain.ts',
    text: 'if (age < PUBLICATION_MS &&',
    by: 'if (age < 0 &&',
    seed: 11,
    rule: 'messages',
  },
  'the end of a child settles nothing': {
    file: 'runtime/stage/publishOrAdvance.ts',
    text: 'else await settleParent(ended, ended.parentExecutionId, deps);',
    by: 'else await advanceStage(ended, deps);',
    seed: 6,
  },
  'a call counts as settled although the write was refused': {
    file: 'runtime/stage/publishOrAdvance.ts',
    text: 'return written.ok ? execution : undefined;',
    by: 'return execution;',
    seed: 36,
  },
  'who finds a settled call does not publish its parent': {
    file: 'runtime/stage/publishOrAdvance.ts',
    text: 'await publishAgain(parent, deps);',
    by: ';',
    seed: 6,
  },
  'who finds a settled call does not continue above an ended parent': {
    file: 'runtime/stage/publishOrAdvance.ts',
    text: 'if (isTerminal(parent.value.status)) await continueAfterEnd(parent.value, deps);',
    by: 'if (isTerminal(parent.value.status)) return;',
    seed: 364,
  },
  'a result that can never be stored is not replaced': {
    file: 'runtime/stage/publishOrAdvance.ts',
    text: 'if (!(error instanceof TerminalError)) throw error;',
    by: 'throw error;',
    seed: 335,
  },
  'what is open below an ended execution stays open': {
    file: 'runtime/kernel/execution/descendants.ts',
    text: 'if (ended.children === 0) return;',
    by: 'if (ended.children >= 0) return;',
    seed: 78,
  },
  'a child may take as long as its parent': {
    file: 'runtime/features/children/startChild.ts',
    text: 'appendChild(execution, childExecutionId, question, until, plan, batch);',
    by: 'appendChild(execution, childExecutionId, question, execution.deadline, plan, batch);',
    seed: 6,
  },
  'an agent may be asked below itself': {
    file: 'runtime/features/children/startChild.ts',
    text: 'if ([...ancestors, plan.asker].includes(agent.name))',
    by: 'if (false)',
    seed: 10,
  },
  'tokens of children are not counted': {
    file: 'runtime/stage/stageOutcome.ts',
    text: 'const tree = [...executions, ...descendants];',
    by: 'const tree = [...executions];',
    seed: 10,
  },
  'an execution counts as ended although the write was refused': {
    file: 'runtime/kernel/execution/commitEnding.ts',
    text: 'if (!written.ok) return undefined;',
    by: '',
    seed: 51,
  },
  'a stage counts as advanced although the write was refused': {
    file: 'runtime/stage/commitStageEnd.ts',
    text: 'if (!result.ok) return false;',
    by: 'if (!result.ok) return true;',
    seed: 129,
  },
  'a late message does not advance the current stage': {
    file: 'runtime/stage/advanceStage.ts',
    text: 'return advanceStage({ sessionId, stageId }, deps);',
    by: 'return;',
    seed: 69,
  },
  'the first call that fails ends the wait for the others': {
    file: 'runtime/iteration/calls/runTools.ts',
    text: 'const outcomes = await Promise.allSettled(wave.map((call) => runCall(run, call, passCrashPoints)));',
    by: `await Promise.all(wave.map((call) => runCall(run, call, passCrashPoints)));
    const outcomes: PromiseSettledResult<void>[] = [];`,
    seed: 15,
  },
  'parts of a large result are written where a dead holder wrote its own': {
    file: 'runtime/features/results/storeResult.ts',
    text: 'const part = before + from + offset + 1;',
    by: 'const part = from + offset + 1;',
    seed: 27,
  },
  'a message refers to parts of a large result that are not stored': {
    file: 'runtime/features/results/storeResult.ts',
    text: 'writes: (now) => writesOf(done, pieces.length, now),',
    by: 'writes: () => [],',
    seed: 10,
  },
  'messages are kept before their commit is confirmed': {
    file: 'runtime/kernel/execution/commitBatch.ts',
    text: `      messages = batch.messages;
      return { execution: build(current, batch), writes: batch.writes };
    });
  } catch (error) {
    conversations.drop(held.current());`,
    by: `      const execution = build(current, batch);
      conversations.append(current, batch.messages);
      return { execution, writes: batch.writes };
    });
  } catch (error) {`,
    seed: 96,
  },
  'messages are kept although it is unknown whether they were written': {
    file: 'runtime/kernel/execution/commitBatch.ts',
    text: 'conversations.drop(held.current());',
    by: 'if (!held.signal.aborted) conversations.append(held.current(), messages);',
    seed: 96,
  },
  'messages of another execution with the same id are taken for its own': {
    file: 'runtime/kernel/conversation/conversationCache.ts',
    text: 'if (entry.createdAt !== execution.createdAt.getTime()) {',
    by: 'if (false) {',
    seed: 10,
  },
  'an execution is never late': {
    file: 'runtime/kernel/state/replaceExecution.ts',
    text: 'dueAt: dueAtOf(execution, now) }',
    by: 'dueAt: null }',
    seed: 1,
  },
  'an execution stays as late as it was': {
    file: 'runtime/kernel/state/replaceExecution.ts',
    text: 'dueAt: dueAtOf(execution, now) }',
    by: '}',
    seed: 1,
  },
  'an execution is not late before it was claimed': {
    file: 'runtime/stage/startStage.ts',
    text: 'dueAt: dueAtOf(fresh, now),',
    by: '',
    seed: 1,
  },
  'one analysis is enough where all are needed': {
    file: 'runtime/stage/decideStage.ts',
    text: "(chain.stages[index - 1]?.successPolicy ?? 'any')",
    by: "'any'",
    seed: 53,
  },
  'all analyses are needed where one is enough': {
    file: 'runtime/stage/decideStage.ts',
    text: "(chain.stages[index - 1]?.successPolicy ?? 'any')",
    by: "'all'",
    seed: 2,
  },
  'a stage that lacks an analysis loses those it has': {
    file: 'runtime/stage/decideStage.ts',
    text: 'outcome.findings.length > 0 ? outcome.findings : latestFindings(earlier)',
    by: "outcome.status === 'completed' ? outcome.findings : latestFindings(earlier)",
    seed: 33,
  },
  'an executive summary that fails takes its session with it': {
    file: 'runtime/stage/decideStage.ts',
    text: "const { status, failure } = endOf(session, { status: 'completed', failure: null });",
    by: 'const { status, failure } = outcome;',
    seed: 100,
  },
  'an executive summary is written and the session does not show it': {
    file: 'runtime/stage/decideStage.ts',
    text: 'executiveSummary: summaryOf(executions) }, outcome };',
    by: 'executiveSummary: null }, outcome };',
    seed: 5,
  },
  'a session that was summarised forgets how it had ended': {
    file: 'runtime/stage/decideStage.ts',
    text: 'return conclusion ?? otherwise;',
    by: 'return otherwise;',
    seed: 145,
  },
  'a session that is being cancelled is not late': {
    file: 'runtime/kernel/session/replaceSession.ts',
    text: 'dueAt: sessionDueAt(changed) }',
    by: '}',
    seed: 2,
  },
  'the mark of the sweep is moved before the run is complete': {
    file: 'runtime/rescue/sweep.ts',
    text: 'const { late, unseenForMs } = await findLateOrLog(startedAt, deps);',
    by: `const { late, unseenForMs } = await findLateOrLog(startedAt, deps);
  await moveMarkOrLog({ startedAt, listed: false, complete: true }, deps);`,
    seed: 118,
  },
  'the mark of the sweep is moved although a session failed': {
    file: 'runtime/rescue/sweep.ts',
    text: 'if (!(error instanceof TerminalError)) run.complete = false;',
    by: '',
    seed: 58,
  },
  'an execution that has ended is not looked at': {
    file: 'runtime/rescue/findLate.ts',
    text: '[...late, ...sessions, ...ended]',
    by: '[...late, ...sessions]',
    seed: 10,
  },
  'a decision counts although its write was refused': {
    file: 'runtime/features/approval/decideApproval.ts',
    text: 'if (!written.ok) return undefined;',
    by: '',
    seed: 33,
  },
  'a decision is taken after its time': {
    file: 'runtime/features/approval/decideApproval.ts',
    text: "return now < call.waitsFor.until ? { kind: 'waits', call } : { kind: 'overdue' };",
    by: "return { kind: 'waits', call };",
    seed: 12,
  },
  'a decision is taken while its session is cancelled': {
    file: 'runtime/features/approval/decideApproval.ts',
    text: "if (isClosed(session, execution)) return { kind: 'ended' };",
    by: '',
    seed: 138,
  },
  'a denied call runs': {
    file: 'runtime/features/approval/decideApproval.ts',
    text: 'denyCall(found.execution.value, call, decision, batch)',
    by: 'approveCall(found.execution.value, call, { by: decision.by, at: now })',
    seed: 9,
  },
  'what was decided is not published by those who find it': {
    file: 'runtime/kernel/state/continueUnheld.ts',
    text: 'publishedIteration: execution.iteration - 1',
    by: 'publishedIteration: execution.iteration',
    seed: 13,
  },
  'nobody settles a call whose time is over': {
    file: 'runtime/kernel/state/decideWait.ts',
    text: "return { kind: isOver ? 'time_out' : 'leave' };",
    by: "return { kind: 'leave' };",
    seed: 29,
  },
  'a call is settled before its time is over': {
    file: 'runtime/kernel/state/decideWait.ts',
    text: 'const isOver = now >= waitsFor.until;',
    by: 'const isOver = now.getTime() >= waitsFor.until.getTime() - 60_000;',
    seed: 6,
  },
  'a waiting call keeps its lease': {
    file: 'runtime/iteration/calls/startNextCalls.ts',
    text: "status: 'waiting', lease: null, claims: 0",
    by: "status: 'waiting', claims: 0",
    seed: 13,
  },
  'the claims before a wait count after it': {
    file: 'runtime/iteration/calls/startNextCalls.ts',
    text: 'lease: null, claims: 0 }',
    by: 'lease: null }',
    seed: 13,
  },
  'a call that waits does not hold back those behind it': {
    file: 'runtime/kernel/state/pendingCalls.ts',
    text: "if (calls.some(({ state }) => state === 'running' || state === 'waiting')) return",
    by: "if (calls.some(({ state }) => state === 'running')) return",
    seed: 9,
  },
  'a call that needs approval runs without it': {
    file: 'runtime/kernel/state/pendingCalls.ts',
    text: "if (needsPerson(call)) return { kind: call.approval === undefined ? 'wait' : 'run', calls: [call] };",
    by: "if (needsPerson(call)) return { kind: 'run', calls: [call] };",
    seed: 13,
  },
  'a waiting execution publishes its message': {
    file: 'runtime/stage/publishOrAdvance.ts',
    text: "if (execution.status === 'waiting' || isParked(execution)) return;",
    by: 'if (isParked(execution)) return;',
    seed: 10,
  },
  'a waiting execution is run like any other': {
    file: 'runtime/kernel/state/decide.ts',
    text: "if (execution.status === 'waiting') return { kind: 'waits' };",
    by: '',
    seed: 13,
  },
  'an approval stays pending when its execution ends': {
    file: 'runtime/kernel/execution/commitEnding.ts',
    text: '[...batch.writes, ...closing]',
    by: 'batch.writes',
    seed: 33,
  },
  'a tool runs that is not what its session pinned': {
    file: 'runtime/features/pins/pinTools.ts',
    text: 'if (changes.length === 0) return { ...executor, changes };',
    by: 'return { ...executor, changes: [] };',
    seed: 99,
  },
  'an approved call runs although its tool has changed': {
    file: 'runtime/iteration/calls/runTools.ts',
    text: 'return approved !== undefined && tool !== undefined && toolDigest(tool) !== approved;',
    by: 'return false;',
    and: {
      file: 'runtime/features/pins/pinTools.ts',
      text: 'if (changes.length === 0) return { ...executor, changes };',
      by: 'return { ...executor, changes: [] };',
    },
    rule: 'approvals:',
    seed: 99,
  },
  'a call that was cut off is repeated without a probe': {
    file: 'runtime/iteration/calls/runTools.ts',
    text: "if (pending.recovery === 'repeat') return;",
    by: 'if (pending.recovery !== undefined) return;',
    seed: 115,
  },
  'a call that took effect, as its probe says, is repeated': {
    file: 'runtime/iteration/calls/runTools.ts',
    text: 'return commitProbed(run, pending, content);',
    by: 'return;',
    seed: 134,
  },
  'a call that could be repeated is given up': {
    file: 'runtime/iteration/calls/runTools.ts',
    text: "if (pending.recovery === 'repeat') return;",
    by: "if (pending.recovery === 'repeat') return commitUnknown(run, index);",
    seed: 2,
  },
  'guidance is stored again when its answer was lost': {
    file: 'runtime/features/guidance/tellSession.ts',
    text: 'if (before !== undefined) {',
    by: 'if (before?.number === -1) {',
    seed: 2,
  },
  'a resumption does not publish all': {
    file: 'runtime/features/guidance/pauseSession.ts',
    text: '    read.map(async (one) => {',
    by: '    read.slice(1).map(async (one) => {',
    seed: 17,
  },
  'the sweep publishes what is paused': {
    file: 'runtime/rescue/decideSweep.ts',
    text: "if (paused !== null) return { kind: 'leave' };",
    by: '',
    seed: 17,
  },
  'the sweep takes a pause for idleness': {
    file: 'runtime/rescue/decideSweep.ts',
    text: '[updatedAt, value.notBefore, resumedAt]',
    by: '[updatedAt, value.notBefore]',
    seed: 17,
  },
  'an iteration is claimed although its session is paused': {
    file: 'runtime/kernel/state/decide.ts',
    text: "if (isPaused && execution.status !== 'waiting') return { kind: 'paused' };",
    by: '',
    seed: 8,
  },
  'a session that has ended is steered': {
    file: 'runtime/features/guidance/steerSession.ts',
    text: "return status === 'in_progress' ?",
    by: 'return status !== undefined ?',
    seed: 143,
  },
  'guidance does not count as taken': {
    file: 'runtime/kernel/model/modelCall.ts',
    text: 'guidanceTaken: call.guidanceTaken,',
    by: '',
    seed: 2,
  },
  'guidance is lost with a call of the model that failed': {
    file: 'runtime/iteration/answer/failIteration.ts',
    text: 'for (const draft of prelude) batch.appendMessage(draft);',
    by: '',
    seed: 92,
  },
  'guidance is lost when another model takes over': {
    file: 'runtime/features/modelOutages/takeOver.ts',
    text: 'for (const draft of guidance.messages) batch.appendMessage(draft);',
    by: '',
    seed: 20,
  },
  'guidance that no agent read is not reported': {
    file: 'runtime/kernel/session/sessionEvents.ts',
    text: 'if (read >= steering.guidance) return [];',
    by: 'if (read >= 0) return [];',
    seed: 38,
  },
  'the model that took over is not stored': {
    file: 'runtime/features/modelOutages/fallback.ts',
    text: 'modelIndex: execution.modelIndex + 1,',
    by: '',
    seed: 10,
  },
  'a model is left out': {
    file: 'runtime/features/modelOutages/fallback.ts',
    text: 'modelIndex: execution.modelIndex + 1,',
    by: 'modelIndex: execution.modelIndex + 2,',
    seed: 10,
  },
  'every iteration asks the first model again': {
    file: 'runtime/kernel/state/agentInUse.ts',
    text: 'const model = [agent.model, ...agent.fallback][modelIndex];',
    by: 'const model = [agent.model, ...agent.fallback][0 * modelIndex];',
    seed: 60,
  },
  'a failure ends the execution although a model is left': {
    file: 'runtime/features/modelOutages/fallback.ts',
    text: 'return fallback[modelIndex];',
    by: "return error.code === 'MODEL_BLOCKED' ? undefined : fallback[modelIndex];",
    seed: 10,
  },
  'a call that changes something is made before an agent begins': {
    file: 'runtime/features/collect/commitCollect.ts',
    text: 'if (!tool.readOnly || tool.waits !== undefined)',
    by: 'if (tool.waits !== undefined)',
    seed: 46,
  },
  'the iteration that collects counts like any other': {
    file: 'schema/execution.ts',
    text: 'return iteration - modelIndex - (collects ? 1 : 0);',
    by: 'return iteration - modelIndex;',
    seed: 32,
  },
  'a server that hangs is called again and again': {
    file: 'runtime/iteration/prepare/connectTools.ts',
    text: '...restingServers(execution).map(({ name }) => name),',
    by: '',
    seed: 107,
    rule: 'slow tools',
  },
  'a server that hangs never rests': {
    file: 'runtime/kernel/state/hungServers.ts',
    text: 'iterations: (before?.iterations ?? 0) + 1',
    by: 'iterations: 1',
    seed: 90,
    rule: 'slow tools',
  },
  'who takes over does not know what is collected': {
    file: 'runtime/iteration/performIteration.ts',
    text: 'if (!isCollecting(context.held.current())) return storedCalls(conversation);',
    by: 'return storedCalls(conversation);',
    seed: 18,
  },
  'a question is asked beside another one': {
    file: 'runtime/features/chat/askQuestion.ts',
    text: 'if (openStage !== null) return',
    by: 'if (openStage?.cancelling) return',
    seed: 19,
  },
  'the sweep takes a session that answers for one that has ended': {
    file: 'runtime/rescue/sweep.ts',
    text: 'return !isTerminal(status) || openStage !== null;',
    by: 'return !isTerminal(status);',
    seed: 163,
  },
  'the answer to a question ends its session once more': {
    file: 'runtime/stage/commitQuestionEnd.ts',
    text: "return session.kind === 'chat' && session.status === 'in_progress'",
    by: 'return session.questions > 0',
    seed: 13,
  },
  'a question that was answered stays open': {
    file: 'runtime/stage/commitQuestionEnd.ts',
    text: 'openStage: isOpen ? null : session.openStage',
    by: 'openStage: session.openStage',
    seed: 13,
  },
  'a renewal does not compare the lease with the clock': {
    file: 'runtime/kernel/execution/lease.ts',
    text: `abortIfExpired();
    // A commit`,
    by: '// A commit',
    seed: 10,
  },
  'a call runs whose tool was not offered when the answer was stored': {
    file: 'runtime/iteration/calls/runTools.ts',
    text: 'const running = isOfferedSince(run, pending)',
    by: 'const running = isOfferedSince(run, pending) && false',
    seed: 52,
  },
  'the instructions of a server are shown in every iteration': {
    file: 'runtime/features/pins/recordInstructions.ts',
    text: 'introducedServers: [...introducedServers, ...added.map(({ server }) => server)],',
    by: '',
    seed: 2,
  },
  'instructions that changed are told in every iteration': {
    file: 'runtime/features/pins/recordInstructions.ts',
    text: 'changedServers: [...reported, ...changed],',
    by: '',
    seed: 41,
  },
  'instructions that are not pinned are shown': {
    file: 'runtime/features/pins/pinTools.ts',
    text: 'instructions: speaking.filter(({ isPinned }) => isPinned)',
    by: 'instructions: speaking',
    seed: 41,
  },
  'a report that is delivered again is counted again': {
    file: 'runtime/intake/incident/attachReport.ts',
    text: '    alertKeyWrite(alert, session.value, now),',
    by: '',
    seed: 7,
    rule: 'incidents',
  },
  'what keeps firing has a session after each cool-down': {
    file: 'alerts/incident.ts',
    text: 'return { waitMs: Math.max(coolDownMs, reinvestigateAfterMs),',
    by: 'return { waitMs: coolDownMs,',
    seed: 15,
    rule: 'incidents',
  },
  'the sweep starts a waiting session without a ticket': {
    file: 'runtime/rescue/startWaiting.ts',
    text: "if (!(await hasTickets(session.value, budgets, now, deps))) return 'no_room';",
    by: '',
    seed: 3,
    rule: 'budget',
  },
  'reports count in the order in which they come': {
    file: 'alerts/incident.ts',
    text: 'return than === null || at >= than;',
    by: 'return true;',
    seed: 87,
    rule: 'incidents',
  },
  'a report whose delivery died is not acted on': {
    file: 'runtime/intake/incident/attachReport.ts',
    text: '    await followIncident(alert, rules, deps);\n    return resume',
    by: '    return resume',
    seed: 79,
    rule: 'incidents',
  },
  'two deliveries open a session of one incident': {
    file: 'runtime/intake/incident/openIncident.ts',
    text: ': replace(path, incidentType, incident, version);',
    by: ": { op: 'add', path, type: incidentType as never, value: incident, fields: [] };",
    seed: 15,
    rule: 'incidents',
  },
  'an approval waits in the last minute before the deadline': {
    file: 'runtime/features/approval/askPerson.ts',
    text: 'execution.deadline.getTime() - TIME_AFTER_MS - now.getTime()',
    by: 'execution.deadline.getTime() - now.getTime()',
    seed: 12,
    rule: 'waits',
  },
};

/** A seed that notices the mutant, a cheap one for pinning; undefined when it survives all. */
export async function findMutant(name: string, isPinning = false): Promise<Notice | undefined> {
  const mutant = MUTANTS[name];
  if (mutant === undefined) throw new RangeError(`there is no mutant "${name}"`);
  const { runSeed } = await loadMutant<typeof import('./runSeed.ts')>(RUN, mutant);
  return isPinning ? findCheapSeed(runSeed, mutant.rule) : findSeed(runSeed, mutant.seed, mutant.rule);
}

/** Replaces the seed of a mutant in the text of this file. */
function withSeed(source: string, name: string, seed: number): string {
  const start = source.indexOf(`  '${name}': {`);
  if (start === -1) throw new Error(`the mutant "${name}" is not found in the source`);
  return source.slice(0, start) + source.slice(start).replace(/(?<=\n {4}seed: )\d+/, String(seed));
}

if (import.meta.main) {
  let source = readFileSync(import.meta.filename, 'utf8');
  const isPinning = process.argv.includes('--pin');
  const onlyMoved = process.argv.includes('--moved');
  for (const name of Object.keys(MUTANTS)) {
    const found = await findMutant(name, isPinning && !onlyMoved);
    console.log(
      found === undefined ? `survives: ${name}` : `seed ${found.seed}: ${name}: ${found.violation}`,
    );
    if (found === undefined) process.exitCode = 1;
    else source = withSeed(source, name, found.seed);
    if (isPinning) writeFileSync(import.meta.filename, source);
  }
}
