// `replay`: a recorded session or a case again: with its stored answers, or with a model that is asked.

import { existsSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { readCase } from '../../../shared/cases/caseFile.ts';
import { compareDecisions, isOlderRecording } from '../../../shared/cases/compareDecisions.ts';
import { compareReplay } from '../../../shared/cases/compareReplay.ts';
import { diffSessions } from '../../../shared/cases/diffSessions.ts';
import { BudgetUsedUp, type Purse, paidModel } from '../../../shared/cases/paidModel.ts';
import type { Recording } from '../../../shared/cases/recording.ts';
import { TOOL_MODES, type ToolMode } from '../../../shared/cases/replay/liveTools.ts';
import { type ModelReplay, replayWithModel } from '../../../shared/cases/replay/replayModel.ts';
import { replayStored } from '../../../shared/cases/replayStored.ts';
import { runCase } from '../../../shared/cases/runCase.ts';
import { loadSessionConfig } from '../../../shared/config/load.ts';
import type { LlmClient } from '../../../shared/core/contract/llm.ts';
import type { ToolSource } from '../../../shared/core/contract/tools.ts';
import { readPart } from '../../../shared/core/schema/parts.ts';
import { causeWords } from '../../../shared/evidence/causeWords.ts';
import { type SessionVerdict, verdictPart } from '../../../shared/evidence/schema/verdict.ts';
import { paths, sessionType } from '../../../shared/lists/documents.ts';
import { createFolder } from '../../../shared/projectFiles.ts';
import { usdText } from '../../../shared/text/amounts.ts';
import { EXTENSION_NAMES } from '../../../shared/wiring/extensions.ts';
import { openServers } from '../../../shared/wiring/openServers.ts';
import { openRecording, RECORD_FILE } from '../../api/recordings.ts';
import { type TenantOptions, tenantCommand } from '../../options/commandOptions.ts';
import { DATABASE_HELP } from '../../options/project.ts';
import { interruptSignal } from '../../process/interrupt.ts';
import { printableText, report, write } from '../../process/output.ts';
import { UsageError } from '../../process/usageError.ts';
import { amount, openModels, positive, STOPPED } from './models.ts';

const INCOMPLETE = 3;

const HELP = `
Without --model and --config: runs the code of this version on the stored answers of models and tools, in memory, and compares
documents: ids, order, timeline, messages with the provider's own parts, bytes of results, ledger, verdict, statuses, entry of the
knowledge base. Times, tokens, cost, sizes and attempts are not compared. Of a session that an older release stored, only the
decisions are compared: stages, next steps, calls, ends, analyses and the verdict.

With --model or --config: starts the session again as it was opened, in memory, asks the model, and prints the differences.
Calls are answered by the recorded call with equal arguments, else by the nearest larger one, cut to the request (more lines, a
wider range of time). Other calls are answered with an error, counted and printed. Calls that can change something never reach a
server, in any mode. Answers are stored in --out: the same command resumes a stopped replay and pays for none of them again.
Exit codes: 0 equal, or complete; 1 a difference from the record, or a failure; 2 wrong usage; 3 complete, but parts could not be
injected; 4 stopped by --max-usd; 130 interrupted.
${DATABASE_HELP}`;

interface Options extends TenantOptions {
  model?: string;
  config?: string;
  tools: ToolMode;
  repeats: number;
  maxUsd?: number;
  out?: string;
}

/** Adds the command to the program. */
export function registerReplay(program: Command): void {
  tenantCommand(program, 'replay')
    .argument(
      '<session>',
      'a session, its id, a unique prefix of it or `last`, or the folder of a recording or a case',
    )
    .option('--model <name>', 'none: the stored answers (default); else the id of a model, which is asked')
    .option('--config <folder>', 'agents and models to use instead of the recorded ones')
    .addOption(
      new Option('--tools <mode>', 'how calls are answered; live: by the servers of --config')
        .choices(TOOL_MODES)
        .default('recorded'),
    )
    .option('--repeats <number>', 'runs with the model', positive, 1)
    .option('--max-usd <dollars>', 'the most that model calls can cost', amount)
    .option('--out <folder>', 'where answers are stored (default: .inquest/replay/<session>)')
    .option('--json', 'print JSON')
    .addHelpText('after', HELP)
    .action(replay);
}

async function replay(named: string, options: Options): Promise<void> {
  const { model, config, tools } = options;
  if (tools !== 'recorded' && config === undefined)
    throw new UsageError(`--tools ${tools} needs --config: its servers answer the calls`);
  const isStored = model === 'none' || (model === undefined && config === undefined);
  const isCase = existsSync(join(named, 'case.yaml')) && !existsSync(join(named, RECORD_FILE));
  if (isStored && (config !== undefined || isCase))
    throw new UsageError(
      isCase
        ? `${named} has no ${RECORD_FILE} with answers of models; give --model or --config`
        : '--model none replays the recorded agents; leave --config out',
    );
  if (isCase && tools !== 'recorded')
    throw new UsageError('the tools of a case always answer as recorded; leave --tools out');
  if (isStored) return replayRecord(await openRecording(named, options), options);
  return replayRuns(isCase ? named : await openRecording(named, options), options);
}

async function replayRecord(recording: Recording, { json }: Options): Promise<void> {
  const { sessionId, store, leftOut } = await replayStored(recording);
  const isOlder = isOlderRecording(recording);
  const compare = isOlder ? compareDecisions : compareReplay;
  const difference = await compare(sessionId, recording.store, store);
  const compared = isOlder ? 'decisions' : 'documents';
  if (json)
    write(JSON.stringify({ sessionId, compared, isEqual: difference === undefined, difference, leftOut }));
  else {
    if (isOlder) write(`${sessionId}: stored by an older release; only its decisions are compared`);
    if (difference === undefined) write(`${sessionId}: the replay is equal`);
    else
      for (const line of [
        `${sessionId}: the replay differs at ${difference.place}`,
        `recorded: ${showReplayValue(difference.recorded)}`,
        `replayed: ${showReplayValue(difference.replayed)}`,
      ])
        write(line);
    for (const part of leftOut) write(`left out: ${part}`);
  }
  if (difference !== undefined) process.exitCode = 1;
  else if (leftOut.length > 0) process.exitCode = INCOMPLETE;
}

const showReplayValue = (value: unknown): string =>
  printableText(JSON.stringify(value) ?? 'nothing').slice(0, 2_000);

/** A finished run, for readers. */
interface Run {
  repeat: number;
  verdict: string | null;
  causes: SessionVerdict['causes'];
  calls: number;
  unrecorded: string[];
  leftOut: string[];
  usd: number | null;
  /** Fields that differ from the record, as `name: recorded -> replayed`; none for a case. */
  differences: string[];
}

async function replayRuns(of: Recording | string, options: Options): Promise<void> {
  const signal = interruptSignal();
  const { llm, listPrices } = openModels(process.env);
  const name = typeof of === 'string' ? basename(resolve(of)) : of.sessionId;
  const out = options.out ?? join('.inquest', 'replay', name);
  createFolder(out);
  const purse: Purse = { spent: 0, reserved: 0, max: options.maxUsd };
  const live = options.tools === 'recorded' ? undefined : openServers(options.config ?? '', process.env);
  const runs: Run[] = [];
  let stopped: string | undefined;
  try {
    for (let repeat = 1; repeat <= options.repeats && stopped === undefined; repeat++) {
      const seed = [name, options.model, options.config, repeat].join(' ');
      const file = (kind: string) => join(out, `${seed.replace(/[^\w.-]+/g, '_')}.${kind}.jsonl`);
      const paid = paidModel(llm, file('answers'), purse, (model) => model.prices ?? listPrices(model));
      let calls = 0;
      const counted: LlmClient = {
        async generate(request, call) {
          const answer = await paid.generate(request, call);
          report(`run ${repeat} of ${options.repeats}: answer ${++calls}, ${usdText(purse.spent)} so far`);
          return answer;
        },
      };
      const { maskerFor } = live ?? {};
      const start = {
        ...options,
        maskerFor,
        llm: stopAt(counted, (reason) => (stopped = reason)),
        listPrices,
        seed,
        signal,
      };
      try {
        runs.push(
          typeof of === 'string'
            ? await runOfCase(of, repeat, start)
            : await runOfRecord(of, repeat, start, { sources: live?.sources ?? [], file: file('calls') }),
        );
      } catch (error) {
        if (signal.aborted) stopped = 'it was interrupted';
        else if (stopped === undefined) throw error;
      }
      if (stopped !== undefined) runs.splice(repeat - 1);
    }
  } finally {
    await live?.close();
  }
  print(name, runs, options);
  if (stopped === undefined) {
    if (runs.some(({ leftOut }) => leftOut.length > 0)) process.exitCode = INCOMPLETE;
    return;
  }
  report(`inquest: stopped: ${stopped}. The same command resumes it.`);
  process.exitCode = signal.aborted ? 130 : STOPPED;
}

type Started = Omit<Options, 'live'> &
  Pick<Parameters<typeof replayWithModel>[1], 'llm' | 'listPrices' | 'seed' | 'signal' | 'maskerFor'>;

/** A client that sends nothing above the budget: an iteration would see a model's failure. */
function stopAt(llm: Started['llm'], onStop: (reason: string) => void): Started['llm'] {
  let reason: unknown;
  return {
    async generate(request, call) {
      if (reason !== undefined) throw reason;
      try {
        return await llm.generate(request, call);
      } catch (error) {
        if (error instanceof BudgetUsedUp) {
          reason = error;
          onStop(error.message);
        }
        throw error;
      }
    },
  };
}

async function runOfRecord(
  recording: Recording,
  repeat: number,
  { config, model, tools, ...start }: Started,
  live: { sources: readonly ToolSource[]; file: string },
): Promise<Run> {
  const loaded = config === undefined ? undefined : loadSessionConfig(config, EXTENSION_NAMES);
  const replayed: ModelReplay = await replayWithModel(recording, {
    ...start,
    live,
    model,
    tools,
    config: loaded,
  });
  const { fields, calls, evidence } = await diffSessions(recording, replayed);
  const changed = fields.filter(({ one, other }) => one !== other);
  const differences = [
    ...changed.map(({ name, one, other }) => `${name}: ${one ?? '-'} -> ${other ?? '-'}`),
    ...[...calls, ...evidence].flatMap(({ side, call }) =>
      side === 'both' ? [] : [`${side === 'one' ? '-' : '+'} ${call}`],
    ),
  ];
  return { ...(await summarizeReplay(repeat, replayed)), differences, leftOut: replayed.leftOut };
}

async function runOfCase(folder: string, repeat: number, { config, model, ...start }: Started): Promise<Run> {
  const one = readCase(dirname(resolve(folder)), basename(resolve(folder)));
  const beside = join(dirname(resolve(folder)), 'config');
  const loaded = loadSessionConfig(config ?? beside, EXTENSION_NAMES);
  const run = await runCase(one, { ...start, config: loaded, model, tools: one.tools });
  const { sessionId } = run.session;
  return { ...(await summarizeReplay(repeat, { ...run, sessionId })), differences: [], leftOut: [] };
}

async function summarizeReplay(
  repeat: number,
  { sessionId, store, calls, unrecorded }: Pick<ModelReplay, 'sessionId' | 'store' | 'calls' | 'unrecorded'>,
): Promise<Omit<Run, 'differences' | 'leftOut'>> {
  const session = (await store.get(paths.session(sessionId), sessionType))?.value;
  const verdict = session && readPart(verdictPart, session);
  return {
    repeat,
    verdict: verdict?.value ?? null,
    calls,
    unrecorded,
    causes: verdict?.causes ?? [],
    usd: session === undefined || session.cost.unpricedCalls > 0 ? null : session.cost.usd,
  };
}

function print(name: string, runs: readonly Run[], { json }: Options): void {
  if (json) {
    write(JSON.stringify({ session: name, runs }));
    return;
  }
  for (const run of runs) {
    const causes = run.causes.map(causeWords).join('; ') || 'no cause';
    const usd = run.usd === null ? 'unknown cost' : usdText(run.usd);
    write(
      printableText(
        `run ${run.repeat}: ${run.verdict ?? 'not checked'}, ${causes}; ${run.calls} calls, ${run.unrecorded.length} not recorded, ${usd}`,
      ),
    );
    for (const line of run.differences) write(`  ${printableText(line)}`);
    for (const call of run.unrecorded) write(`  not recorded: ${printableText(call)}`);
    for (const part of run.leftOut) write(`  left out: ${printableText(part)}`);
  }
}
