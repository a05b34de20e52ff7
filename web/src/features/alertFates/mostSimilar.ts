// The sessions into which a session can be merged.

import type { SessionRow } from '../../../../shared/lists/apiTypes.ts';

/**
 * The other investigations, those first whose titles share the most words with a title; in their order where
 * these are equal.
 * @param sessionId left out.
 */
export function mostSimilar<R extends Pick<SessionRow, 'sessionId' | 'title' | 'kind'>>(
  sessionId: string,
  title: string,
  rows: R[],
): R[] {
  const own = splitTitleWords(title);
  const score = (row: R) => {
    const words = splitTitleWords(row.title ?? '');
    const shared = [...words].filter((word) => own.has(word)).length;
    return shared / Math.max(1, words.size + own.size - shared);
  };
  return rows
    .filter((row) => row.sessionId !== sessionId && row.kind === 'investigation')
    .toSorted((a, b) => score(b) - score(a));
}

/** The id in a typed text: an id, or the address of a session's page. */
export const idIn = (typed: string): string =>
  (typed.trim().split('/s/').at(-1) ?? '').split(/[/?#]/, 1)[0] ?? '';

/** `CheckoutSlow` has two words. */
const splitTitleWords = (text: string): Set<string> =>
  new Set(
    text
      .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [],
  );
