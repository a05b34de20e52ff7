// The reviews of the sessions of the last days, page by page.

import { type ReadonlySignal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { SessionReviews } from '../../../shared/api/types.ts';
import { getJson } from '../api/client.ts';

/** Pages that are read, as many as of usage: each reads 100 sessions. */
const MAX_PAGES = 5;

/** Undefined until they are read, and when they cannot be read: usage is shown without them. */
export function useReviews(days: number): ReadonlySignal<readonly SessionReviews[] | undefined> {
  const reviews = useSignal<readonly SessionReviews[] | undefined>(undefined);
  useEffect(() => {
    const left = new AbortController();
    reviews.value = undefined;
    readReviews(days, left.signal).then(
      (read) => {
        reviews.value = read;
      },
      () => undefined,
    );
    return () => left.abort();
  }, [days]);
  return reviews;
}

async function readReviews(days: number, left: AbortSignal): Promise<SessionReviews[]> {
  const found: SessionReviews[] = [];
  let after = '';
  for (let page = 0; page < MAX_PAGES; page++) {
    const path = `/v1/reviews?days=${days}${after}`;
    const read = await getJson<{ reviews: SessionReviews[]; next: string | null }>(path, left);
    found.push(...read.reviews);
    if (read.next === null) break;
    after = `&after=${encodeURIComponent(read.next)}`;
  }
  return found;
}
