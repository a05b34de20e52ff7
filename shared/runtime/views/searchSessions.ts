// Sessions that have ended, by words of what they left in the knowledge base: of their alert, and of what they found.

import type { RawDocument, RawDocuments } from '../../contract/rawDocuments.ts';
import { paths } from '../../schema/documents.ts';
import { sessionEntryKey } from '../../search/sessionEntry.ts';
import { hasWords, type WordQuery } from '../../search/words.ts';
import { textAt } from './fieldAt.ts';
import { isListed, isOfTenant, type SessionFilter, type SessionPage } from './sessionFilter.ts';

const TENANT = 'tenantId';
/** Entries that one page looks at. */
const MAX_READ = 300;
/** Entries of one query. */
const STEP = 50;
const ENTRY_FIELDS = ['key', 'title', 'labels', 'text', 'session.sessionId'];

/** Which page of which list. */
interface SearchRequest {
  query: WordQuery;
  filter: SessionFilter;
  /** `next` of the page before. */
  after?: string | undefined;
  limit: number;
  /** The fields of sessions to read. */
  fields: readonly string[];
}

/**
 * A page of the sessions whose entry has the words, the one that ended last first. It looks at 300 entries at most, so that
 * it may end early.
 * @returns undefined for an `after` that is of no such page.
 * @throws RetryableError when the store fails.
 */
export async function searchSessions(
  { query, filter, after, limit, fields }: SearchRequest,
  tenantId: string,
  documents: RawDocuments,
): Promise<SessionPage | undefined> {
  const idOf = (sessionId: string) => `${tenantId}.${sessionEntryKey(sessionId)}`;
  let afterId = after === undefined ? undefined : idOf(after);
  if (afterId !== undefined) {
    const [entry] = await documents.getMany([`${paths.knowledge}/${afterId}`], [TENANT]);
    if (entry === undefined) return undefined;
  }
  const found: RawDocument[] = [];
  for (let read = 0; ; ) {
    const entries = await documents.latest({
      collection: paths.knowledge,
      field: 'updatedAt',
      // Nothing ends before it is opened.
      from: filter.since,
      having: [
        { field: TENANT, oneOf: [tenantId] },
        { field: 'kind', oneOf: ['session'] },
      ],
      anyOf: { field: 'trigrams', values: query.anyOf },
      afterId,
      limit: STEP,
      fields: ENTRY_FIELDS,
    });
    found.push(...(await sessionsOf(entries, { query, filter, fields }, tenantId, documents)));
    if (found.length > limit) return { found: found.slice(0, limit), next: found[limit - 1]?.id ?? null };
    const last = entries.at(-1);
    if (entries.length < STEP || last === undefined) return { found, next: null };
    read += entries.length;
    if (found.length === limit || read >= MAX_READ)
      return { found, next: textAt(last.fields, 'session', 'sessionId') };
    afterId = last.id;
  }
}

/** The sessions of the entries that fit, in their order; those that are not stored any more are left out. */
async function sessionsOf(
  entries: RawDocument[],
  { query, filter, fields }: Pick<SearchRequest, 'query' | 'filter' | 'fields'>,
  tenantId: string,
  documents: RawDocuments,
): Promise<RawDocument[]> {
  const ids = entries
    .filter((entry) => hasWords(query, describedBy(entry)))
    .flatMap(({ fields: entry }) => textAt(entry, 'session', 'sessionId') ?? []);
  const read = await documents.getMany(ids.map(paths.session), [...fields, TENANT, 'createdAt']);
  const byId = new Map(read.map((document) => [document.id, document]));
  return ids
    .flatMap((id) => byId.get(id) ?? [])
    .filter((document) => isOfTenant(document, tenantId))
    .filter((document) => isListed(document, filter));
}

function describedBy({ fields }: RawDocument) {
  const labels = fields.get('labels');
  const pairs = labels instanceof Map ? [...labels].map(([name, value]) => [name, String(value)]) : [];
  return {
    key: textAt(fields, 'key') ?? '',
    title: textAt(fields, 'title') ?? '',
    text: textAt(fields, 'text') ?? '',
    labels: Object.fromEntries(pairs) as Record<string, string>,
  };
}
