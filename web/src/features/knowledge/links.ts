// The entries around an entry.

import type { KnowledgeRow } from '../../../../shared/lists/apiTypes.ts';

type Linking = Pick<KnowledgeRow, 'key' | 'title' | 'links'>;

/** A link, with the entry at its other end if that is known. */
export interface LinkedEntry {
  key: string;
  type: string | null;
  /** Undefined for an entry that is not listed. */
  title: string | undefined;
  isMissing: boolean;
}

/** Where an entry's links lead. @param isWhole Whether the list has all: others are missing. */
export function linksFrom(
  { links }: Pick<Linking, 'links'>,
  all: readonly Linking[],
  isWhole: boolean,
): LinkedEntry[] {
  const titles = new Map(all.map(({ key, title }) => [key, title]));
  return links.map(({ key, type }) => ({
    key,
    type,
    title: titles.get(key),
    isMissing: isWhole && !titles.has(key),
  }));
}

/** The entries whose links lead to a key, one row for each link. */
export function linksTo(key: string, all: readonly Linking[]): LinkedEntry[] {
  return all.flatMap((entry) =>
    entry.links
      .filter((link) => link.key === key && entry.key !== key)
      .map(({ type }) => ({ key: entry.key, type, title: entry.title, isMissing: false })),
  );
}
