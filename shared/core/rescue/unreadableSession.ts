// Ends a session whose own document is broken. Nothing can continue it, and its deadline cannot be read.

import { replaceDocument } from '../contract/store.ts';
import { TerminalError } from '../errors.ts';
import type { StateDeps } from '../kernel/deps.ts';
import { ignoreTerminalError } from '../kernel/documents/reading.ts';
import { deadlineExceeded } from '../kernel/state/decide.ts';
import { type Failure, isTerminal, TERMINAL_STATUSES } from '../schema/common.ts';
import { paths } from '../schema/coreDocuments.ts';
import { rawDocumentType } from '../schema/documentType.ts';
import { LONGEST_DEADLINE_DAYS } from '../schema/session.ts';
import { endExecution } from '../stage/endExecution.ts';
import { loadReadableStage } from '../stage/readableStage.ts';

const LONGEST_DEADLINE_MS = LONGEST_DEADLINE_DAYS * 24 * 3_600_000;

/**
 * Ends the session as `failed` once it is older than any deadline; until then an operator can repair it. Ends
 * the readable open executions of its current stage first. Only `status`, `failure`, `dueAt` and `endedAt` of
 * the document change.
 * @param failure why the document cannot be read.
 * @returns false when the session does not exist or has ended; nothing is wrong then.
 * @throws TerminalError with `failure` while the session can be younger; RetryableError when the store fails.
 */
export async function endUnreadableSession(
  sessionId: string,
  failure: Failure,
  deps: StateDeps,
): Promise<boolean> {
  const path = paths.session(sessionId);
  const stored = await deps.store.get(path, rawDocumentType);
  if (stored === undefined) return false;
  const { status, createdAt, currentStageId } = stored.value;
  if (TERMINAL_STATUSES.some((terminal) => terminal === status)) return false;
  const now = deps.clock.now();
  const bornAt = createdAt instanceof Date ? createdAt : stored.updatedAt;
  const deadline = new Date(bornAt.getTime() + LONGEST_DEADLINE_MS);
  if (now < deadline) throw new TerminalError(failure.code, failure.message);

  if (typeof currentStageId === 'string') {
    const stage = await loadReadableStage(sessionId, currentStageId, deps).catch(ignoreTerminalError);
    for (const execution of stage?.executions ?? []) {
      if (isTerminal(execution.value.status)) continue;
      await endExecution(execution, deadlineExceeded(execution.value.deadline), deps).catch(
        ignoreTerminalError,
      );
    }
  }
  deps.log.error({ sessionId, code: failure.code }, `a broken session was ended: ${failure.message}`);
  const ended = { ...stored.value, status: 'failed', failure, dueAt: null, endedAt: now };
  // If another process changed it first, the next sweep reads it again.
  await deps.store.commit([replaceDocument(path, rawDocumentType, ended, stored.version)]);
  return true;
}
