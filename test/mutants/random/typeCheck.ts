// Finds mutants that the type check refuses: nobody could deploy them, so that no test has to notice them.

import { execFile } from 'node:child_process';
import { cpSync, existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { PlacedMutant, Position } from './instrument.ts';

const MODULES = fileURLToPath(new URL('../../../node_modules', import.meta.url));
const NOT_COPIED = /(^|\/)node_modules(\/|$)/;
/** Names that nothing reads any more are no error: who makes a change removes them, too. */
const OPTIONS = [
  '--noEmit',
  '--pretty',
  'false',
  '--noUnusedLocals',
  'false',
  '--noUnusedParameters',
  'false',
];

export interface TypeCheckOptions {
  /** The tree with the sources, which stays as it is. */
  root: string;
  /** A copy of the tree is kept below it. */
  state: string;
  signal: AbortSignal;
}

/**
 * Checks mutants of different files together.
 * @returns the ids of those that do not compile; of fewer when `signal` aborts.
 * @throws Error when the tree does not compile without a mutant.
 */
export async function findRefused(
  { root, state, signal }: TypeCheckOptions,
  mutants: readonly PlacedMutant[],
): Promise<Set<string>> {
  const copy = copyTree(root, join(state, 'types'));
  const check = async (group: readonly PlacedMutant[]): Promise<Set<string>> => {
    for (const mutant of group) writeFileSync(join(copy, mutant.file), applyMutant(root, mutant));
    const failing = await listFailingFiles(copy, signal);
    for (const { file } of group) writeFileSync(join(copy, file), readFileSync(join(root, file)));
    return failing;
  };
  const refused = new Set<string>();
  const alone: PlacedMutant[] = [];
  for (const group of groupByTurn(mutants)) {
    if (signal.aborted) return refused;
    const failing = await check(group);
    for (const { id, file } of group) if (failing.delete(file)) refused.add(id);
    // An error in another file is one of a mutant whose own file has none.
    if (failing.size > 0) alone.push(...group.filter(({ id }) => !refused.has(id)));
  }
  for (const mutant of alone) {
    if (signal.aborted) return refused;
    if ((await check([mutant])).size > 0) refused.add(mutant.id);
  }
  if (refused.size > 0 && (await check([])).size > 0) throw new Error(`${root} does not compile`);
  return refused;
}

function copyTree(root: string, copy: string): string {
  if (existsSync(copy)) return copy;
  cpSync(root, copy, { recursive: true, filter: (path) => !NOT_COPIED.test(path.slice(root.length)) });
  symlinkSync(MODULES, join(copy, 'node_modules'));
  return copy;
}

/** Groups in which each file has one mutant. */
function groupByTurn(mutants: readonly PlacedMutant[]): PlacedMutant[][] {
  const turns = new Map<string, number>();
  const takeTurn = ({ file }: PlacedMutant): number => {
    const turn = turns.get(file) ?? 0;
    turns.set(file, turn + 1);
    return turn;
  };
  return [...Map.groupBy(mutants, takeTurn).values()];
}

function applyMutant(root: string, { file, start, end, code }: PlacedMutant): string {
  const text = readFileSync(join(root, file), 'utf8');
  const lines = text.split('\n');
  const offsetAt = ({ line, column }: Position): number =>
    lines.slice(0, line).reduce((sum, { length }) => sum + length + 1, column);
  return text.slice(0, offsetAt(start)) + code + text.slice(offsetAt(end));
}

/** An `if` with an empty statement is refused, one without its statement is not. */
const ERROR = /^([^\s(]+)\(\d+,\d+\): error (?!TS1313:)/gm;

/** The files with an error, as paths below the tree. */
async function listFailingFiles(tree: string, signal: AbortSignal): Promise<Set<string>> {
  const compiler = join(MODULES, 'typescript/bin/tsc');
  const output = await new Promise<string>((resolve) => {
    const options = { cwd: tree, maxBuffer: 2 ** 28, signal };
    execFile(process.execPath, [compiler, ...OPTIONS], options, (_, text) => resolve(text));
  });
  return new Set([...output.matchAll(ERROR)].map(([, file = '']) => file));
}
