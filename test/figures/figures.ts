// `npm run figures`: size, structure and language of the production code.
// `npm run figures -- --words [PATH]` lists the words of `dialect.ts` with file and line; `--check` fails
// above the budget. `--wrap` wraps long comments of all tracked sources, tests included.
// `--undocumented`, `--one-word`, `--casts` and `--small`, with an optional path, list the places of the
// other figures.

import { readFileSync, writeFileSync } from 'node:fs';
import { Command } from 'commander';
import { DIALECT_BUDGET, dialectHits, lineAt } from './dialect.ts';
import { otherSources, productionSources, type Source, trackedFiles } from './sources.ts';
import {
  casts,
  exportsWithoutImporter,
  functionNames,
  interfaceMembers,
  mutualFolderPairs,
  smallFilesWithOneUser,
} from './structure.ts';
import { longComments, MAX_COMMENT, wrapComments } from './wrapComments.ts';

/** The protocol, which knows no feature. */
const CORE = /^shared\/core\//;
/** The most lines of the core: it only falls. What a feature needs belongs to the feature. */
const CORE_BUDGET = 17_000;
/** Texts and formats that know no document. */
const TEXT = /^shared\/text\//;
/** The most lines of `shared/text/`: it is no place for what the core may not import. */
const TEXT_BUDGET = 4_100;

/** Maximum exports without importer. `knip` accepts those that their own file uses. */
const UNUSED_EXPORTS = 10;

const linesOf = (sources: readonly Source[]): number => sources.reduce((sum, { lines }) => sum + lines, 0);

const linesBelow = (folder: RegExp, sources: readonly Source[]): number =>
  linesOf(sources.filter(({ file }) => folder.test(file)));

const perThousand = (count: number, sources: readonly Source[]): string =>
  ((count * 1_000) / linesOf(sources)).toFixed(1);

const share = (part: number, all: number): string => `${((100 * part) / all).toFixed(0)} %`;

/** Prints one line per figure. */
function printFigures(sources: readonly Source[]): void {
  const rows: [string, string][] = [
    ['production files', `${sources.length}`],
    ['production lines', `${linesOf(sources)}`],
    ['lines of the core', `${linesBelow(CORE, sources)}`],
    ['words of dialect per 1,000 lines', perThousand(dialectHits(sources).length, sources)],
  ];
  const names = sources.map(functionNames);
  const functions = names.reduce((sum, { all }) => sum + all, 0);
  rows.push([
    'functions with a one-word name',
    share(names.flatMap(({ oneWord }) => oneWord).length, functions),
  ]);
  const found = sources.filter(({ file }) => !file.startsWith('web/')).map(interfaceMembers);
  const members = found.reduce((sum, { all }) => sum + all, 0);
  const documented = members - found.flatMap(({ undocumented }) => undocumented).length;
  rows.push(['documented interface members, without web/', share(documented, members)]);
  for (const room of ['web/', 'local/', 'packages/']) {
    const own = sources.filter(({ file }) => file.startsWith(room));
    rows.push([`casts per 1,000 lines of ${room}`, perThousand(own.flatMap(casts).length, own)]);
  }
  const pairs = mutualFolderPairs(sources);
  rows.push(['pairs of folders that import each other', `${pairs.length}`]);
  rows.push(['files under 40 lines with one user', `${smallFilesWithOneUser(sources).length}`]);
  rows.push([
    'exports that no other file imports',
    `${exportsWithoutImporter(sources, otherSources()).length}`,
  ]);
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

/** Lists the places that a figure counts below a path, one line per place, and their count. */
function printPlaces(
  sources: readonly Source[],
  below: string,
  placesOf: (source: Source) => readonly number[],
): void {
  let count = 0;
  for (const source of sources.filter(({ file }) => file.startsWith(below)))
    for (const start of placesOf(source)) {
      const [code = ''] = source.text.slice(start, start + 80).split('\n');
      console.log(`${source.file}:${lineAt(source.text, start)}  ${code}`);
      count++;
    }
  console.log(`${count} places.`);
}

/** Fails when the words, the lines of the core or the exports without a user exceed their budget. */
function checkBudgets(sources: readonly Source[]): void {
  checkComments();
  const unused = exportsWithoutImporter(sources, otherSources());
  if (unused.length > UNUSED_EXPORTS) {
    console.error(`No other file imports these; remove "export":\n${unused.join('\n')}`);
    process.exitCode = 1;
  }
  for (const [name, folder, budget] of [
    ['shared/core/', CORE, CORE_BUDGET],
    ['shared/text/', TEXT, TEXT_BUDGET],
  ] as const) {
    const lines = linesBelow(folder, sources);
    if (lines <= budget) continue;
    console.error(`${name} has ${lines} lines, more than ${budget}: move what one room uses to that room.`);
    process.exitCode = 1;
  }
  const found = Number(perThousand(dialectHits(sources).length, sources));
  if (found <= DIALECT_BUDGET) return;
  console.error(
    `The code has ${found} words of dialect per 1,000 lines, more than ${DIALECT_BUDGET}. ` +
      `"npm run figures -- --words PATH" lists them; CONTRIBUTING.md names the words to use.`,
  );
  process.exitCode = 1;
}

/** Fails when a line of a comment is too long. */
function checkComments(): void {
  const long = trackedFiles().flatMap((file) =>
    longComments(file, readFileSync(file, 'utf8')).map((line) => `${file}:${line + 1}`),
  );
  if (long.length === 0) return;
  console.error(
    `${long.length} lines of comments have more than ${MAX_COMMENT} characters: "npm run figures -- --wrap" wraps them.`,
  );
  for (const place of long.slice(0, 20)) console.error(`  ${place}`);
  process.exitCode = 1;
}

function wrapAll(): void {
  for (const file of trackedFiles()) {
    const text = readFileSync(file, 'utf8');
    const wrapped = wrapComments(file, text);
    if (wrapped !== text) writeFileSync(file, wrapped);
  }
}

const program = new Command('figures')
  .description('Prints size, structure and language of the production code.')
  .argument('[path]', 'with an option that lists places: only below this path')
  .option('--words', 'list the words that CONTRIBUTING.md replaces')
  .option(
    '--check',
    'fail when the words, the lines of the core or exports without a user exceed their budget, or a comment is too long',
  )
  .option('--wrap', `wrap comments of more than ${MAX_COMMENT} characters a line`)
  .option('--undocumented', 'list members of interfaces without a comment')
  .option('--one-word', 'list functions with a name of one word')
  .option('--casts', 'list casts')
  .option('--small', 'list files under 40 lines with one user')
  .parse();
const below = program.args[0] ?? '';
const options = program.opts<Record<string, true>>();
const sources = productionSources();
if (options.words) printWords(sources, below);
else if (options.wrap) wrapAll();
else if (options.check) checkBudgets(sources);
else if (options.undocumented) printPlaces(sources, below, (source) => interfaceMembers(source).undocumented);
else if (options.oneWord) printPlaces(sources, below, (source) => functionNames(source).oneWord);
else if (options.casts) printPlaces(sources, below, casts);
else if (options.small)
  console.log(
    smallFilesWithOneUser(sources)
      .filter((file) => file.startsWith(below))
      .join('\n'),
  );
else printFigures(sources);
