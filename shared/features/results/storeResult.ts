// Stores a large result whole: in documents, before or with the commit of the message of its part.

import { createHash } from 'node:crypto';
import { createDocument, type Write } from '../../core/contract/store.ts';
import type { LargeResult } from '../../core/contract/tools.ts';
import { CRASH_POINTS } from '../../core/kernel/crashPoints.ts';
import type { RuntimeDeps } from '../../core/kernel/deps.ts';
import type { HeldExecution } from '../../core/kernel/execution/lease.ts';
import { DEFAULT_RESULT_SIZES } from '../../core/kernel/resultSizes.ts';
import { paths, resultPartType } from '../../core/schema/coreDocuments.ts';
import type { Execution, PendingCall } from '../../core/schema/execution.ts';
import type { StoredResult } from '../../core/schema/storedResult.ts';
import { splitText } from '../../text/cut.ts';
import { countLines } from './lines.ts';

/** A large result of which all but the last parts are stored. */
interface PreparedResult {
  /** The reference that the message and the event of the result contain. */
  stored: StoredResult;
  /** The parts that the commit of the result has to include. */
  writes(now: Date): Write[];
}

/**
 * Stores the parts that exceed the commit of the result, in most cases none, and returns the positions of all
 * parts. Each commit counts its parts in the execution, so a process that repeats the call writes after them:
 * parts of a lost result stay unreferenced and expire with the session.
 * @throws LeaseLostError when another writer changed the execution; RetryableError when the store failed.
 */
export async function prepareResult(
  held: HeldExecution,
  { index, name, resultMessage }: PendingCall,
  { text }: LargeResult,
  {
    clock,
    failpoint,
    resultSizes: sizes = DEFAULT_RESULT_SIZES,
  }: Pick<RuntimeDeps, 'clock' | 'failpoint' | 'resultSizes'>,
): Promise<PreparedResult> {
  const pieces = splitText(text, sizes.partBytes);
  const before = held.current().pendingCalls.find((call) => call.index === index)?.storedParts ?? 0;
  const writesOf = (from: number, to: number, now: Date): Write[] => {
    const { sessionId, executionId, expireAt } = held.current();
    return pieces.slice(from, to).map((piece, offset) => {
      const part = before + from + offset + 1;
      const path = paths.resultPart(sessionId, executionId, resultMessage, part);
      const document = { executionId, sequenceNumber: resultMessage, part, toolName: name, text: piece };
      return createDocument(path, resultPartType, { ...document, expireAt, createdAt: now });
    });
  };

  let done = 0;
  while (pieces.length - done > sizes.partsWithResult) {
    const from = done;
    const to = Math.min(from + sizes.partsPerCommit, pieces.length);
    await held.commit((current) => ({
      execution: withStoredParts(current, index, before + to),
      writes: writesOf(from, to, clock.now()),
    }));
    done = to;
    await failpoint?.(CRASH_POINTS.duringResultParts);
  }
  return {
    stored: {
      id: `r${resultMessage}`,
      firstPart: before + 1,
      parts: pieces.length,
      bytes: Buffer.byteLength(text),
      lines: countLines(text),
      digest: createHash('sha256').update(text).digest('hex').slice(0, 16),
    },
    writes: (now) => writesOf(done, pieces.length, now),
  };
}

function withStoredParts(execution: Execution, index: number, storedParts: number): Execution {
  const pendingCalls = execution.pendingCalls.map((call) =>
    call.index === index ? { ...call, storedParts } : call,
  );
  return { ...execution, pendingCalls };
}
