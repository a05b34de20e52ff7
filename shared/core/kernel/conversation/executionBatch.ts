// Builds the documents of one commit: events and messages with the next numbers and the ids of an execution.

import { makeVisible } from '../../../text/hiddenCharacters.ts';
import { createDocument, type Write } from '../../contract/store.ts';
import type { Approval } from '../../schema/approval.ts';
import { messagePartType, messageType, paths, timelineEventType } from '../../schema/coreDocuments.ts';
import type { Execution } from '../../schema/execution.ts';
import type { Message, MessageDraft } from '../../schema/message.ts';
import type { EventDraft, TimelineEvent } from '../../schema/timelineEvent.ts';
import type { StoredMessage } from './conversation.ts';
import { fitEvent } from './fitEvent.ts';
import { fitMessage } from './fitMessage.ts';

/** Collects the documents of one commit and assigns their sequence numbers. */
export interface ExecutionBatch {
  /** The time of the commit, which is the creation time of every document in the batch. */
  readonly now: Date;
  /** The documents so far. Callers append further ones. */
  readonly writes: Write[];
  /** The messages among the writes. */
  readonly messages: StoredMessage[];
  /** The events among the writes, and the approvals, which callers append. */
  readonly after: { events: TimelineEvent[]; approvals: Approval[] };
  /** The last numbers assigned or reserved, for the execution to store. */
  counters(): Pick<Execution, 'lastEvent' | 'lastMessage'>;
  /** Adds an event under the next number or a reserved one; cuts it if it is too large for a document. */
  appendEvent(draft: EventDraft, sequenceNumber?: number): void;
  /** Adds a message under the next number or a reserved one. */
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
  const messages: StoredMessage[] = [];
  const after: ExecutionBatch['after'] = { events: [], approvals: [] };

  return {
    now,
    writes,
    messages,
    after,
    counters: () => ({ lastEvent, lastMessage }),
    reserveEvent: () => ++lastEvent,
    reserveMessage: () => ++lastMessage,
    appendEvent(draft, sequenceNumber = ++lastEvent) {
      const event = {
        ...fitEvent({ ...draft, content: makeVisible(draft.content) }),
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
      after.events.push(event);
      writes.push(
        createDocument(paths.event(sessionId, executionId, sequenceNumber), timelineEventType, event),
      );
    },
    appendMessage(draft, sequenceNumber = ++lastMessage) {
      const { blocks, blockPieces, parts } = fitMessage(draft);
      const pieces = [...(parts?.pieces ?? []), ...blockPieces];
      const { replay } = draft;
      const message: Message = {
        sessionId,
        executionId,
        sequenceNumber,
        role: draft.role,
        iteration,
        blocks,
        blockDocuments: blockPieces.length,
        providerParts:
          replay === undefined || parts === null
            ? null
            : {
                provider: replay.provider,
                model: replay.model,
                parts: parts.inline,
                partDocuments: parts.pieces.length,
              },
        expireAt,
        createdAt: now,
      };
      messages.push({ message, pieces });
      writes.push(
        createDocument(paths.message(sessionId, executionId, sequenceNumber), messageType, message),
      );
      pieces.forEach((text, index) => {
        const part = index + 1;
        const path = paths.messagePart(sessionId, executionId, sequenceNumber, part);
        writes.push(createDocument(path, messagePartType, { part, text, expireAt }));
      });
    },
  };
}
