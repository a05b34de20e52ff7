// Runs the cases of Cloud-OpsBench as sessions, counts answers and verdicts, and never repeats a stored run.

import { globSync } from 'node:fs';
import { join } from 'node:path';
import type { SessionConfig } from '../../config/config.ts';
import type { LlmClient } from '../../core/contract/llm.ts';
import type { RuntimeDeps } from '../../core/kernel/deps.ts';
import { readPart } from '../../core/schema/parts.ts';
import { type Interval, wilson } from '../../evidence/calibration.ts';
import { verdictPart } from '../../evidence/schema/verdict.ts';
import { createFolder } from '../../projectFiles.ts';
import type { Case } from '../caseFile.ts';
import { readCloudOpsCase } from '../importers/cloudOpsBench.ts';
import { at, readJson, toPlainText } from '../importers/importedCase.ts';
import { appendJsonLine, readJsonLines } from '../jsonLines.ts';
import { BudgetUsedUp, paidModel } from '../paidModel.ts';
import { runCase } from '../runCase.ts';
import { readAnswer } from './cloudOpsAnswer.ts';
import { ruleModel } from './ruleModel.ts';

/** The settings of a run. */
interface BenchOptions {
  /** The folder of the benchmark's repository, or its `benchmark/`. */
  data: string;
  /** Folder of the stored runs. */
  out: string;
  config: SessionConfig;
  /** Absent: the rule model. */
  model?: { llm: LlmClient; name: string; listPrices: NonNullable<RuntimeDeps['listPrices']> };
  half?: 'even' | 'odd';
  /** `boutique`, `trainticket`. */
  system?: string;
  maxUsd?: number;
  signal: AbortSignal;
  onProgress: (done: number, all: number, usd: number) => void;
}

/** The result of a case. */
interface BenchRun {
  /** `boutique/runtime/1`. */
  name: string;
  truth: string;
  answer: string;
  /** Whether object and cause are exactly those of the case; with the taxonomy the paper's A@1. */
  isExact: boolean;
  isFirst: boolean;
  verdict: string | null;
  calls: number;
  unrecorded: number;
  seconds: number;
  /** Null if a price is unknown. */
  usd: number | null;
}

/**
 * Runs all cases of the selection. A stopped run is resumed by the same call.
 * @throws TerminalError `CASE_INVALID`; any error of the runtime.
 */
export async function runCloudOpsBench(
  options: BenchOptions,
): Promise<{ runs: BenchRun[]; stopped?: string }> {
  createFolder(join(options.out, 'answers'));
  const file = join(options.out, 'runs.jsonl');
  const mode = options.model?.name ?? 'rules';
  const stored = readJsonLines<{ mode: string; run: BenchRun }>(file).filter((line) => line.mode === mode);
  const known = new Map(stored.map(({ run }) => [run.name, run]));
  const runs: BenchRun[] = [];
  const files = globSync('**/metadata.json', { cwd: options.data })
    .filter((one) => isSelected(one, options))
    .sort();
  const usd = () => runs.reduce((sum, run) => sum + (run.usd ?? 0), 0);
  for (const one of files) {
    const name = nameBenchCase(one);
    try {
      options.signal.throwIfAborted();
      const run = known.get(name) ?? (await runOne(one, name, options, usd()));
      runs.push(run);
      if (!known.has(name)) appendJsonLine(file, { mode, run });
    } catch (error) {
      if (error instanceof BudgetUsedUp) return { runs, stopped: error.message };
      if (options.signal.aborted) return { runs, stopped: 'it was interrupted' };
      throw error;
    }
    options.onProgress(runs.length, files.length, usd());
  }
  return { runs };
}

const nameBenchCase = (file: string): string => file.split(/[\\/]/).slice(-4, -1).join('/');

function isSelected(file: string, { half, system }: BenchOptions): boolean {
  const [own, , id] = nameBenchCase(file).split('/');
  return (
    (system === undefined || own === system) &&
    (half === undefined || (Number(id) % 2 === 0) === (half === 'even'))
  );
}

async function runOne(file: string, name: string, options: BenchOptions, spent: number): Promise<BenchRun> {
  const { data, out, config, model, signal } = options;
  const metadata = readJson(data, file);
  const read = readCloudOpsCase(data, file);
  const expected = ['fault_taxonomy', 'fault_object', 'root_cause'].map((key) =>
    toPlainText(at(metadata, 'result', key)),
  );
  const truth = expected.slice(1).join(' ');
  const failed = { name, truth, answer: '', isExact: false, isFirst: false, verdict: null };
  if ('reason' in read)
    return { ...failed, answer: read.reason, calls: 0, unrecorded: 0, seconds: 0, usd: 0 };
  const tools = read.tools as Case['tools'];
  const one: Case = {
    version: 1,
    licence: '',
    tags: [],
    at: read.at,
    alert: { ...read.alert, startsAt: read.at.toISOString() },
    tools,
    name,
  };
  const purse = { spent, reserved: 0, max: options.maxUsd };
  const answers = join(out, 'answers', `${[model?.name, name].join('_').replace(/[^\w.-]+/g, '_')}.jsonl`);
  const paid = model && paidModel(model.llm, answers, purse, (used) => used.prices ?? model.listPrices(used));
  const startedAt = performance.now();
  let usedUp: unknown;
  const llm: LlmClient = paid
    ? {
        generate: (request, call) =>
          paid.generate(request, call).catch((error: unknown) => {
            if (error instanceof BudgetUsedUp) usedUp = error;
            throw error;
          }),
      }
    : ruleModel(toPlainText(metadata.namespace));
  const run = await runCase(one, { config, model: model?.name, llm, tools, seed: name, signal });
  if (usedUp !== undefined) throw usedUp;
  const { taxonomy, object, cause } = readAnswer(run.session.finalAnalysis ?? '');
  const [wanted, ...exact] = expected.map((text) => text.toLowerCase());
  const isExact = object === exact[0] && cause === exact[1];
  return {
    name,
    truth,
    answer: `${object} ${cause}`,
    isExact,
    isFirst: isExact && taxonomy === wanted,
    verdict: readPart(verdictPart, run.session)?.value ?? null,
    calls: run.calls,
    unrecorded: run.unrecorded.length,
    seconds: paid ? paid.taken().ms / 1_000 : (performance.now() - startedAt) / 1_000,
    usd: paid ? paid.taken().usd : 0,
  };
}

/** The figures of some runs. */
export interface BenchFigures {
  cases: number;
  exact: Interval;
  first: Interval;
  /** Of the right answers those that are \`confirmed\`, and of the \`confirmed\` those that are wrong. */
  confirmed: Interval;
  wrong: Interval;
  verdicts: Record<string, number>;
  calls: number;
  seconds: number;
  usd: number | null;
}

/** Sums up runs. */
export function sumBenchFigures(runs: readonly BenchRun[]): BenchFigures {
  const count = (list: readonly BenchRun[], is: (run: BenchRun) => boolean) => list.filter(is).length;
  const isConfirmed = ({ verdict }: BenchRun) => verdict === 'confirmed';
  const share = (list: readonly BenchRun[], is: (run: BenchRun) => boolean) =>
    wilson(count(list, is), list.length);
  const sum = (of: (run: BenchRun) => number) => runs.reduce((all, run) => all + of(run), 0);
  const verdicts = Map.groupBy(runs, ({ verdict }) => verdict ?? 'not_checked');
  return {
    cases: runs.length,
    exact: share(runs, ({ isExact }) => isExact),
    first: share(runs, ({ isFirst }) => isFirst),
    confirmed: share(
      runs.filter(({ isExact }) => isExact),
      isConfirmed,
    ),
    wrong: share(runs.filter(isConfirmed), ({ isExact }) => !isExact),
    verdicts: Object.fromEntries([...verdicts].map(([verdict, own]) => [verdict, own.length])),
    calls: sum(({ calls }) => calls) / Math.max(1, runs.length),
    seconds: sum(({ seconds }) => seconds),
    usd: runs.some(({ usd }) => usd === null) ? null : sum(({ usd }) => usd ?? 0),
  };
}
