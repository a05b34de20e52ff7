// Requests with an `Idempotency-Key`: a repeated request is not executed again and gets the stored response.

import { createHash } from 'node:crypto';
import { create, replace, type Stored } from '../contract/store.ts';
import { errorMessage } from '../errors.ts';
import { RACE_LOST, retryLostRaces } from '../runtime/kernel/documents/races.ts';
import { paths, requestType } from '../schema/documents.ts';
import { documentTitle } from '../schema/documentTitle.ts';
import type { Request as StoredRequest } from '../schema/request.ts';
import { Problem, problemDetails } from './problem.ts';
import { type Answer, type Caller, callerIdentity, type RequestDeps } from './route.ts';

/** Milliseconds for which an answer is kept. */
const KEPT_MS = 24 * 3_600_000;
/** After this time a request is no longer running, because no route takes longer. */
const GIVEN_UP_MS = 2 * 60_000;
const RACES = 5;
const KEY = /^[\x21-\x7e]{1,255}$/;

/** A request that its sender can repeat. */
interface Repeatable {
  /** Of the header. */
  key: string;
  /** Method and path. With the body they identify the request; a different request must not use the same key. */
  method: string;
  path: string;
  body: Uint8Array;
  /** The owner of the key. Keys of different callers are independent. */
  caller: Caller;
}

/**
 * Returns the response of an earlier request with the same key, or runs `act` and keeps its response for a day; a
 * failure of the system is not kept. A request whose process died is run again after two minutes, so an action that cannot be
 * undone can run twice then.
 * @throws Problem `REQUEST_INVALID` for an invalid key, `KEY_REUSED`, `REQUEST_RUNNING`; errors of `act`.
 */
export async function answerOnce(
  { key, method, path: requestPath, body, caller }: Repeatable,
  act: () => Promise<Answer>,
  deps: RequestDeps,
): Promise<Answer> {
  if (!KEY.test(key))
    throw new Problem(
      'REQUEST_INVALID',
      'header Idempotency-Key: must be 1 to 255 visible characters of ASCII; a UUID will do',
    );
  const { tenantId } = caller;
  const path = paths.request(tenantId, digestOf([callerIdentity(caller), key]).slice(0, 32));
  const digest = digestOf([method, requestPath, body]);
  const title = documentTitle(deps.mask(`${method} ${requestPath}`));
  const begun = await retryLostRaces<Stored<StoredRequest> | Answer>('a request', RACES, async () => {
    const found = await deps.store.get(path, requestType);
    if (found !== undefined && found.value.digest !== digest)
      throw new Problem('KEY_REUSED', 'header Idempotency-Key: was sent with another request; use a new one');
    if (found?.value.answer) return found.value.answer;
    const now = deps.clock.now();
    if (found !== undefined && now.getTime() < found.value.createdAt.getTime() + GIVEN_UP_MS)
      throw new Problem('REQUEST_RUNNING', 'the same request is being done; send it again in a moment');
    const expireAt = new Date(now.getTime() + KEPT_MS);
    const value: StoredRequest = { title, tenantId, digest, answer: null, expireAt, createdAt: now };
    const write =
      found === undefined
        ? create(path, requestType, value)
        : replace(path, requestType, value, found.version);
    const result = await deps.store.commit([write]);
    if (!result.ok) return RACE_LOST;
    return { path, id: path, value, version: result.versions[0], updatedAt: now } as Stored<StoredRequest>;
  });
  if ('body' in begun) return begun;
  try {
    const answer = await act();
    await keep(begun, { answer }, deps);
    return answer;
  } catch (error) {
    const problem = problemDetails(error, deps.mask);
    // A temporary refusal is not kept, so that a retry runs the request.
    const isFinal = problem.status < 500 && problem.status !== 429;
    const answer = { status: problem.status, body: JSON.stringify(problem) };
    await keep(begun, isFinal ? { answer } : { createdAt: new Date(0) }, deps);
    throw error;
  }
}

/** Stores the response. The request is also answered if that fails. */
async function keep(
  { path, value, version }: Stored<StoredRequest>,
  change: Partial<StoredRequest>,
  { store, log }: RequestDeps,
): Promise<void> {
  try {
    await store.commit([replace(path, requestType, { ...value, ...change }, version)]);
  } catch (error) {
    log.warn(`the answer to a request was not kept: ${errorMessage(error)}`);
  }
}

function digestOf(content: readonly (string | Uint8Array)[]): string {
  const hash = createHash('sha256');
  for (const part of content) hash.update(`${Buffer.byteLength(part)}:`).update(part);
  return hash.digest('hex');
}
