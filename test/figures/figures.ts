// `npm run figures`: size, structure and language of the production code.
// `npm run figures -- --words [PATH]` lists the words of `dialect.ts` with file and line; `--check` fails above the budget.

import { DIALECT_BUDGET, dialectHits } from './dialect.ts';
import { productionSources, type Source } from './sources.ts';
import {
  countCasts,
  functionNames,
  interfaceMembers,
  mutualFolderPairs,
  smallFilesWithOneUser,
} from './structure.ts';

/** What an investigation needs, features and engines apart. */
const CORE = /^shared\/(?:runtime\/(?:kernel|iteration|stage|session|intake|rescue)|controller|schema)\//;

const linesOf = (sources: readonly Source[]): number => sources.reduce((sum, { lines }) => sum + lines, 0);

const perThousand = (count: number, sources: readonly Source[]): string =>
  ((count * 1_000) / linesOf(sources)).toFixed(1);

const share = (part: number, all: number): string => `${((100 * part) / all).toFixed(0)} %`;

/** Prints one line per figure. */
function printFigures(sources: readonly Source[]): void {
  const rows: [string, string][] = [
    ['production files', `${sources.length}`],
    ['production lines', `${linesOf(sources)}`],
    ['lines of the core', `${linesOf(sources.filter(({ file }) => CORE.test(file)))}`],
    ['words of dialect per 1,000 lines', perThousand(dialectHits(sources).length, sources)],
  ];
  const names = sources.map(functionNames);
  const all = names.flatMap((found) => found.all);
  rows.push([
    'functions with a one-word name',
    share(names.flatMap((found) => found.oneWord).length, all.length),
  ]);
  const members = sources.filter(({ file }) => !file.startsWith('web/')).map(interfaceMembers);
  const count = (key: 'all' | 'documented') => members.reduce((sum, found) => sum + found[key], 0);
  rows.push(['documented interface members, without web/', share(count('documented'), count('all'))]);
  for (const room of ['web/', 'local/']) {
    const own = sources.filter(({ file }) => file.startsWith(room));
    const casts = own.reduce((sum, source) => sum + countCasts(source), 0);
    rows.push([`casts per 1,000 lines of ${room}`, perThousand(casts, own)]);
  }
  const pairs = mutualFolderPairs(sources);
  rows.push(['pairs of folders that import each other', `${pairs.length}`]);
  rows.push(['files under 40 lines with one user', `${smallFilesWithOneUser(sources).length}`]);
  for (const [name, value] of rows) console.log(`${value.padStart(8)}  ${name}`);
  for (const pair of pairs) console.log(`          ${pair}`);
}

/** Lists the words below a path, and their count. */
function printWords(sources: readonly Source[], below: string): void {
  const own = sources.filter(({ file }) => file.startsWith(below));
  const hits = dialectHits(own);
  for (const { file, line, pattern, text } of hits) console.log(`${file}:${line}  ${pattern}: ${text}`);
  console.log(`${hits.length} in ${linesOf(own)} lines: ${perThousand(hits.length, own)} per 1,000.`);
}

/** Fails when the words exceed their budget. */
function checkWords(sources: readonly Source[]): void {
  const found = Number(perThousand(dialectHits(sources).length, sources));
  if (found <= DIALECT_BUDGET) return;
  console.error(
    `The code has ${found} words of dialect per 1,000 lines, more than ${DIALECT_BUDGET}. ` +
      `"npm run figures -- --words PATH" lists them; CONTRIBUTING.md names the words to use.`,
  );
  process.exitCode = 1;
}

const [flag, below = ''] = process.argv.slice(2);
const sources = productionSources();
if (flag === '--words') printWords(sources, below);
else if (flag === '--check') checkWords(sources);
else printFigures(sources);
