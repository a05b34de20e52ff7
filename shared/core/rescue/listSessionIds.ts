// Lists the ids of sessions by status, in pages.

import type { Store } from '../contract/store.ts';
import { paths } from '../schema/coreDocuments.ts';
import type { Session } from '../schema/session.ts';

/** Ids of a page; the last page has fewer. */
export const PAGE_SIZE = 200;

/**
 * The ids of all sessions with one of `statuses`, page by page. @throws as the store.
 * @param afterId only later ones.
 */
export async function* listSessionIds(
  statuses: readonly Session['status'][],
  store: Pick<Store, 'listIds'>,
  afterId?: string,
): AsyncGenerator<string[]> {
  const query = { collection: paths.sessions, field: 'status', oneOf: [...statuses], limit: PAGE_SIZE };
  do {
    const ids = await store.listIds({ ...query, ...(afterId !== undefined && { afterId }) });
    yield ids;
    afterId = ids.length < PAGE_SIZE ? undefined : ids.at(-1);
  } while (afterId !== undefined);
}
