// The fate of an alert that the API does not publish. A flood of them leaves a limited number of documents:
// each minute has some places, and the first alert at a place keeps it.

import { createHash } from 'node:crypto';
import { alertFateType } from '../../../alerts/schema/alertFate.ts';
import { createDocument } from '../../../core/contract/store.ts';
import type { TerminalError } from '../../../core/errors.ts';
import type { StateDeps } from '../../../core/kernel/deps.ts';
import { documentTitle } from '../../../core/schema/documentTitle.ts';
import { quoteText } from '../../../text/cut.ts';
import { makeVisible } from '../../../text/hiddenCharacters.ts';
import { fateId } from '../../alerts/fates/fateId.ts';

const KEEP_MS = 30 * 24 * 3600 * 1000;
const MINUTE_MS = 60_000;
/** Refused alerts of a tenant that are kept for each minute. */
const PLACES = 10;
const MAX_EXCERPT = 200;
const MAX_REASON = 1_000;

interface RefusedAlert {
  tenantId: string;
  /** The name of the caller. */
  caller: string;
  data: Uint8Array;
  error: Pick<TerminalError, 'code' | 'message'>;
}

/**
 * Stores the fate of a refused alert.
 * @param deps.mask removes secrets from a text.
 * @throws RetryableError when the store fails.
 */
export async function storeRefusedFate(
  { tenantId, caller, data, error: { code, message } }: RefusedAlert,
  { store, clock, mask }: Pick<StateDeps, 'store' | 'clock'> & { mask(text: string): string },
): Promise<void> {
  const at = clock.now();
  const minute = new Date(Math.floor(at.getTime() / MINUTE_MS) * MINUTE_MS);
  const digest = createHash('sha256').update(data).digest();
  const place = (digest[0] ?? 0) % PLACES;
  const text = Buffer.from(data).toString('utf8', 0, MAX_EXCERPT * 4);
  const excerpt = quoteText(makeVisible(mask(text)), MAX_EXCERPT).trim();
  const value = {
    title: documentTitle(excerpt || '(no text)'),
    tenantId,
    messageId: `refused-${digest.toString('hex', 0, 8)}`,
    source: null,
    severity: null,
    state: null,
    sessionId: null,
    place: null,
    problem: null,
    outcome: 'refused' as const,
    by: code,
    subject: quoteText(makeVisible(caller), MAX_EXCERPT) || null,
    reason: quoteText(makeVisible(mask(message)), MAX_REASON) || code,
    at,
    expireAt: new Date(at.getTime() + KEEP_MS),
  };
  const path = alertFateType.paths.alertFate(fateId(tenantId, minute, `refused-${place}`));
  if ((await store.get(path, alertFateType)) !== undefined) return;
  // If another one was faster, it has the place.
  await store.commit([createDocument(path, alertFateType, value)]);
}
