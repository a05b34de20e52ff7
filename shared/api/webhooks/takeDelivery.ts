// Webhooks that are sent again: a copy of a delivery is answered as the first one was, on every instance.

import { create, replace, type Stored } from '../../contract/store.ts';
import { errorMessage } from '../../errors.ts';
import { RACE_LOST, retryLostRaces } from '../../runtime/kernel/documents/races.ts';
import { paths, requestType } from '../../schema/documents.ts';
import { documentTitle } from '../../schema/documentTitle.ts';
import type { Request as StoredRequest } from '../../schema/request.ts';
import type { Answer, Caller, RequestDeps } from '../route.ts';
import { type Delivery, digestOf } from './delivery.ts';

/** Milliseconds for which a delivery is stored at least. After that its alert's key still finds the session. */
const KEPT_MS = 24 * 3_600_000;
const RACES = 5;

/**
 * Takes a delivery once. The first one is stored with its time before it is published; its copies are published with the same
 * message id when the first one has no answer yet (its process can have died), and `ingestAlert` opens nothing for them. When
 * the store fails, the delivery is published all the same: an alert is worth more than its deduplication.
 * @param act publishes it. `messageId` is the same for all copies.
 * @throws errors of `act`; the delivery can then be accepted again.
 */
export async function takeDelivery(
  { id, windowMs }: Delivery,
  caller: Caller,
  act: (messageId: string) => Promise<Answer>,
  deps: RequestDeps,
): Promise<Answer> {
  const path = paths.request(caller.tenantId, digestOf('webhook', id).slice(0, 32));
  const first = await firstOf(path, { id, windowMs }, caller, deps);
  if (first?.value.answer) return first.value.answer;
  const since = Number.isFinite(windowMs) ? `${(first?.value.createdAt ?? deps.clock.now()).getTime()}` : '';
  const answer = await act(digestOf(id, since));
  if (first !== undefined) await keep(first, answer, deps);
  return answer;
}

/** The first delivery of the window, which this one can be; undefined when the store fails. */
async function firstOf(
  path: string,
  { id, windowMs }: Delivery,
  { tenantId, name }: Caller,
  { store, clock, log }: RequestDeps,
): Promise<Stored<StoredRequest> | undefined> {
  try {
    return await retryLostRaces<Stored<StoredRequest>>('a delivery', RACES, async () => {
      const found = await store.get(path, requestType);
      const now = clock.now();
      if (found !== undefined && now.getTime() < found.value.createdAt.getTime() + windowMs) return found;
      const expireAt = new Date(now.getTime() + KEPT_MS);
      const title = documentTitle(`Webhook of ${name}`);
      const value: StoredRequest = { title, tenantId, digest: id, answer: null, expireAt, createdAt: now };
      const write =
        found === undefined
          ? create(path, requestType, value)
          : replace(path, requestType, value, found.version);
      const result = await store.commit([write]);
      if (!result.ok) return RACE_LOST;
      return { path, id: path, value, version: result.versions[0], updatedAt: now } as Stored<StoredRequest>;
    });
  } catch (error) {
    log.warn(`a webhook is published without a look for copies of it: ${errorMessage(error)}`);
    return undefined;
  }
}

/** Without its answer, a copy is published again, with the same message id. */
async function keep(
  first: Stored<StoredRequest>,
  answer: Answer,
  { store, log }: RequestDeps,
): Promise<void> {
  try {
    await store.commit([replace(first.path, requestType, { ...first.value, answer }, first.version)]);
  } catch (error) {
    log.warn(`the answer to a webhook was not kept: ${errorMessage(error)}`);
  }
}
