// The files that new names of symbols change, and how. Names that hide others are refused.

import { findCollisions, type Planned, type Rename } from './collisions.ts';
import { addEdits, type Edit, type FileEdits, lineAt } from './edits.ts';
import { editMutants, type MutantText, type Words } from './mutantTexts.ts';
import type { Repository } from './repository.ts';
import { findOccurrences, type Occurrence, type Occurrences } from './symbols.ts';
import { editWords, type RenamedWords } from './words.ts';

/**
 * The edits of all files, the mutants that these change, and the mentions that are left.
 * @throws Error that lists every refused rename.
 */
export function planRename(
  repository: Repository,
  renames: readonly Rename[],
): { edits: FileEdits; mutants: MutantText[]; left: string[] } {
  const names = new Set(renames.flatMap(({ old, new: name }) => [old, name]));
  const found = findOccurrences(repository, names);
  try {
    const faults: string[] = [];
    const planned = renames.flatMap((rename) => findSymbol(repository, found, rename, faults));
    const bySymbol = new Map(planned.map((rename) => [rename.symbol, rename]));
    faults.push(...findCollisions(repository, found.all, bySymbol));
    if (faults.length > 0) throw new Error(`Nothing is renamed:\n${[...new Set(faults)].join('\n')}`);
    const edits: FileEdits = new Map();
    for (const occurrence of found.all) {
      const rename = occurrence.symbol === undefined ? undefined : bySymbol.get(occurrence.symbol);
      if (rename?.old === occurrence.name)
        addEdits(edits, occurrence.file, [editName(repository, occurrence, rename.new)]);
    }
    const words = wordsByFile(found, bySymbol);
    const left = editWords(repository, edits, words, new Set(renames.map(({ old }) => old)), found.known);
    return { edits, mutants: editMutants(repository, edits, words.files), left };
  } finally {
    found.close();
  }
}

/** The one symbol of a name in a file: that at the top of the file, else the only one. */
function findSymbol(
  repository: Repository,
  { all }: Occurrences,
  rename: Rename,
  faults: string[],
): Planned[] {
  const [, file = '', line] = /^(.*?)(?::(\d+))?$/.exec(rename.file) ?? [];
  const refuse = (reason: string): Planned[] => {
    faults.push(`${rename.file} ${rename.old}: ${reason}`);
    return [];
  };
  if (!repository.files.has(file)) return refuse('no such file');
  if (!/^[A-Za-z_$][\w$]*$/.test(rename.new)) return refuse(`"${rename.new}" is no name`);
  const declared = all.filter(
    (one) =>
      one.file === file &&
      one.name === rename.old &&
      one.declares !== undefined &&
      (line === undefined || lineAt(repository.read(file), one.start) === Number(line)),
  );
  const top = declared.filter(({ declares }) => declares === 'top');
  const symbols = new Set((top.length > 0 ? top : declared).map(({ symbol }) => symbol));
  const [symbol] = symbols;
  if (symbol === undefined) return refuse('not declared there');
  if (symbols.size > 1) return refuse('declared several times: write FILE:LINE');
  return [{ ...rename, symbol }];
}

function editName(repository: Repository, { file, start, end, name, use }: Occurrence, to: string): Edit {
  if (use === 'shorthand') return { start, end, text: `${name}: ${to}` };
  if (use === 'pattern') return { start, end, text: `${to}: ${name}` };
  const alias =
    use === 'member' ? new RegExp(`^ as ${to}\\b`).exec(repository.read(file).slice(end))?.[0] : undefined;
  return { start, end: end + (alias?.length ?? 0), text: to };
}

function wordsByFile({ all }: Occurrences, renames: ReadonlyMap<string, Planned>): RenamedWords {
  const files = new Map<string, Map<string, string | undefined>>();
  const everywhere = new Map<string, string | undefined>();
  const olds = new Set([...renames.values()].map(({ old }) => old));
  const note = (
    words: Map<string, string | undefined>,
    { name }: Occurrence,
    to: string | undefined,
  ): void => {
    words.set(name, words.has(name) && words.get(name) !== to ? undefined : to);
  };
  for (const one of all) {
    if (!olds.has(one.name)) continue;
    const rename = one.symbol === undefined ? undefined : renames.get(one.symbol);
    const to = rename?.old === one.name ? rename.new : undefined;
    const words = files.get(one.file) ?? new Map();
    files.set(one.file, words);
    note(words, one, to);
    note(everywhere, one, to);
  }
  const known = (words: Map<string, string | undefined>): Words =>
    new Map([...words].flatMap(([old, to]) => (to === undefined ? [] : [[old, to]])));
  return {
    files: new Map([...files].map(([file, words]) => [file, known(words)])),
    everywhere: known(everywhere),
  };
}
