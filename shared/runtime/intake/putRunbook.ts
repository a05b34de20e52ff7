// Stores a runbook, in the place of the one with the same key. Sessions that exist keep what they have.

import { create, replace } from '../../contract/store.ts';
import { cleanText } from '../../masking/cleanText.ts';
import { paths, runbookType } from '../../schema/documents.ts';
import type { Runbook } from '../../schema/runbook.ts';
import type { AlertDeps } from '../kernel/deps.ts';
import { RACE_LOST, retryLostRaces, SESSION_RACES } from '../kernel/documents/races.ts';

/** What became of it: `unchanged` when the same text was there. */
export type PutOutcome = 'created' | 'replaced' | 'unchanged';

/**
 * Stores the text without the secrets that this process knows or rules find.
 * @throws RetryableError when other writers keep changing it, or the store fails; TerminalError `DOCUMENT_INVALID` for a
 *   stored one that cannot be read.
 */
export async function putRunbook(
  { key, text, by }: { key: string; text: string; by: string },
  { store, clock, maskerFor }: Pick<AlertDeps, 'store' | 'clock' | 'maskerFor'>,
): Promise<PutOutcome> {
  // Its marks belong to no session; the key only makes them differ from those of one.
  const masked = cleanText(maskerFor('0'.repeat(32)), text).text;
  const path = paths.runbook(key);
  return retryLostRaces<PutOutcome>(`runbook ${key}`, SESSION_RACES, async () => {
    const stored = await store.get(path, runbookType);
    if (stored?.value.text === masked) return 'unchanged';
    const runbook: Runbook = { key, text: masked, updatedBy: by, updatedAt: clock.now() };
    const write =
      stored === undefined
        ? create(path, runbookType, runbook)
        : replace(path, runbookType, runbook, stored.version);
    const { ok } = await store.commit([write]);
    if (!ok) return RACE_LOST;
    return stored === undefined ? 'created' : 'replaced';
  });
}
