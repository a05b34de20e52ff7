// The documents that a fork copies, and its link below the source.

import type { ConversationMessage } from '../../core/contract/llm.ts';
import { createDocument, type Store, type Stored, type Write } from '../../core/contract/store.ts';
import { startBatch } from '../../core/kernel/conversation/executionBatch.ts';
import { paths, resultPartType } from '../../core/schema/coreDocuments.ts';
import { storedBytes } from '../../core/schema/documentType.ts';
import type { Execution } from '../../core/schema/execution.ts';
import { resultPartId } from '../../core/schema/ids.ts';
import type { Session } from '../../core/schema/session.ts';
import type { StoredResult } from '../../core/schema/storedResult.ts';
import { type ForkLink, forkLinkType } from './forkLink.ts';
import type { ForkPoint } from './forkPoint.ts';

/** UTF-8 bytes of a batch. The emulator accepts 4 MiB. */
const MAX_BATCH_BYTES = 2_000_000;
const MAX_BATCH_WRITES = 200;

/** Stores the link. @returns undefined if another request with its key did. */
export async function placeLink(
  path: string,
  { forkId, session }: { forkId: string; session: Session },
  { store }: { store: Store },
): Promise<Stored<ForkLink> | undefined> {
  const { expireAt, createdAt } = session;
  const value: ForkLink = { forkId, state: 'opening', expireAt, createdAt };
  await store.commit([createDocument(path, forkLinkType, value)]);
  const stored = await store.get(path, forkLinkType);
  return stored?.value.forkId === forkId ? stored : undefined;
}

/** The writes of the messages of a fork. */
export function copyMessages(
  execution: Execution,
  messages: readonly ConversationMessage[],
  now: Date,
): Write[] {
  const batch = startBatch({ ...execution, lastMessage: 0 }, now);
  for (const { role, blocks, replay } of messages)
    batch.appendMessage({ role, blocks, ...(replay && { replay }) });
  return batch.writes;
}

/** The writes of the pieces of results of which messages show a part. @throws RetryableError */
export async function copyResults(
  { sessionId }: Session,
  { messages, execution: { executionId: from } }: ForkPoint,
  { sessionId: forkId, executionId, expireAt }: Execution,
  { store }: { store: Store },
): Promise<Write[]> {
  const stored = messages.flatMap(({ blocks }) =>
    blocks.flatMap((block) => (block.blockType === 'tool_result' ? (block.stored ?? []) : [])),
  );
  const found = await Promise.all(
    stored.map(({ id, firstPart, parts }: StoredResult) => {
      const number = Number(id.slice(1));
      const idRange = {
        from: resultPartId(from, number, firstPart),
        to: resultPartId(from, number, firstPart + parts - 1),
      };
      return store.list({ collection: paths.results(sessionId), idRange }, resultPartType);
    }),
  );
  return found.flat().map(({ value }) => {
    const path = paths.resultPart(forkId, executionId, value.sequenceNumber, value.part);
    return createDocument(path, resultPartType, { ...value, executionId, expireAt });
  });
}

/** Writes in batches that the store accepts, the same for the same writes. */
function divideWrites(writes: readonly Write[]): Write[][] {
  const batches: Write[][] = [];
  let bytes = 0;
  for (const write of writes) {
    const last = batches.at(-1);
    bytes += writtenBytes(write);
    if (last === undefined || bytes > MAX_BATCH_BYTES || last.length === MAX_BATCH_WRITES) {
      batches.push([write]);
      bytes = writtenBytes(write);
    } else last.push(write);
  }
  return batches;
}

const writtenBytes = ({ value }: Write): number => storedBytes(value);

/** The size of writes, and whether one batch has room for them. */
export function measureWrites(writes: readonly Write[]): { bytes: number; isOneBatch: boolean } {
  const bytes = writes.reduce((sum, write) => sum + writtenBytes(write), 0);
  return { bytes, isOneBatch: bytes <= MAX_BATCH_BYTES && writes.length <= MAX_BATCH_WRITES };
}

/** Stores writes in batches. One that exists was stored by an earlier attempt. @returns whether all are. */
export async function storeBatches(writes: readonly Write[], { store }: { store: Store }): Promise<boolean> {
  for (const batch of divideWrites(writes)) {
    const result = await store.commit(batch);
    if (!result.ok && result.reason !== 'exists') return false;
  }
  return true;
}
