// Lists a page of a tenant's sessions, the newest first.

import type { RawDocuments } from '../../contract/rawDocuments.ts';
import { paths } from '../../core/schema/coreDocuments.ts';
import { chooseFilterTexts, LIST_FIELD } from '../../schema/filterTexts.ts';
import { hasWords, type WordQuery } from '../../search/words.ts';
import { cutPage } from './readPage.ts';
import { readSearchText, TEXT_FIELDS, TRIGRAM_FIELD } from './searchText.ts';
import {
  FILTERED_FIELDS,
  filterValues,
  isListed,
  isOfTenant,
  type SessionFilter,
  type SessionPage,
} from './sessionFilter.ts';

const TENANT = 'tenantId';

interface PageRequest {
  /** The conditions for a session; an empty one matches all. */
  filter: SessionFilter;
  /** The words that a session must contain, all of them. Absent: any. */
  words?: WordQuery | undefined;
  /** `next` of the previous page, or the id of a session of the tenant. */
  after?: string | undefined;
  /** The most sessions of the page. */
  limit: number;
  /** The fields to read. */
  fields: readonly string[];
}

/**
 * A page of the sessions of a tenant. It reads at most `limit` sessions and one more, in one query. An index
 * has them by words or by two filters; others are checked while they are read, so that a page can end early.
 * @returns undefined for an `after` that names no session of the tenant.
 * @throws RetryableError when the store fails.
 */
export async function listSessions(
  { filter, words, after, limit, fields }: PageRequest,
  tenantId: string,
  documents: RawDocuments,
): Promise<SessionPage | undefined> {
  if (after !== undefined && !(await isOwnSession(after, tenantId, documents))) return undefined;
  const texts = chooseFilterTexts(filterValues(filter));
  const read = await documents.latest({
    collection: paths.sessions,
    field: 'createdAt',
    from: filter.since,
    to: filter.until,
    having: [{ field: TENANT, oneOf: [tenantId] }],
    anyOf:
      words !== undefined
        ? { field: TRIGRAM_FIELD, values: words.anyOf }
        : texts && { field: LIST_FIELD, values: texts },
    afterId: after,
    limit: limit + 1,
    fields: [...new Set([...fields, ...FILTERED_FIELDS, ...(words === undefined ? [] : TEXT_FIELDS)])],
  });
  const { page, next } = cutPage(read, limit);
  const found = page.filter(
    (document) =>
      isListed(document, filter) && (words === undefined || hasWords(words, readSearchText(document))),
  );
  return { found, next };
}

async function isOwnSession(sessionId: string, tenantId: string, documents: RawDocuments): Promise<boolean> {
  const [found] = await documents.getMany([paths.session(sessionId)], [TENANT]);
  return found !== undefined && isOfTenant(found, tenantId);
}
