// Finds the session that a client knows under its own id. Such ids are not used in document ids.

import { createHash } from 'node:crypto';
import { type Store, type Stored, saveDocument, type Write } from '../../core/contract/store.ts';
import { paths, sessionType } from '../../core/schema/coreDocuments.ts';
import type { Session } from '../../core/schema/session.ts';
import { type ChatKey, chatKeyTitle, chatKeyType } from './chatKeyDocument.ts';

/** The documents that a client's id leads to. */
export interface ChatPlace {
  /** The session; undefined if it does not exist yet or was deleted. */
  session: Session | undefined;
  /** The document of the client's id; undefined if there is none. */
  key: Stored<ChatKey> | undefined;
  /** Path of `key`, whether it exists or not. */
  path: string;
}

/** The form of a session id: other texts match no document. */
const SESSION_ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,199}$/;

/**
 * Finds the session of an id: a session id of Inquest, or the id with which the client opened a session.
 * @param store restricted to the tenant.
 * @throws RetryableError when the store fails; TerminalError for a document that cannot be read.
 */
export async function findChat(store: Store, tenantId: string, id: string): Promise<ChatPlace> {
  const digest = createHash('sha256').update(id).digest('hex').slice(0, 40);
  const path = chatKeyType.paths.chatKey(tenantId, digest);
  const [own, key] = await Promise.all([
    SESSION_ID.test(id) ? store.get(paths.session(id), sessionType) : undefined,
    store.get(path, chatKeyType),
  ]);
  if (own !== undefined || key === undefined) return { session: own?.value, key, path };
  const session = await store.get(paths.session(key.value.sessionId), sessionType);
  return { session: session?.value, key, path };
}

/** The write that maps a client's id to a session; refused if another session was opened with it. */
export function nameChat(
  { path, key }: ChatPlace,
  { tenantId, sessionId, expireAt, createdAt }: Session,
): Write {
  const value: ChatKey = { title: chatKeyTitle(sessionId), tenantId, sessionId, expireAt, createdAt };
  return saveDocument(path, chatKeyType, value, key?.version);
}
