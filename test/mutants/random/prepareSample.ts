// Chooses the sample of a campaign and writes the instrumented text of its files, once.

import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { checkEquivalents, type Equivalent } from './equivalents.ts';
import { instrumentChosen, instrumentFiles, type PlacedMutant } from './instrument.ts';
import { chooseSample } from './sample.ts';

export interface SampleOptions {
  /** The tree with sources and tests. Nothing is written into it. */
  root: string;
  /** Where sample, baseline and results are kept. A call with the same folder continues there. */
  state: string;
  /** The size of the sample. */
  sample: number;
  seed: number;
  /** What is mutated, below the root: folders and files. */
  folders: readonly string[];
  /** Called with a line about each step. */
  onProgress: (line: string) => void;
}

/** The mutants of a sample, in random order, and the number of all mutants. */
export interface Sample {
  mutants: PlacedMutant[];
  all: number;
}

/**
 * Chooses the sample, at the first call with this state. The folder `instrumented` of the state has its files
 * afterwards.
 * @throws Error when the folders have no mutant.
 */
export async function prepareSample(options: SampleOptions): Promise<Sample> {
  const { root, state, sample, seed, folders, onProgress } = options;
  const stored = join(state, 'sample.json');
  if (existsSync(stored)) return JSON.parse(readFileSync(stored, 'utf8'));
  onProgress('The mutants are listed.');
  const { mutants: all } = await instrumentFiles(root, listSources(root, folders));
  if (all.length === 0) throw new Error(`${folders.join(' and ')}: no file with a mutant is there.`);
  const chosen = chooseSample(all, sample, seed);
  // The ids of the texts: the files of a run share one switch.
  const { mutants, texts } = await instrumentChosen(root, chosen);
  for (const [file, text] of texts) {
    const path = join(state, 'instrumented', file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  const result = { mutants, all: all.length };
  writeFileSync(stored, JSON.stringify(result));
  return result;
}

/** Hooks and code that uses the document: only tests in a browser run them. */
const ON_PAGE = /\buse[A-Z]\w*\(|\b(document|localStorage|location)\./;

/** Lists the sources below folders: of `web/` its model, which are the files that need no browser. */
export function listSources(root: string, folders: readonly string[]): string[] {
  const globs = folders.map((path) => (path.endsWith('.ts') ? path : `${path}/**/*.ts`));
  const isSource = (file: string): boolean =>
    !/\.(test|fixture|d)\.ts$|(^|\/)fixtures\//.test(file) &&
    !(file.startsWith('web/') && ON_PAGE.test(readFileSync(join(root, file), 'utf8')));
  return globSync(globs, { cwd: root }).filter(isSource).sort();
}

/** Checks the list of equivalent mutants against a tree. @throws the error of `checkEquivalents`. */
export async function checkList(root: string, entries: readonly Equivalent[]): Promise<void> {
  const files = [...new Set(entries.map(({ file }) => file))].filter((file) => existsSync(join(root, file)));
  checkEquivalents(entries, (await instrumentFiles(root, files)).mutants);
}
