// Follows the links of entries, breadth first.

import type { Knowledge } from './knowledge.ts';
import type { RemQuery } from './parseQuery.ts';

/** An entry that a link leads to. */
interface Reached {
  /** The whole entry. */
  entry: Knowledge;
  /** Links from the first entry. */
  depth: number;
  /** The entry whose link was followed first, and the type of that link; null for the first entry. */
  via: { key: string; type: string | null } | null;
}

/** The entries that an entry links to, directly or indirectly. */
export interface Traversal {
  /** The key of the first entry, as the query has it. */
  key: string;
  /** Links that are followed at most from the first entry; 0 only plans. */
  depth: number;
  /** In the order in which they were reached, each once; empty when there is no first entry. */
  reached: Reached[];
  /** Links that were not followed: of a plan, or of the deepest entries. */
  open: { from: string; key: string; type: string | null }[];
  /** Keys that links name and that are not there. */
  missing: string[];
  /** Whether there were more entries than are read. */
  isCut: boolean;
}

/** Entries of one traversal. */
const MAX_NODES = 100;

/**
 * Reads level after level. An entry that was reached already is not read again, so that circles end.
 * @param read gives the entry of a key; undefined when there is none.
 */
export async function traverseLinks(
  { key, depth, types }: Extract<RemQuery, { verb: 'traverse' }>,
  read: (key: string) => Promise<Knowledge | undefined>,
): Promise<Traversal> {
  const traversal: Traversal = { key, depth, reached: [], open: [], missing: [], isCut: false };
  const seen = new Set([key]);
  let level: { key: string; via: Reached['via'] }[] = [{ key, via: null }];
  for (let distance = 0; level.length > 0; distance++) {
    const entries = await Promise.all(level.map((one) => read(one.key)));
    const found: Knowledge[] = [];
    for (const [index, { key: wanted, via }] of level.entries()) {
      const entry = entries[index];
      if (entry === undefined) traversal.missing.push(wanted);
      else {
        traversal.reached.push({ entry, depth: distance, via });
        found.push(entry);
      }
    }
    const links = found.flatMap((entry) =>
      entry.links
        .filter(({ type }) => types.length === 0 || (type !== null && types.includes(type)))
        .map((link) => ({ from: entry.key, ...link })),
    );
    const fresh = firstOfEach(links.filter((link) => !seen.has(link.key)));
    if (distance === depth) return { ...traversal, open: fresh };
    const room = MAX_NODES - seen.size;
    traversal.isCut ||= fresh.length > room;
    level = fresh
      .slice(0, room)
      .map(({ from, key: next, type }) => ({ key: next, via: { key: from, type } }));
    for (const { key: next } of level) seen.add(next);
  }
  return traversal;
}

/** Of several links to the same entry the first. */
function firstOfEach<T extends { key: string }>(links: T[]): T[] {
  return [...new Map(links.toReversed().map((link) => [link.key, link])).values()].toReversed();
}
