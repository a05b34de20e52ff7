// The stored documents of a session that have spans.

import type { Store } from '../../core/contract/store.ts';
import { paths, sessionType } from '../../core/schema/coreDocuments.ts';
import type { DocumentType } from '../../core/schema/documentType.ts';
import { type StoredDocument, TRACED } from './spansOf.ts';

/** The documents of a session that have spans. @throws as the store. */
export async function documentsOfSession(
  sessionId: string,
  store: Pick<Store, 'get' | 'list'>,
): Promise<StoredDocument[]> {
  const session = await store.get(paths.session(sessionId), sessionType);
  if (session === undefined) return [];
  const lists = await Promise.all(
    Object.entries(TRACED).map(async ([name, type]) => {
      const collection = `${paths.session(sessionId)}/${name}`;
      const found = await store.list<unknown>({ collection }, type as DocumentType<unknown>);
      return found.map(({ id, value }) => ({ type: type.name, id, value }));
    }),
  );
  return [{ type: sessionType.name, id: sessionId, value: session.value }, ...lists.flat()];
}
