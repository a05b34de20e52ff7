// Finds the session that a client knows by an id of its own. Such an id becomes part of no document's id.

import { createHash } from 'node:crypto';
import { create, replace, type Store, type Stored, type Write } from '../../../contract/store.ts';
import { type ChatKey, chatKeyTitle } from '../../../schema/chatKey.ts';
import { chatKeyType, paths, sessionType } from '../../../schema/documents.ts';
import type { Session } from '../../../schema/session.ts';

/** What an id of a client leads to. */
export interface ChatPlace {
  /** The session; undefined when there is none yet, or no longer. */
  session: Session | undefined;
  /** The document of the id; undefined when there is none. */
  key: Stored<ChatKey> | undefined;
  path: string;
}

/** What can be the id of a session: other texts lead to no document. */
const SESSION_ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,199}$/;

/**
 * The session that an id names: one of Inquest's, else the one that the client opened with it.
 * @param store only the tenant's.
 * @throws RetryableError when the store fails; TerminalError for a document that cannot be read.
 */
export async function findChat(store: Store, tenantId: string, id: string): Promise<ChatPlace> {
  const digest = createHash('sha256').update(id).digest('hex').slice(0, 40);
  const path = paths.chatKey(tenantId, digest);
  const [own, key] = await Promise.all([
    SESSION_ID.test(id) ? store.get(paths.session(id), sessionType) : undefined,
    store.get(path, chatKeyType),
  ]);
  if (own !== undefined || key === undefined) return { session: own?.value, key, path };
  const session = await store.get(paths.session(key.value.sessionId), sessionType);
  return { session: session?.value, key, path };
}

/** The write that makes a client's id name a session; it is refused when another one was opened with the id meanwhile. */
export function nameChat(
  { path, key }: ChatPlace,
  { tenantId, sessionId, expireAt, createdAt }: Session,
): Write {
  const value: ChatKey = { title: chatKeyTitle(sessionId), tenantId, sessionId, expireAt, createdAt };
  return key === undefined
    ? create(path, chatKeyType, value)
    : replace(path, chatKeyType, value, key.version);
}
