// Deletes the questions of an erased session at Google. One that stays there loses the name of its session,
// and the sweep deletes it.

import type { BackgroundModel } from '../../contract/backgroundModel.ts';
import { replaceDocument, type Stored } from '../../core/contract/store.ts';
import { InquestError } from '../../core/errors.ts';
import type { StateDeps } from '../../core/kernel/deps.ts';
import { RACE_LOST, retryLostRaces, SESSION_RACES } from '../../core/kernel/documents/retryConflict.ts';
import { rawDocumentType } from '../../core/schema/documentType.ts';
import { asText } from '../../text/json.ts';
import { REMOVE_MS, thoughtType, WEBHOOKS_MS } from './thought.ts';

const PAGE_SIZE = 100;
/** Stands for the session of a question that stays: no session has this id. */
const ERASED = 'erased';
/** After this time Google has deleted it by itself. */
const STORED_MS = 55 * 24 * 3_600_000;

interface EraseDeps extends Pick<StateDeps, 'store'> {
  now(): Date;
}

/**
 * Deletes the questions of a session at Google. The caller deletes the documents that still name the session.
 * @returns for each question that stays, why: the sweep deletes it.
 */
export async function eraseThoughts(
  sessionId: string,
  background: Pick<BackgroundModel, 'remove'>,
  deps: EraseDeps,
): Promise<string[]> {
  const left: string[] = [];
  for (let afterId: string | undefined, isLast = false; !isLast; ) {
    const query = { collection: thoughtType.paths.thoughts, equal: { sessionId }, limit: PAGE_SIZE };
    // Raw, so that a broken document is erased, too.
    const found = await deps.store.find(
      { ...query, ...(afterId !== undefined && { afterId }) },
      rawDocumentType,
    );
    for (const thought of found) {
      const reason = await removeThought(thought, background, deps);
      if (reason === null) continue;
      left.push(reason);
      await leaveToSweep(thought.path, sessionId, deps);
    }
    afterId = found.at(-1)?.id;
    isLast = found.length < PAGE_SIZE;
  }
  return left;
}

/** @returns why the question can still be at Google; null if it is not. */
async function removeThought(
  { value: { interactionId, createdAt } }: Stored<Record<string, unknown>>,
  background: Pick<BackgroundModel, 'remove'>,
  { now }: EraseDeps,
): Promise<string | null> {
  const id = asText(interactionId);
  if (id === undefined) {
    const ageMs = now().getTime() - (createdAt instanceof Date ? createdAt.getTime() : 0);
    return ageMs < WEBHOOKS_MS ? 'its id at Google is not known yet' : null;
  }
  try {
    return (await background.remove(id, AbortSignal.timeout(REMOVE_MS))) ? null : 'Google did not delete it';
  } catch (error) {
    if (error instanceof InquestError) return error.message;
    throw error;
  }
}

/**
 * Removes the id of the session, which has words of its alert. A webhook can change the document meanwhile.
 */
async function leaveToSweep(path: string, sessionId: string, { store, now }: EraseDeps): Promise<void> {
  await retryLostRaces<true>(path, SESSION_RACES, async () => {
    const stored = await store.get(path, rawDocumentType);
    if (stored?.value.sessionId !== sessionId) return true;
    const dueAt = now();
    const expireAt = new Date(dueAt.getTime() + STORED_MS);
    const nameless = { ...stored.value, sessionId: ERASED, dueAt, expireAt };
    const write = replaceDocument(path, rawDocumentType, nameless, stored.version);
    return (await store.commit([write])).ok ? true : RACE_LOST;
  });
}
