// Turns drafts into documents with their place: the next event and message numbers of an execution, and its ids.

import { create, type Write } from '../../contract/store.ts';
import { messagePartType, messageType, paths, timelineEventType } from '../../schema/documents.ts';
import type { Execution } from '../../schema/execution.ts';
import type { Message, MessageDraft, ProviderParts } from '../../schema/message.ts';
import type { EventDraft, TimelineEvent } from '../../schema/timelineEvent.ts';
import { splitText } from '../../text/splitText.ts';

/** Above this a message's provider parts move to documents below it, so that blocks and parts fit together. */
export const INLINE_PARTS_BYTES = 300_000;
/** Size of one such document. */
const PART_DOCUMENT_BYTES = 600_000;

/** Collects the documents of one commit and hands out their numbers. */
export interface Entries {
  readonly writes: Write[];
  /** Numbers after the last one given or reserved. */
  lastEvent(): number;
  lastMessage(): number;
  /** Adds an event; `sequenceNumber` is one that was reserved before, the next one by default. */
  event(draft: EventDraft, sequenceNumber?: number): void;
  message(draft: MessageDraft, sequenceNumber?: number): void;
  /** Takes the next number without writing: a result will be stored there later. */
  reserveEvent(): number;
  reserveMessage(): number;
}

/** Starts a collection where the execution's counters stand. */
export function entriesFor(execution: Execution, now: Date): Entries {
  const { sessionId, stageId, executionId, parentExecutionId, iteration, expireAt } = execution;
  let { lastEvent, lastMessage } = execution;
  const writes: Write[] = [];

  return {
    writes,
    lastEvent: () => lastEvent,
    lastMessage: () => lastMessage,
    reserveEvent: () => ++lastEvent,
    reserveMessage: () => ++lastMessage,
    event(draft, sequenceNumber = ++lastEvent) {
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
    message(draft, sequenceNumber = ++lastMessage) {
      const { providerParts, pieces } = storedParts(draft);
      const message: Message = {
        sessionId,
        executionId,
        sequenceNumber,
        role: draft.role,
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

function storedParts(draft: MessageDraft): { providerParts: ProviderParts | null; pieces: string[] } {
  if (draft.replay === undefined) return { providerParts: null, pieces: [] };
  const { provider, model, data } = draft.replay;
  if (Buffer.byteLength(data) <= INLINE_PARTS_BYTES) {
    return { providerParts: { provider, model, parts: data, partDocuments: 0 }, pieces: [] };
  }
  const pieces = splitText(data, PART_DOCUMENT_BYTES);
  return { providerParts: { provider, model, parts: null, partDocuments: pieces.length }, pieces };
}
