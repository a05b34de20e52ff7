// Takes the notice that a question has ended: keeps the id of its interaction, and publishes the iteration
// that reads the answer, if it still waits for it. The notice itself decides nothing.

import { replaceDocument } from '../../core/contract/store.ts';
import type { StateDeps } from '../../core/kernel/deps.ts';
import { DOCUMENT_RACES, RACE_LOST, retryLostRaces } from '../../core/kernel/documents/retryConflict.ts';
import { publishIteration } from '../../core/kernel/state/nextIteration.ts';
import { executionType, paths } from '../../core/schema/coreDocuments.ts';
import { asText } from '../../text/json.ts';
import { readQuestion, thoughtType } from './thought.ts';
import type { VerifiedWebhook } from './verifyWebhook.ts';

const SUBMISSION_ID = /^[\w-]{1,100}$/;

/**
 * Takes a notice. Each copy of it publishes: the iteration only reads.
 * @returns whether the question is known. @throws RetryableError when the store or the publisher fails.
 */
export async function takeWebhook(
  { interactionId, metadata }: Pick<VerifiedWebhook, 'interactionId' | 'metadata'>,
  deps: Pick<StateDeps, 'store' | 'publisher'>,
): Promise<boolean> {
  const submissionId = asText(metadata.submissionId);
  if (submissionId === undefined || !SUBMISSION_ID.test(submissionId)) return false;
  const path = thoughtType.paths.thought(submissionId);
  const thought = await retryLostRaces(path, DOCUMENT_RACES, async () => {
    const found = await deps.store.get(path, thoughtType);
    if (found?.value.interactionId !== null) return found?.value ?? null;
    // The sweep looks at it next.
    const value = { ...found.value, interactionId, dueAt: found.value.createdAt };
    const written = await deps.store.commit([replaceDocument(path, thoughtType, value, found.version)]);
    return written.ok ? value : RACE_LOST;
  });
  if (thought?.interactionId !== interactionId) return false;
  const { sessionId, executionId } = thought;
  const execution = await deps.store.get(paths.execution(sessionId, executionId), executionType);
  if (execution === undefined) return false;
  // The sweep deletes the answer of an older question.
  if (readQuestion(execution.value)?.submissionId === submissionId)
    await publishIteration(deps.publisher, execution.value);
  return true;
}
