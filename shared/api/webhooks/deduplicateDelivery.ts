// Deduplicates webhooks: a copy of a delivery gets the response of the first one, on every instance.

import type { Stored } from '../../core/contract/store.ts';
import { errorMessage } from '../../core/errors.ts';
import { DOCUMENT_RACES, retryLostRaces } from '../../core/kernel/documents/retryConflict.ts';
import { documentTitle } from '../../core/schema/documentTitle.ts';
import { storeFirstAnswer, storeRequest } from '../http/idempotency.ts';
import { requestType, type Request as StoredRequest } from '../http/request.ts';
import type { Answer, Caller, RequestDeps } from '../http/route.ts';
import type { Delivery } from '../http/webhook.ts';
import { digestDeliveryParts } from './deliveryId.ts';

/** Minimum milliseconds for which a delivery is stored. Later its alert's key finds the session. */
const KEPT_MS = 24 * 3_600_000;

/**
 * Processes a delivery once. The first delivery is stored with its time before it is published. If it has no
 * response yet (its process can have died), a copy is published with the same message id, and `ingestAlert`
 * opens nothing for it. If the store fails, the delivery is published without deduplication: losing an alert
 * is worse.
 * @param act publishes the alert. `messageId` is the same for all copies.
 * @throws errors of `act`; the delivery can then be sent again.
 */
export async function deduplicateDelivery(
  { id, windowMs }: Delivery,
  caller: Caller,
  act: (messageId: string) => Promise<Answer>,
  deps: RequestDeps,
): Promise<Answer> {
  const path = requestType.paths.request(caller.tenantId, digestDeliveryParts('webhook', id).slice(0, 32));
  const first = await storeFirstDelivery(path, { id, windowMs }, caller, deps);
  if (first?.value.answer) return first.value.answer;
  const since = Number.isFinite(windowMs) ? `${(first?.value.createdAt ?? deps.clock.now()).getTime()}` : '';
  const answer = await act(digestDeliveryParts(id, since));
  // If that fails, copies are published again with the same message id.
  if (first !== undefined) await storeFirstAnswer(first, { answer }, deps);
  return answer;
}

/** The first delivery of the window; it can be this one. Undefined if the store fails. */
async function storeFirstDelivery(
  path: string,
  { id, windowMs }: Delivery,
  { tenantId, name }: Caller,
  { store, clock, log }: RequestDeps,
): Promise<Stored<StoredRequest> | undefined> {
  try {
    return await retryLostRaces<Stored<StoredRequest>>('a delivery', DOCUMENT_RACES, async () => {
      const found = await store.get(path, requestType);
      const now = clock.now();
      if (found !== undefined && now.getTime() < found.value.createdAt.getTime() + windowMs) return found;
      const expireAt = new Date(now.getTime() + KEPT_MS);
      const title = documentTitle(`Webhook of ${name}`);
      const value: StoredRequest = { title, tenantId, digest: id, answer: null, expireAt, createdAt: now };
      return storeRequest(path, value, found, { store });
    });
  } catch (error) {
    log.warn(`a webhook is published without deduplication: ${errorMessage(error)}`);
    return undefined;
  }
}
