// `bench`: runs a public benchmark as sessions, and counts right answers and verdicts.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Argument, type Command, Option } from 'commander';
import { answerTask } from '../../../shared/cases/bench/cloudOpsAnswer.ts';
import {
  type BenchFigures,
  runCloudOpsBench,
  sumBenchFigures,
} from '../../../shared/cases/bench/cloudOpsBench.ts';
import { writeConfig } from '../../../shared/cases/importers/importCases.ts';
import { loadSessionConfig } from '../../../shared/config/load.ts';
import { usdText } from '../../../shared/text/amounts.ts';
import { EXTENSION_NAMES } from '../../../shared/wiring/extensions.ts';
import { interruptSignal } from '../../process/interrupt.ts';
import { write } from '../../process/output.ts';
import { UsageError } from '../../process/usageError.ts';
import { amount, openModels, STOPPED } from './models.ts';

const HELP = `
Reads a checkout of the benchmark (github.com/LLM4Ops/Cloud-OpsBench), and connects to nothing but the model. A snapshot has no
earlier answers: the verdict contrasts by own times and recorded siblings only. The same command resumes a stopped run.
Exit codes: 0 complete; 1 a failure; 2 wrong usage; 4 stopped by --max-usd; 130 interrupted.`;

interface Options {
  data: string;
  model?: string;
  rules?: boolean;
  half?: 'even' | 'odd';
  system?: string;
  maxUsd?: number;
  out: string;
  json?: boolean;
}

/** Adds the command to the program. */
export function registerBench(program: Command): void {
  program
    .command('bench')
    .addArgument(new Argument('<benchmark>', 'the benchmark').choices(['cloud-opsbench']))
    .requiredOption('--data <folder>', 'the folder with its files')
    .option('--rules', 'the rule model, which costs nothing (default)')
    .addOption(new Option('--model <id>', 'a Google model').conflicts('rules'))
    .addOption(new Option('--half <half>', 'cases with even or odd numbers only').choices(['even', 'odd']))
    .option('--system <name>', 'cases of one system only: boutique, trainticket')
    .option('--max-usd <dollars>', 'the most that model calls can cost', amount)
    .option('--out <folder>', 'where runs and answers are stored', join('.inquest', 'bench'))
    .option('--json', 'print the runs as JSON')
    .addHelpText('after', HELP)
    .action(async (_: string, options: Options) => runBench(options));
}

async function runBench({ data, model, half, system, maxUsd, out, json }: Options): Promise<void> {
  if (!existsSync(data)) throw new UsageError(`there is no folder ${data}`);
  const folder = existsSync(join(data, 'benchmark')) ? join(data, 'benchmark') : data;
  const models = model === undefined ? undefined : { ...openModels(process.env), name: model };
  const config = join(out, 'config');
  writeConfig(config, ['cloudops'], answerTask());
  const signal = interruptSignal();
  const { runs, stopped } = await runCloudOpsBench({
    data: folder,
    out,
    config: loadSessionConfig(config, EXTENSION_NAMES),
    ...(models && { model: models }),
    ...(half && { half }),
    ...(system !== undefined && { system }),
    ...(maxUsd !== undefined && { maxUsd }),
    signal,
    onProgress: (done, all, usd) => {
      if (done % 20 === 0 || done === all)
        process.stderr.write(`${done} of ${all} cases, ${usdText(usd)} so far\n`);
    },
  });
  if (runs.length === 0 && stopped === undefined)
    throw new UsageError(`${data} has no such case of cloud-opsbench`);
  const figures = sumBenchFigures(runs);
  if (json) write(JSON.stringify({ version: 1, ...figures, runs }));
  else for (const line of figureLines(figures)) write(line);
  if (stopped === undefined) return;
  process.stderr.write(`inquest: stopped: ${stopped}. The same command resumes it.\n`);
  process.exitCode = signal.aborted ? 130 : STOPPED;
}

function figureLines(figures: BenchFigures): string[] {
  const { cases, exact, first, confirmed, wrong, verdicts, calls, seconds, usd } = figures;
  const percent = (share: number) => `${Math.round(share * 1_000) / 10} %`;
  const share = ({ value, low, high }: BenchFigures['exact']) =>
    `${percent(value)} (${percent(low)} to ${percent(high)})`;
  return [
    `${cases} cases: object and cause are exactly right in ${share(exact)}; A@1 of the paper ${first.value.toFixed(2)}`,
    `of the right answers ${share(confirmed)} are confirmed; of the confirmed ${share(wrong)} are wrong`,
    `verdicts: ${Object.entries(verdicts)
      .map(([verdict, count]) => `${verdict} ${count}`)
      .join(', ')}`,
    `${calls.toFixed(1)} calls a case, ${seconds.toFixed(0)} s, ${usd === null ? 'cost unknown' : usdText(usd)}`,
    'A snapshot has no earlier answers: contrast is by own times and recorded siblings only.',
  ];
}
