// `npm run mutants`: breaks one line of the protocol at a time and runs seeds until the simulation notices. A mutant that
// survives shows a rule or a fault that the simulation lacks.

import { readFile, rm } from 'node:fs/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { findSeed, type Notice } from './findSeed.ts';

/** A change of one line that breaks the protocol. */
interface Mutant {
  /** Below `shared/runtime/`. */
  file: string;
  /** The text that is replaced; it must occur exactly once. */
  text: string;
  by: string;
  /** A seed that notices it, which is tried first. */
  seed: number;
}

const ROOT = new URL('../../', import.meta.url);

/** The mutants, by what is broken. */
export const MUTANTS: Record<string, Mutant> = {
  'more sessions are opened in an hour than it may have': {
    file: 'session/decideDeferral.ts',
    text: 'if (ticket <= limit.limit) continue;',
    by: 'if (ticket <= limit.limit + 1) continue;',
    seed: 3,
  },
  'a session that is deferred is stored as open': {
    file: 'session/deferredSession.ts',
    text: "status: 'deferred', deferral:",
    by: "status: 'in_progress', deferral:",
    seed: 3,
  },
  'an execution counts as ended although the write was refused': {
    file: 'iteration/endExecution.ts',
    text: 'if (!written.ok) return undefined;',
    by: '',
    seed: 77,
  },
  'a stage counts as advanced although the write was refused': {
    file: 'stage/commitStageEnd.ts',
    text: 'if (!result.ok) return false;',
    by: 'if (!result.ok) return true;',
    seed: 81,
  },
  'a late message does not advance the current stage': {
    file: 'stage/advanceStage.ts',
    text: 'return advanceStage({ sessionId, stageId }, deps);',
    by: 'return;',
    seed: 29,
  },
  'the first call that fails ends the wait for the others': {
    file: 'iteration/runTools.ts',
    text: 'const outcomes = await Promise.allSettled(wave.map((call) => runCall(run, call, reachResultPoints)));',
    by: `await Promise.all(wave.map((call) => runCall(run, call, reachResultPoints)));
    const outcomes: PromiseSettledResult<void>[] = [];`,
    seed: 73,
  },
  'missing messages are not noticed': {
    file: 'iteration/loadConversation.ts',
    text: 'return found.size === expected.length && expected.every((number) => found.has(number));',
    by: 'return true;',
    seed: 128,
  },
  'messages are kept before their commit is confirmed': {
    file: 'iteration/commitBatch.ts',
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
    seed: 201,
  },
  'messages are kept although it is unknown whether they were written': {
    file: 'iteration/commitBatch.ts',
    text: 'conversations.drop(held.current());',
    by: 'if (!held.signal.aborted) conversations.append(held.current(), messages);',
    seed: 201,
  },
  'messages of another execution with the same id are taken for its own': {
    file: 'iteration/conversationCache.ts',
    text: 'if (entry.createdAt !== execution.createdAt.getTime()) {',
    by: 'if (false) {',
    seed: 4,
  },
  'an execution is never late': {
    file: 'iteration/replaceExecution.ts',
    text: 'dueAt: dueAtOf(execution, now) }',
    by: 'dueAt: null }',
    seed: 1,
  },
  'an execution stays as late as it was': {
    file: 'iteration/replaceExecution.ts',
    text: 'dueAt: dueAtOf(execution, now) }',
    by: '}',
    seed: 1,
  },
  'an execution is not late before it was claimed': {
    file: 'stage/startStage.ts',
    text: 'dueAt: dueAtOf(fresh, now),',
    by: '',
    seed: 1,
  },
  'one analysis is enough where all are needed': {
    file: 'stage/decideStage.ts',
    text: "(chain.stages[index - 1]?.successPolicy ?? 'any')",
    by: "'any'",
    seed: 17,
  },
  'all analyses are needed where one is enough': {
    file: 'stage/decideStage.ts',
    text: "(chain.stages[index - 1]?.successPolicy ?? 'any')",
    by: "'all'",
    seed: 4,
  },
  'a stage that lacks an analysis loses those it has': {
    file: 'stage/decideStage.ts',
    text: 'outcome.findings.length > 0 ? outcome.findings : latestFindings(earlier)',
    by: "outcome.status === 'completed' ? outcome.findings : latestFindings(earlier)",
    seed: 2,
  },
  'an executive summary that fails takes its session with it': {
    file: 'stage/decideStage.ts',
    text: "const { status, failure } = endOf(session, { status: 'completed', failure: null });",
    by: 'const { status, failure } = outcome;',
    seed: 110,
  },
  'an executive summary is written and the session does not show it': {
    file: 'stage/decideStage.ts',
    text: 'executiveSummary: summaryOf(executions) }, outcome };',
    by: 'executiveSummary: null }, outcome };',
    seed: 50,
  },
  'a session that was summarised forgets how it had ended': {
    file: 'stage/decideStage.ts',
    text: 'return conclusion ?? otherwise;',
    by: 'return otherwise;',
    seed: 105,
  },
  'a session that is being cancelled is not late': {
    file: 'session/replaceSession.ts',
    text: 'dueAt: sessionDueAt(changed) }',
    by: '}',
    seed: 1,
  },
  'the mark of the sweep is moved before the run is complete': {
    file: 'rescue/sweep.ts',
    text: 'const { late, unseenForMs } = await findLateOrLog(startedAt, deps);',
    by: `const { late, unseenForMs } = await findLateOrLog(startedAt, deps);
  await moveMarkOrLog({ startedAt, listed: false, complete: true }, deps);`,
    seed: 17,
  },
  'the mark of the sweep is moved although a session failed': {
    file: 'rescue/sweep.ts',
    text: 'if (!(error instanceof TerminalError)) run.complete = false;',
    by: '',
    seed: 17,
  },
  'an execution that has ended is not looked at': {
    file: 'rescue/findLate.ts',
    text: '[...late, ...sessions, ...ended]',
    by: '[...late, ...sessions]',
    seed: 8,
  },
  'a decision counts although its write was refused': {
    file: 'approval/decideApproval.ts',
    text: 'if (!written.ok) return undefined;',
    by: '',
    seed: 68,
  },
  'a decision is taken after its time': {
    file: 'approval/decideApproval.ts',
    text: "return now < call.waitsFor.until ? { kind: 'waits', call } : { kind: 'overdue' };",
    by: "return { kind: 'waits', call };",
    seed: 69,
  },
  'a decision is taken while its session is cancelled': {
    file: 'approval/decideApproval.ts',
    text: "if (session.status === 'cancelling' || isTerminal(session.status)) return { kind: 'ended' };",
    by: '',
    seed: 29,
  },
  'a denied call runs': {
    file: 'approval/decideApproval.ts',
    text: 'denyCall(found.execution.value, call, decision, batch)',
    by: 'approveCall(found.execution.value, call, { by: decision.by, at: now })',
    seed: 9,
  },
  'what was decided is not published by those who find it': {
    file: 'iteration/continueUnheld.ts',
    text: 'publishedIteration: execution.iteration - 1',
    by: 'publishedIteration: execution.iteration',
    seed: 9,
  },
  'nobody settles a call whose time is over': {
    file: 'iteration/decideWait.ts',
    text: "return { kind: isOver ? 'time_out' : 'leave' };",
    by: "return { kind: 'leave' };",
    seed: 14,
  },
  'a call is settled before its time is over': {
    file: 'iteration/decideWait.ts',
    text: 'const isOver = now >= waitsFor.until;',
    by: 'const isOver = now.getTime() >= waitsFor.until.getTime() - 60_000;',
    seed: 142,
  },
  'a waiting call keeps its lease': {
    file: 'iteration/startNextCalls.ts',
    text: "status: 'waiting', lease: null, claims: 0",
    by: "status: 'waiting', claims: 0",
    seed: 4,
  },
  'the claims before a wait count after it': {
    file: 'iteration/startNextCalls.ts',
    text: 'lease: null, claims: 0 }',
    by: 'lease: null }',
    seed: 4,
  },
  'a call that waits does not hold back those behind it': {
    file: 'iteration/pendingCalls.ts',
    text: "if (calls.some(({ state }) => state === 'running' || state === 'waiting')) return",
    by: "if (calls.some(({ state }) => state === 'running')) return",
    seed: 70,
  },
  'a call that needs approval runs without it': {
    file: 'iteration/pendingCalls.ts',
    text: "if (needsPerson(call)) return { kind: call.approval === undefined ? 'wait' : 'run', calls: [call] };",
    by: "if (needsPerson(call)) return { kind: 'run', calls: [call] };",
    seed: 4,
  },
  'a waiting execution publishes its message': {
    file: 'iteration/endExecution.ts',
    text: "if (execution.status === 'waiting') return;",
    by: '',
    seed: 4,
  },
  'a waiting execution is run like any other': {
    file: 'iteration/decide.ts',
    text: "if (execution.status === 'waiting') return { kind: 'waits' };",
    by: '',
    seed: 29,
  },
  'an approval stays pending when its execution ends': {
    file: 'iteration/endExecution.ts',
    text: '[...batch.writes, ...closing]',
    by: 'batch.writes',
    seed: 4,
  },
  'an approved call runs although its tool has changed': {
    file: 'iteration/runTools.ts',
    text: 'return approved !== undefined && tool !== undefined && toolDigest(tool) !== approved;',
    by: 'return approved !== undefined && tool === undefined;',
    seed: 61,
  },
  'a call that was cut off is repeated without a probe': {
    file: 'iteration/runTools.ts',
    text: "if (pending.recovery === 'repeat') return;",
    by: 'if (pending.recovery !== undefined) return;',
    seed: 33,
  },
  'a call that took effect, as its probe says, is repeated': {
    file: 'iteration/runTools.ts',
    text: 'return commitProbed(run, pending, content);',
    by: 'return;',
    seed: 33,
  },
  'a call that could be repeated is given up': {
    file: 'iteration/runTools.ts',
    text: "if (pending.recovery === 'repeat') return;",
    by: "if (pending.recovery === 'repeat') return commitUnknown(run, index);",
    seed: 32,
  },
  'the model that took over is not stored': {
    file: 'iteration/fallback.ts',
    text: 'modelIndex: execution.modelIndex + 1,',
    by: '',
    seed: 30,
  },
  'a model is left out': {
    file: 'iteration/fallback.ts',
    text: 'modelIndex: execution.modelIndex + 1,',
    by: 'modelIndex: execution.modelIndex + 2,',
    seed: 30,
  },
  'every iteration asks the first model again': {
    file: 'iteration/fallback.ts',
    text: 'const model = [agent.model, ...agent.fallback][modelIndex];',
    by: 'const model = [agent.model, ...agent.fallback][0 * modelIndex];',
    seed: 30,
  },
  'a failure ends the execution although a model is left': {
    file: 'iteration/fallback.ts',
    text: 'return fallback[modelIndex];',
    by: "return error.code === 'MODEL_BLOCKED' ? undefined : fallback[modelIndex];",
    seed: 30,
  },
  'a renewal does not compare the lease with the clock': {
    file: 'iteration/lease.ts',
    text: `abortIfExpired();
    // A commit`,
    by: '// A commit',
    seed: 191,
  },
};

/**
 * The simulation of the broken protocol, bundled into one file of its own.
 * @throws Error when the text of the mutant is gone, or there more than once.
 */
async function loadMutant(name: string): Promise<typeof import('./runSeed.ts')> {
  const mutant = MUTANTS[name];
  if (mutant === undefined) throw new RangeError(`there is no mutant "${name}"`);
  const id = Object.keys(MUTANTS).indexOf(name);
  // Beside the packages, which stay outside of the bundle.
  const outfile = fileURLToPath(new URL(`node_modules/.cache/mutants/${process.pid}-${id}.mjs`, ROOT));
  await build({
    entryPoints: [fileURLToPath(new URL('runSeed.ts', import.meta.url))],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    logLevel: 'error',
    plugins: [replaceText(mutant)],
  });
  try {
    return await import(pathToFileURL(outfile).href);
  } finally {
    await rm(outfile);
  }
}

function replaceText({ file, text, by }: Mutant): Plugin {
  const path = fileURLToPath(new URL(`shared/runtime/${file}`, ROOT));
  return {
    name: 'mutant',
    setup({ onLoad, onEnd }) {
      let found = 0;
      onLoad({ filter: /\.ts$/ }, async (module) => {
        if (module.path !== path) return undefined;
        const parts = (await readFile(path, 'utf8')).split(text);
        found = parts.length - 1;
        return { contents: parts.join(by), loader: 'ts' };
      });
      onEnd(() => {
        if (found !== 1) throw new Error(`${file} has ${found} times: ${text}`);
      });
    },
  };
}

/** A seed that notices the mutant; undefined when it survives all. */
export async function findMutant(name: string): Promise<Notice | undefined> {
  const { runSeed } = await loadMutant(name);
  return findSeed(runSeed, MUTANTS[name]?.seed ?? 1);
}

if (import.meta.main) {
  for (const name of Object.keys(MUTANTS)) {
    const found = await findMutant(name);
    console.log(
      found === undefined ? `survives: ${name}` : `seed ${found.seed}: ${name}: ${found.violation}`,
    );
    if (found === undefined) process.exitCode = 1;
  }
}
