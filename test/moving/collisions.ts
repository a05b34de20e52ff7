// New names of symbols, and which of them would hide another name or be hidden by one.

import { lineAt } from './edits.ts';
import type { Repository } from './repository.ts';
import type { Occurrence } from './symbols.ts';

/** A new name of a symbol that is declared in a file. */
export interface Rename {
  /** A path, or `PATH:LINE` where the file declares the name several times. */
  file: string;
  old: string;
  new: string;
}

/** A rename and its symbol. */
export interface Planned extends Rename {
  symbol: string;
}

/** Names that stand already where a new name would: in the scope of a use, or used in a file as a global. */
export function findCollisions(
  repository: Repository,
  all: readonly Occurrence[],
  renames: ReadonlyMap<string, Planned>,
): string[] {
  const faults: string[] = [];
  const added = new Map<string, Planned>();
  for (const one of all) {
    const rename = one.symbol === undefined ? undefined : renames.get(one.symbol);
    if (rename === undefined || rename.old !== one.name || one.use === 'member' || one.use === 'pattern')
      continue;
    const refuse = (reason: string) =>
      faults.push(
        `${rename.file} ${rename.old}: ${reason} at ${one.file}:${lineAt(repository.read(one.file), one.start)}`,
      );
    const key = `${one.file} ${rename.new}`;
    const other = added.get(key);
    if (other !== undefined && other.symbol !== rename.symbol)
      refuse(`${other.old} gets the name ${rename.new} as well`);
    added.set(key, rename);
    const resolved = one.resolve(rename.new);
    if (resolved !== undefined && resolved !== rename.symbol && renames.get(resolved)?.old !== rename.new)
      refuse(`${rename.new} is another name`);
  }
  for (const one of all) {
    const rename = added.get(`${one.file} ${one.name}`);
    if (rename !== undefined && one.isGlobal && one.use !== 'member')
      faults.push(
        `${rename.file} ${rename.old}: ${one.file}:${lineAt(repository.read(one.file), one.start)} uses the global ${rename.new}`,
      );
  }
  return faults;
}
