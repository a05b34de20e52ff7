// Stores a runbook and replaces the one with the same key. Existing sessions keep their copy.

import { saveDocument } from '../../core/contract/store.ts';
import type { AlertDeps } from '../../core/kernel/deps.ts';
import { RACE_LOST, retryLostRaces, SESSION_RACES } from '../../core/kernel/documents/retryConflict.ts';
import { cleanText } from '../../masking/cleanText.ts';
import { type Runbook, runbookType } from './runbook.ts';

/** The result: `unchanged` if the same text was stored already. */
type PutOutcome = 'created' | 'replaced' | 'unchanged';

/**
 * Masks the secrets in the text, those that this process knows and those that rules find, and stores it.
 * @throws RetryableError when other writers keep changing it, or the store fails; TerminalError
 *   `DOCUMENT_INVALID` for a stored one that cannot be read.
 */
export async function putRunbook(
  { key, text, by }: { key: string; text: string; by: string },
  { store, clock, maskerFor }: Pick<AlertDeps, 'store' | 'clock' | 'maskerFor'>,
): Promise<PutOutcome> {
  // The marks belong to no session; the key makes them differ from the marks of all sessions.
  const masked = cleanText(maskerFor('0'.repeat(32)), text).text;
  const path = runbookType.paths.runbook(key);
  return retryLostRaces<PutOutcome>(`runbook ${key}`, SESSION_RACES, async () => {
    const stored = await store.get(path, runbookType);
    if (stored?.value.text === masked) return 'unchanged';
    const runbook: Runbook = { key, text: masked, updatedBy: by, updatedAt: clock.now() };
    const write = saveDocument(path, runbookType, runbook, stored?.version);
    const { ok } = await store.commit([write]);
    if (!ok) return RACE_LOST;
    return stored === undefined ? 'created' : 'replaced';
  });
}
