// Reads messages of sessions, which LOOKUP finds by their keys like entries.

import type { Store } from '../../core/contract/store.ts';
import { lookupMessage } from '../../kits/views/chat/lookupMessage.ts';
import type { Knowledge } from '../../search/knowledge.ts';
import type { Scope } from '../../search/readEntry.ts';

/**
 * Returns the message of a key (`session-{id}-msg-{index}`) in a session of the tenant; undefined if there is
 * none.
 * @throws as `lookupMessage`.
 */
export async function readMessage(
  key: string,
  { tenantId, userId }: Scope,
  store: Store,
): Promise<Knowledge | undefined> {
  const message = await lookupMessage(store, tenantId, key);
  if (message === undefined) return undefined;
  const { role, text, createdAt } = message;
  return {
    tenantId,
    key,
    kind: 'message',
    title: role === 'user' ? 'a question of this session' : 'an answer of this session',
    text,
    links: [],
    labels: {},
    session: null,
    trigrams: [],
    embedding: null,
    embeddingModel: null,
    userId,
    updatedBy: role,
    updatedAt: createdAt,
    expireAt: null,
  };
}
