// Builds the documents of one commit: events and messages with the next numbers and the ids of an execution.

import { create, type Write } from '../../contract/store.ts';
import { messagePartType, messageType, paths, timelineEventType } from '../../schema/documents.ts';
import type { Execution } from '../../schema/execution.ts';
import type { Message, MessageDraft, ProviderParts } from '../../schema/message.ts';
import type { EventDraft, TimelineEvent } from '../../schema/timelineEvent.ts';
import { splitText } from '../../text/splitText.ts';

/** Provider parts above this size are stored below their message, so that the message stays under the document limit. */
export const INLINE_PARTS_BYTES = 300_000;
/** Size of one document of provider parts. */
const PART_DOCUMENT_BYTES = 600_000;

/** Collects the documents of one commit and assigns their sequence numbers. */
export interface ExecutionBatch {
  /** The time of the commit: every document of the batch is created at it. */
  readonly now: Date;
  readonly writes: Write[];
  /** The last numbers assigned or reserved, as the execution has to store them. */
  counters(): Pick<Execution, 'lastEvent' | 'lastMessage'>;
  /** Adds an event under the next number, or under one that was reserved before. */
  appendEvent(draft: EventDraft, sequenceNumber?: number): void;
  /** Adds a message under the next number, or under one that was reserved before. */
  appendMessage(draft: MessageDraft, sequenceNumber?: number): void;
  /** Reserves the next event number for a result that is stored later. */
  reserveEvent(): number;
  /** Reserves the next message number for a result that is stored later. */
  reserveMessage(): number;
}

/** Starts an empty batch that continues the numbers of `execution`. */
export function startBatch(execution: Execution, now: Date): ExecutionBatch {
  const { sessionId, stageId, executionId, parentExecutionId, iteration, expireAt } = execution;
  let { lastEvent, lastMessage } = execution;
  const writes: Write[] = [];

  return {
    now,
    writes,
    counters: () => ({ lastEvent, lastMessage }),
    reserveEvent: () => ++lastEvent,
    reserveMessage: () => ++lastMessage,
    appendEvent(draft, sequenceNumber = ++lastEvent) {
      const event = {
        ...draft,
        sessionId,
        stageId,
        executionId,
        parentExecutionId,
        sequenceNumber,
        iteration,
        status: draft.status ?? 'completed',
        expireAt,
        createdAt: now,
      } as TimelineEvent;
      writes.push(create(paths.event(sessionId, executionId, sequenceNumber), timelineEventType, event));
    },
    appendMessage(draft, sequenceNumber = ++lastMessage) {
      const { providerParts, pieces } = splitParts(draft);
      const message: Message = {
        sessionId,
        executionId,
        sequenceNumber,
        role: draft.role,
        iteration,
        blocks: draft.blocks,
        providerParts,
        expireAt,
        createdAt: now,
      };
      writes.push(create(paths.message(sessionId, executionId, sequenceNumber), messageType, message));
      pieces.forEach((text, index) => {
        const part = index + 1;
        const path = paths.messagePart(sessionId, executionId, sequenceNumber, part);
        writes.push(create(path, messagePartType, { part, text, expireAt }));
      });
    },
  };
}

/** The provider parts as the message stores them, and the pieces that go to documents below it. */
function splitParts(draft: MessageDraft): { providerParts: ProviderParts | null; pieces: string[] } {
  if (draft.replay === undefined) return { providerParts: null, pieces: [] };
  const { provider, model, data } = draft.replay;
  if (Buffer.byteLength(data) <= INLINE_PARTS_BYTES) {
    return { providerParts: { provider, model, parts: data, partDocuments: 0 }, pieces: [] };
  }
  const pieces = splitText(data, PART_DOCUMENT_BYTES);
  return { providerParts: { provider, model, parts: null, partDocuments: pieces.length }, pieces };
}
