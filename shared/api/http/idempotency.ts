// Requests with an `Idempotency-Key`: a repeated request is not executed again and gets the stored response.

import { createHash } from 'node:crypto';
import { replaceDocument, type Stored, saveDocument, type Version } from '../../core/contract/store.ts';
import { errorMessage } from '../../core/errors.ts';
import { DOCUMENT_RACES, RACE_LOST, retryLostRaces } from '../../core/kernel/documents/retryConflict.ts';
import { documentTitle } from '../../core/schema/documentTitle.ts';
import { Problem, problemDetails } from './problem.ts';
import { requestType, type Request as StoredRequest } from './request.ts';
import { type Answer, type Caller, callerIdentity, type RequestDeps } from './route.ts';

/** Milliseconds for which a response is stored. */
const KEPT_MS = 24 * 3_600_000;
/** Milliseconds after which a request counts as dead, because no route takes longer. */
const GIVEN_UP_MS = 2 * 60_000;
const KEY = /^[\x21-\x7e]{1,255}$/;

/** A request that its sender can repeat. */
interface Repeatable {
  /** The value of `Idempotency-Key`; undefined for a request that its content identifies. */
  key: string | undefined;
  /** Whether the stored response is returned. Default: always. */
  isCurrent?: (stored: StoredRequest & { answer: Answer }) => Promise<boolean>;
  /** The method. With address, headers and body it identifies the request of a key. */
  method: string;
  /** The path of the address, without the query. */
  path: string;
  /** The query with its `?`; empty without one. */
  search: string;
  /** The values of headers that belong to the content of the request. */
  headers: readonly string[];
  /** The body as it was received. */
  body: Uint8Array;
  /** The owner of the key. Keys of different callers are independent. */
  caller: Caller;
}

/**
 * Returns the response of an earlier request with the same key or content, or runs `act` and stores its
 * response for a day. A response to an internal error is not stored. A request whose process died runs again
 * after two minutes, so an action that cannot be undone can then run twice.
 * @throws Problem `REQUEST_INVALID` for an invalid key, `KEY_REUSED`, `REQUEST_RUNNING`; errors of `act`.
 */
export async function answerOnce(
  { key, isCurrent, method, path: requestPath, search, headers, body, caller }: Repeatable,
  act: () => Promise<Answer>,
  deps: RequestDeps,
): Promise<Answer> {
  if (key !== undefined && !KEY.test(key))
    throw new Problem(
      'REQUEST_INVALID',
      'header Idempotency-Key: must be 1 to 255 visible ASCII characters, such as a UUID',
    );
  const { tenantId } = caller;
  const digest = digestRequestContent([method, requestPath + search, ...headers, body]);
  const owned = [callerIdentity(caller), ...(key === undefined ? ['without key', digest] : [key])];
  const path = requestType.paths.request(tenantId, digestRequestContent(owned).slice(0, 32));
  const title = documentTitle(deps.mask(`${method} ${requestPath}`));
  const first = await retryLostRaces<Stored<StoredRequest> | Answer>(
    'a request',
    DOCUMENT_RACES,
    async () => {
      const found = await deps.store.get(path, requestType);
      if (found !== undefined && found.value.digest !== digest)
        throw new Problem(
          'KEY_REUSED',
          'header Idempotency-Key: was sent with another request; use a new one',
        );
      const stored = found?.value;
      const isAnswered = stored?.answer != null;
      if (stored?.answer && ((await isCurrent?.({ ...stored, answer: stored.answer })) ?? true))
        return stored.answer;
      const now = deps.clock.now();
      if (found !== undefined && !isAnswered && now.getTime() < found.value.createdAt.getTime() + GIVEN_UP_MS)
        throw new Problem('REQUEST_RUNNING', 'the same request is running; send it again in a moment');
      const expireAt = new Date(now.getTime() + KEPT_MS);
      const value: StoredRequest = { title, tenantId, digest, answer: null, expireAt, createdAt: now };
      return storeRequest(path, value, found, deps);
    },
  );
  if ('body' in first) return first;
  try {
    const answer = await act();
    await storeFirstAnswer(first, { answer }, deps);
    return answer;
  } catch (error) {
    const problem = problemDetails(error, deps.mask);
    // A temporary refusal is not stored, so that a retry runs the request.
    const isFinal = problem.status < 500 && problem.status !== 429;
    const answer = { status: problem.status, body: JSON.stringify(problem) };
    await storeFirstAnswer(first, isFinal ? { answer } : { createdAt: new Date(0) }, deps);
    throw error;
  }
}

/**
 * Stores a request that has no response yet. @param found the one that was read. @returns `RACE_LOST` if it
 * has changed.
 */
export async function storeRequest(
  path: string,
  value: StoredRequest,
  found: Stored<StoredRequest> | undefined,
  { store }: Pick<RequestDeps, 'store'>,
): Promise<Stored<StoredRequest> | typeof RACE_LOST> {
  const result = await store.commit([saveDocument(path, requestType, value, found?.version)]);
  if (!result.ok) return RACE_LOST;
  return { path, id: path, value, version: result.versions[0] as Version, updatedAt: value.createdAt };
}

/** Stores the response. A failure is only logged, because the request has been processed. */
export async function storeFirstAnswer(
  { path, value, version }: Stored<StoredRequest>,
  change: Partial<StoredRequest>,
  { store, log }: Pick<RequestDeps, 'store' | 'log'>,
): Promise<void> {
  try {
    await store.commit([replaceDocument(path, requestType, { ...value, ...change }, version)]);
  } catch (error) {
    log.warn(`the response to a request was not stored: ${errorMessage(error)}`);
  }
}

function digestRequestContent(content: readonly (string | Uint8Array)[]): string {
  const hash = createHash('sha256');
  for (const part of content) hash.update(`${Buffer.byteLength(part)}:`).update(part);
  return hash.digest('hex');
}
