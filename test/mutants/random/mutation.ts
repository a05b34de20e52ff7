// `npm run mutation`: changes places of the source at random, and measures how many of the changes a test
// detects. It works on a copy of the last commit; the working tree stays as it is.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command, InvalidArgumentError } from 'commander';
import { interruptSignal } from '../../../cli/process/interrupt.ts';
import { wholeNumber } from '../campaign.ts';
import { tryMutants } from './campaign.ts';
import { readEquivalents } from './equivalents.ts';
import { reportSample } from './report.ts';

const PROJECT = fileURLToPath(new URL('../../../', import.meta.url));
const FOLDERS = ['functions', 'shared'];
/** Mutated only where `--folder` names it or a part of it: the model of the page. */
const PAGE = 'web/src';

interface Options {
  sample: number;
  seed: number;
  folder?: string;
  commits?: number;
  nearest?: number;
  minutes?: number;
  jobs: number;
  cap: number;
  fresh?: boolean;
}

const options = new Command('mutation')
  .description(
    'Tries a random sample of the mutants of shared/ and functions/ at the last commit: changes one place of the source, runs ' +
      'the tests that reach it, and reports the rate of mutants that a test detects. A call with the same options and commit ' +
      'continues an interrupted one; with a larger cap it tries again what is not decided.',
  )
  .requiredOption('--sample <count>', 'how many mutants to try', wholeNumber)
  .requiredOption('--seed <number>', 'chooses the sample', wholeNumber)
  .option('--folder <path>', 'only files below this folder: shared/masking, or web/src', readFolder)
  .option('--commits <count>', 'only files that the last commits changed', wholeNumber)
  .option(
    '--nearest <count>',
    'how many files of tests run for a mutant at most, the nearest ones',
    wholeNumber,
  )
  .option('--minutes <count>', 'after which the mutants that were tried are reported', wholeNumber)
  .option('--jobs <count>', 'how many to try at the same time', wholeNumber, availableParallelism())
  .option(
    '--cap <seconds>',
    'how many seconds of the processor the tests of a mutant use at most',
    wholeNumber,
    60,
  )
  .option('--fresh', 'forget the results of earlier calls')
  .allowExcessArguments(false)
  .showHelpAfterError()
  .parse()
  .opts<Options>();

const signal = interruptSignal();
console.log(await measure(options));
if (signal.aborted) console.error('Interrupted. The same command continues.');

async function measure(asked: Options): Promise<string> {
  const { sample, seed, folder, commits, nearest, minutes, jobs, cap, fresh } = asked;
  const commit = readGit(['rev-parse', 'HEAD']).trim();
  const work = join(PROJECT, '.inquest/mutation', commit.slice(0, 12));
  const root = copyCommit(commit, work);
  const part = [folder?.replaceAll('/', '-') ?? 'all', commits ?? [], nearest ?? []].flat().join('-');
  const state = join(work, `${part}-sample-${sample}-seed-${seed}`);
  if (fresh) rmSync(state, { recursive: true, force: true });
  const end = await tryMutants({
    root,
    state,
    sample,
    seed,
    folders: listPlaces(root, folder, commits),
    equivalents: readEquivalents(),
    jobs,
    capMs: cap * 1000,
    nearest,
    onProgress: (line) => console.error(line),
    signal: AbortSignal.any([signal, AbortSignal.timeout((minutes ?? 60 * 24) * 60_000)]),
  });
  return `Commit ${commit.slice(0, 12)}, seed ${seed}, tests of at most ${cap} s of the processor for each mutant: ${reportSample(end)}`;
}

function readGit(args: string[]): string {
  return execFileSync('git', args, { cwd: PROJECT, encoding: 'utf8', maxBuffer: 2 ** 26 });
}

/** What is mutated: folders, or the files below them that the last commits changed and that still exist. */
function listPlaces(root: string, folder: string | undefined, commits: number | undefined): string[] {
  const folders = folder === undefined ? FOLDERS : [folder];
  if (commits === undefined) return folders;
  const changed = readGit(['log', `-${commits}`, '--format=', '--name-only', '--', ...folders]).split('\n');
  return [...new Set(changed)].filter((file) => file.endsWith('.ts') && existsSync(join(root, file)));
}

/** Copies a commit below `work`, once. @returns the folder of the copy. */
function copyCommit(commit: string, work: string): string {
  const root = join(work, 'tree');
  if (existsSync(root)) return root;
  const unfinished = join(work, 'unfinished');
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { recursive: true });
  const archive = execFileSync('git', ['archive', commit], { cwd: PROJECT, maxBuffer: 2 ** 30 });
  execFileSync('tar', ['-x', '-C', unfinished], { input: archive });
  symlinkSync(join(PROJECT, 'node_modules'), join(unfinished, 'node_modules'));
  renameSync(unfinished, root);
  return root;
}

/** @throws InvalidArgumentError if it is no folder with mutants. */
function readFolder(text: string): string {
  const path = text.replace(/^\.\/|\/+$/g, '');
  const allowed = [...FOLDERS, PAGE];
  if (!allowed.some((name) => `${path}/`.startsWith(`${name}/`)) || path.split('/').includes('..'))
    throw new InvalidArgumentError(`It must be ${allowed.join(' or ')}, or a folder below them.`);
  if (!existsSync(join(PROJECT, path))) throw new InvalidArgumentError('This folder does not exist.');
  return path;
}
