// An evaluation: every case, with every model, in every arm, several times. Stored runs are never repeated.

import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { SessionConfig } from '../config/config.ts';
import type { LlmClient } from '../core/contract/llm.ts';
import { InquestError } from '../core/errors.ts';
import type { RuntimeDeps } from '../core/kernel/deps.ts';
import type { ModelSettings } from '../core/schema/agent.ts';
import { createFolder } from '../projectFiles.ts';
import { workInParallel } from '../text/workInParallel.ts';
import { caseNames, readCase, readTruth } from './caseFile.ts';
import { type Arm, hasArm, toolsOfArm } from './caseTools.ts';
import { appendJsonLine, readJsonLines } from './jsonLines.ts';
import { judgeRun } from './judge.ts';
import { BudgetUsedUp, type Purse, paidModel } from './paidModel.ts';
import { runCase } from './runCase.ts';
import { type Score, scoreRun } from './score.ts';

/** A model with the configuration that it is evaluated in. */
export interface Contestant {
  /** Name in the report. */
  name: string;
  config: SessionConfig;
  /** The provider's id of the model; undefined: those of the configuration. */
  model?: string;
}

/** The settings of an evaluation. */
export interface EvaluationOptions {
  /** Folder of the cases. */
  folder: string;
  /** Folder in which answers and scores are stored. */
  out: string;
  contestants: readonly Contestant[];
  arms: readonly Arm[];
  repeats: number;
  /** In US dollars; undefined: no limit. */
  maxUsd: number | undefined;
  /** Names faults of each run. Undefined: no judge. */
  judge?: ModelSettings | undefined;
  llm: LlmClient;
  listPrices: NonNullable<RuntimeDeps['listPrices']>;
  /** Its abort ends the evaluation after the commits of the current calls. */
  signal: AbortSignal;
  /** Called after each run. */
  onProgress?: (done: number, all: number, usd: number) => void;
}

/** The scores so far. */
export interface Evaluation {
  scores: Score[];
  /** Why it is not complete; undefined if it is. */
  stopped?: string;
  usd: number;
}

/** Failures that do not depend on the model: they end the evaluation, and no score is stored. */
const NO_ANSWER = new Set<string>([
  'CASE_INVALID',
  'CONFIG_INVALID',
  'MODEL_CREDENTIALS',
  'MODEL_UNKNOWN',
  'MODEL_QUOTA',
  'MODEL_UNAVAILABLE',
]);

/** Runs at the same time. @internal */
export const PARALLEL = 4;

interface Task {
  key: string;
  contestant: Contestant;
  name: string;
  arm: Arm;
  repeat: number;
}

/**
 * Evaluates. A stopped evaluation is resumed by the same call.
 * @throws TerminalError `CASE_INVALID`; any error of the runtime.
 */
export async function evaluate(options: EvaluationOptions): Promise<Evaluation> {
  const { out, signal } = options;
  createFolder(join(out, 'answers'));
  const file = join(out, 'scores.jsonl');
  const tasks = listEvaluationTasks(options);
  const known = new Map(
    readJsonLines<{ key: string; score: Score }>(file).map(({ key, score }) => [key, score] as const),
  );
  const scores = new Map(
    tasks.flatMap(({ key }) => (known.has(key) ? [[key, known.get(key)]] : [])) as [string, Score][],
  );
  const stored = [...scores.values()].reduce((sum, { usd }) => sum + (usd ?? 0), 0);
  const purse: Purse = { spent: stored, reserved: 0, max: options.maxUsd };
  const open = tasks.filter(({ key }) => !scores.has(key));
  let stopped: string | undefined;
  const failures: unknown[] = [];
  await workInParallel(open, PARALLEL, async (task) => {
    if (stopped !== undefined) return;
    try {
      const score = await runTask(task, options, purse);
      scores.set(task.key, score);
      appendJsonLine(file, { key: task.key, score });
      options.onProgress?.(scores.size, tasks.length, purse.spent);
    } catch (error) {
      if (error instanceof BudgetUsedUp) stopped = error.message;
      else if (signal.aborted) stopped = 'it was interrupted';
      else {
        stopped = 'it failed';
        failures.push(error);
      }
    }
  });
  // All of them have ended before a failure is reported: none sends a call after that.
  if (failures.length > 0) throw failures[0];
  if (options.judge !== undefined && stopped === undefined)
    stopped = await judgeAll(tasks, scores, options.judge, options, purse);
  const ordered = tasks.flatMap(({ key }) => scores.get(key) ?? []);
  return { scores: ordered, usd: purse.spent, ...(stopped !== undefined && { stopped }) };
}

/**
 * Lets a judge name faults of each run. Its answers are stored beside those of the models, and paid for once.
 * @returns why it stopped; undefined if it did not.
 */
async function judgeAll(
  tasks: readonly Task[],
  scores: Map<string, Score>,
  model: ModelSettings,
  { llm, out, folder, listPrices, signal }: EvaluationOptions,
  purse: Purse,
): Promise<string | undefined> {
  const file = join(out, 'answers', `judge_${model.model.replace(/[^\w.-]+/g, '_')}.jsonl`);
  const paid = paidModel(llm, file, purse, (one) => one.prices ?? listPrices(one));
  for (const { key, name } of tasks) {
    const score = scores.get(key);
    if (score === undefined) continue;
    const nonce = createHash('sha256').update(`judge ${key}`).digest('hex').slice(0, 12);
    try {
      signal.throwIfAborted();
      const judgement = await judgeRun(score, readTruth(folder, name), { llm: paid, model, nonce, signal });
      if (judgement !== undefined) scores.set(key, { ...score, judgement });
    } catch (error) {
      if (error instanceof BudgetUsedUp) return error.message;
      if (signal.aborted) return 'it was interrupted';
      throw error;
    }
  }
  return undefined;
}

function listEvaluationTasks({ folder, contestants, arms, repeats }: EvaluationOptions): Task[] {
  return contestants.flatMap((contestant) =>
    caseNames(folder).flatMap((name) => {
      const truth = readTruth(folder, name);
      return arms
        .filter((arm) => hasArm(truth, arm))
        .flatMap((arm) =>
          Array.from({ length: repeats }, (_, index) => {
            const repeat = index + 1;
            return { key: `${contestant.name} ${name} ${arm} ${repeat}`, contestant, name, arm, repeat };
          }),
        );
    }),
  );
}

async function runTask(task: Task, options: EvaluationOptions, purse: Purse): Promise<Score> {
  const { contestant, name, arm, repeat, key } = task;
  const [one, truth] = [readCase(options.folder, name), readTruth(options.folder, name)];
  const answers = join(options.out, 'answers', `${key.replace(/[^\w.-]+/g, '_')}.jsonl`);
  let fatal: unknown;
  const paid = paidModel(options.llm, answers, purse, (model) => model.prices ?? options.listPrices(model));
  const llm: LlmClient = {
    async generate(request, call) {
      if (fatal !== undefined) throw fatal;
      try {
        return await paid.generate(request, call);
      } catch (error) {
        if (!(error instanceof InquestError) || NO_ANSWER.has(error.code)) fatal = error;
        throw error;
      }
    },
  };
  const run = await runCase(one, {
    config: contestant.config,
    model: contestant.model,
    llm,
    listPrices: options.listPrices,
    tools: toolsOfArm(one, truth, arm),
    seed: key,
    signal: options.signal,
  });
  if (fatal !== undefined) throw fatal;
  const of = { model: contestant.name, case: name, arm, repeat };
  const { ms, usd } = paid.taken();
  return scoreRun(run, truth, of, { seconds: ms / 1_000, usd });
}
