// `evaluate`: investigates every case of a folder with one or more models, and scores them.

import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { realModel } from '../../../local/model.ts';
import { casesWithSharedTitles, SCRIPTED_MODELS, scriptOfCases } from '../../../local/scriptedCases.ts';
import { startScriptedModel } from '../../../local/scriptedModel/startScriptedModel.ts';
import { ARMS, type Arm } from '../../../shared/cases/caseTools.ts';
import { checkCases } from '../../../shared/cases/checkCases.ts';
import { type Contestant, evaluate } from '../../../shared/cases/evaluate.ts';
import { faultCounts } from '../../../shared/cases/judge.ts';
import { reportHtml } from '../../../shared/cases/reportHtml.ts';
import { MIN_RANKED, type Row, type Score, summarizeScores } from '../../../shared/cases/score.ts';
import { loadSessionConfig } from '../../../shared/config/load.ts';
import { createLlmClient } from '../../../shared/llm/chooseClient.ts';
import { findListPrices } from '../../../shared/llm/listPrices.ts';
import { usdText } from '../../../shared/text/amounts.ts';
import { MODEL_CLIENTS } from '../../../shared/wiring/extensionParts.ts';
import { EXTENSION_NAMES } from '../../../shared/wiring/extensions.ts';
import { interruptSignal } from '../../process/interrupt.ts';
import { report, write } from '../../process/output.ts';
import { UsageError } from '../../process/usageError.ts';
import { amount, positive, STOPPED } from './models.ts';

const HELP = `
A case is a folder with case.yaml (the alert, the tools with recorded answers) and truth.yaml (docs/evaluation.md). Nothing is
connected: every tool answers from the case. Without a key of a model, scripted models show what the scores tell apart.
The same command resumes a stopped evaluation: stored answers are never paid for again. Writes report.json and report.html.
Exit codes: 0 complete; 1 a failure; 2 wrong usage; 4 stopped by --max-usd; 130 interrupted.`;

interface Options {
  config: string[];
  models?: string[];
  arms: Arm[];
  repeats?: number;
  maxUsd?: number;
  judge?: string;
  out?: string;
  json?: boolean;
}

/** Adds the command to the program. */
export function registerEvaluate(program: Command): void {
  program
    .command('evaluate')
    .argument('<folder>', 'the folder of the cases')
    .option(
      '--config <folder...>',
      'configurations to compare (default: the folder config/ of the cases)',
      [],
    )
    .option(
      '--models <names>',
      'ids of models, separated by commas (default: those of the configuration)',
      splitNames,
    )
    .option('--arms <names>', `arms, separated by commas (default: ${ARMS.join(',')})`, readArms, [...ARMS])
    .option('--repeats <number>', 'runs of each case (default: 3, with scripted models 1)', positive)
    .option('--max-usd <dollars>', 'the most that model calls can cost', amount)
    .option(
      '--judge <model>',
      'a Google model that names faults of each run, for trends; no score depends on it',
    )
    .option('--out <folder>', 'where answers, scores and reports are stored (default: .inquest/evaluation)')
    .option('--json', 'print the report as JSON')
    .addHelpText('after', HELP)
    .action(runEvaluation);
}

async function runEvaluation(folder: string, options: Options): Promise<void> {
  const signal = interruptSignal();
  const isScripted =
    realModel(process.env) === undefined ||
    options.models?.every((one) => SCRIPTED_MODELS.includes(one)) === true;
  if (isScripted && options.judge !== undefined)
    throw new UsageError('--judge asks a real model; set GEMINI_API_KEY, and name the models with --models');
  for (const note of checkCases(folder)) report(`note: ${note}`);
  if (isScripted) reportSharedTitles(folder);
  const scripted = isScripted ? await startScriptedModel({ script: scriptOfCases(folder) }) : undefined;
  const env = scripted
    ? { ...process.env, GOOGLE_GEMINI_BASE_URL: scripted.url, GEMINI_API_KEY: 'no-key-is-needed' }
    : process.env;
  const out = options.out ?? join('.inquest', 'evaluation');
  try {
    const result = await evaluate({
      folder,
      out,
      signal,
      arms: options.arms,
      maxUsd: options.maxUsd,
      contestants: listContestants(folder, options, isScripted),
      repeats: options.repeats ?? (isScripted ? 1 : 3),
      judge:
        options.judge === undefined
          ? undefined
          : { provider: 'google', model: options.judge, includeThoughts: false },
      llm: createLlmClient({ env, clients: MODEL_CLIENTS, log: () => {} }),
      listPrices: (model) => (isScripted ? FREE : findListPrices(model)),
      onProgress: (done, all, usd) => {
        if (done % 20 === 0 || done === all)
          process.stderr.write(`${done} of ${all} runs, ${usdText(usd)} so far\n`);
      },
    });
    const evaluated = { version: 1, ...summarizeScores(result.scores), ...result };
    writeFileSync(join(out, 'report.json'), `${JSON.stringify(evaluated, null, 1)}\n`);
    writeFileSync(join(out, 'report.html'), reportHtml(evaluated));
    if (options.json) write(JSON.stringify(evaluated));
    else for (const line of reportLines(evaluated, out)) write(line);
    if (result.stopped !== undefined) {
      process.stderr.write(`inquest: stopped: ${result.stopped}. The same command resumes it.\n`);
      process.exitCode = signal.aborted ? 130 : STOPPED;
    }
  } finally {
    await scripted?.stop();
  }
}

/** Scripted models know a case by the title of its alert. */
function reportSharedTitles(folder: string): void {
  const shared = casesWithSharedTitles(folder);
  if (shared === 0) return;
  report(
    `note: ${shared} cases have the title of another one, by which scripted models know a case: their scores are those of the other`,
  );
}

const FREE = [{ from: '2020-01-01', input: 0, cached: 0, output: 0 }];

function listContestants(folder: string, { config, models }: Options, isScripted: boolean): Contestant[] {
  const own = join(folder, 'config');
  if (config.length === 0 && !existsSync(own))
    throw new UsageError(`${folder} has no configuration config/; name one with --config`);
  const folders = config.length > 0 ? config : [own];
  const ids = models ?? (isScripted ? SCRIPTED_MODELS : undefined);
  return folders.flatMap((path): Contestant[] => {
    const loaded = loadSessionConfig(path, EXTENSION_NAMES);
    if (Object.values(loaded.chains).every(({ claims }) => claims === undefined))
      report(
        `note: no chain of ${path} keeps a ledger, so no cause is ever named; set \`ledger: on\` in chains.yaml`,
      );
    const suffix = folders.length > 1 ? ` (${path})` : '';
    if (ids === undefined) return [{ name: `configured${suffix}`, config: loaded }];
    return ids.map((model) => ({ name: `${model}${suffix}`, config: loaded, model }));
  });
}

/** Characters of the name of a model in the table. */
const NAME_WIDTH = 24;

/** The result in a sentence, the table in at most 100 columns, and its limits. */
function reportLines(
  report: ReturnType<typeof summarizeScores> & { scores: readonly Score[] },
  out: string,
): string[] {
  const arms = ARMS.filter((arm) => report.rows.some((row) => row.arm === arm));
  const rows = [...Map.groupBy(report.rows, ({ model }) => model)].map(([model, own]) => {
    const of = (arm: Arm) => own.find((row) => row.arm === arm);
    const { value, low, high } = (of('base') ?? own[0])?.right ?? { value: 0, low: 0, high: 0 };
    const costs = own.map(({ usd }) => usd);
    return [
      model.length > NAME_WIDTH ? `${model.slice(0, NAME_WIDTH - 1)}…` : model,
      ...arms.map((arm) => of(arm)?.score.toFixed(2) ?? '-'),
      `${whole(value)} (${whole(low)}-${whole(high)})`,
      String(Math.round(own.reduce((sum, row) => sum + row.falseConfirmed.value * row.cases, 0))),
      costs.includes(null) ? '-' : costs.reduce<number>((sum, usd) => sum + (usd ?? 0), 0).toFixed(2),
    ];
  });
  const head = ['score in arm:', ...arms, 'right %', 'false', 'USD'];
  const differences = report.comparisons
    .slice(0, SHOWN)
    .map(({ one, other, cases, score }) =>
      score === null
        ? `${one} - ${other}: no interval of ${cases} cases; it takes 2`
        : `${one} - ${other}: ${score.value.toFixed(2)} (${score.low.toFixed(2)} to ${score.high.toFixed(2)}), ${cases} cases`,
    );
  const hidden = report.comparisons.length - differences.length;
  const cases = Math.max(0, ...report.rows.map((row) => row.cases));
  return [
    describeBestModel(report.rows),
    '',
    ...alignColumns([head, ...rows]),
    'right: in the first arm; false: wrong causes confirmed in all arms. The report has more columns.',
    ...(differences.length > 0
      ? ['', 'differences of the score, arm base, with 95 % of a paired bootstrap:']
      : []),
    ...differences,
    ...(hidden > 0 ? [`${hidden} more in the report`] : []),
    ...faultLines(report.scores),
    ...(cases < MIN_RANKED ? ['', `${cases} cases are too few for a ranking; it takes ${MIN_RANKED}.`] : []),
    '',
    `report: ${join(out, 'report.html')}`,
  ];
}

/** The best model of the arm base. */
function describeBestModel(rows: readonly Row[]): string {
  const base = rows.filter(({ arm }) => arm === 'base');
  const best = base.reduce<Row | undefined>(
    (one, other) => (one && one.score >= other.score ? one : other),
    undefined,
  );
  if (best === undefined) return 'No run in the arm base.';
  const right = Math.round(best.right.value * best.cases);
  const wrong = Math.round(best.falseConfirmed.value * best.cases);
  return `${best.model} scores highest of ${base.length} (${best.score.toFixed(2)}): right in ${right} of ${best.cases} cases, ${wrong} wrong causes confirmed.`;
}

/** The faults that a judge named. */
function faultLines(scores: readonly Score[]): string[] {
  const counts = faultCounts(scores).map(({ model, judged, faults }) => {
    const named = Object.entries(faults).filter(([, count]) => count > 0);
    return `${model}: ${named.map(([fault, count]) => `${fault} ${count}`).join(', ') || 'none'} in ${judged} runs`;
  });
  return counts.length === 0 ? [] : ['', 'faults that the judge named, for trends only:', ...counts];
}

/** Columns with two spaces between them. */
function alignColumns(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

/** Differences between models that are printed; the report has all. */
const SHOWN = 10;

const whole = (share: number): string => String(Math.round(share * 100));

function splitNames(text: string): string[] {
  return text.split(',').map((one) => one.trim());
}

function readArms(text: string): Arm[] {
  return splitNames(text).map((one) => {
    const arm = ARMS.find((known) => known === one);
    if (arm === undefined)
      throw new InvalidArgumentError(`"${one}" is no arm; it is one of ${ARMS.join(', ')}`);
    return arm;
  });
}
