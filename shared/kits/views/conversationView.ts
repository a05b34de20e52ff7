// Shows people the stored conversation of an execution with its model.

import type { ConversationMessage } from '../../core/contract/llm.ts';
import type { Store } from '../../core/contract/store.ts';
import { TerminalError } from '../../core/errors.ts';
import { readMessages } from '../../core/kernel/conversation/conversation.ts';
import { executionType, messageType, paths, sessionType } from '../../core/schema/coreDocuments.ts';
import { frameMarkHider, type MessageView, messageView } from './messageView.ts';
import { getReadable } from './readable.ts';
import { isAbsent, type Page, readPage, withOwner } from './readPage.ts';

/** UTF-8 bytes of a message's texts in a page. */
const TEXT_BYTES = 64_000;

/** Selects a part of a conversation. */
interface ConversationRequest {
  /** The session of the execution. */
  sessionId: string;
  /** The execution whose messages are shown. */
  executionId: string;
  /** `next` of the previous page. */
  after?: string | undefined;
}

/**
 * A page of a conversation. Texts of more than 64 kB in a message are cut.
 * @returns undefined when there is no such execution.
 * @throws RetryableError when the store fails; TerminalError for a document that cannot be read.
 */
export async function readConversation(
  { sessionId, executionId, after }: ConversationRequest,
  store: Store,
): Promise<Page<MessageView> | undefined> {
  const [session, execution] = await Promise.all([
    store.get(paths.session(sessionId), sessionType),
    getReadable(paths.execution(sessionId, executionId), executionType, store),
  ]);
  if (session === undefined || isAbsent(execution)) return undefined;
  const hide = frameMarkHider(session.value);
  const page = await readPage(
    {
      collection: paths.messages(sessionId),
      type: messageType,
      prefix: `${executionId}.`,
      after,
      show: (_, message) => messageView(message, { hide, textBytes: TEXT_BYTES }),
    },
    store,
  );
  return withOwner(page, execution);
}

/**
 * A message with all its blocks.
 * @returns undefined when it does not exist.
 * @throws RetryableError when the store fails; TerminalError for a document that cannot be read.
 */
export async function readShownMessage(
  { sessionId, executionId }: ConversationRequest,
  sequenceNumber: number,
  store: Store,
): Promise<MessageView | undefined> {
  const [session, message, whole] = await Promise.all([
    store.get(paths.session(sessionId), sessionType),
    store.get(paths.message(sessionId, executionId, sequenceNumber), messageType),
    readMessages(store, sessionId, executionId, { first: sequenceNumber, last: sequenceNumber }),
  ]);
  if (session === undefined || message === undefined) return undefined;
  const blocks = whole.value?.get(sequenceNumber)?.blocks;
  const hide = frameMarkHider(session.value);
  return messageView(message.value, {
    hide,
    textBytes: Number.POSITIVE_INFINITY,
    ...(blocks && { whole: blocks }),
  });
}

/**
 * The messages of a conversation, for export: masked as they are stored, without the marks of frames. The
 * session's canary is never stored.
 * @returns undefined when there is no such execution.
 * @throws RetryableError when the store fails; TerminalError for a document that cannot be read.
 */
export async function readWholeConversation(
  { sessionId, executionId }: ConversationRequest,
  store: Store,
): Promise<ConversationMessage[] | undefined> {
  const [session, execution, messages] = await Promise.all([
    store.get(paths.session(sessionId), sessionType),
    store.get(paths.execution(sessionId, executionId), executionType),
    readMessages(store, sessionId, executionId),
  ]);
  if (session === undefined || execution === undefined) return undefined;
  if (messages.value === undefined) throw new TerminalError(messages.failure.code, messages.failure.message);
  const hide = frameMarkHider(session.value);
  const ordered = [...messages.value].sort(([a], [b]) => a - b).map(([, message]) => message);
  return JSON.parse(hide(JSON.stringify(ordered)));
}
