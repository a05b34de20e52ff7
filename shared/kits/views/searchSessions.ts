// Searches sessions by words of their title, alert and findings.

import { alertBodyIn } from '../../alerts/prompt.ts';
import type { RawDocument, RawDocuments } from '../../contract/rawDocuments.ts';
import { paths } from '../../core/schema/coreDocuments.ts';
import { wholeText } from '../../search/entryText.ts';
import { knowledgeType } from '../../search/knowledge.ts';
import { sessionEntryKey } from '../../search/sessionEntry.ts';
import { sessionText } from '../../search/sessionText.ts';
import { hasWords, type WordQuery } from '../../search/words.ts';
import { alertFields, alertIn, hasList, textAt, textsAt } from './fieldAt.ts';
import { BY_ENTRY, isListed, isOfTenant, type SessionFilter, type SessionPage } from './sessionFilter.ts';

const TENANT = 'tenantId';
/** The trigrams of a session, and of an entry of the knowledge base. */
const SESSION_TRIGRAMS = ['parts', 'search', 'trigrams'];
const TRIGRAM_FIELD = SESSION_TRIGRAMS.join('.');
const ENTRY_TRIGRAMS = 'trigrams';
/** The most documents that one page reads, of sessions and of entries each. */
const MAX_READ = 300;
/** Documents of one query. */
const STEP = 50;
const TEXT_FIELDS = [
  'title',
  ...alertFields('source', 'title', 'labels', 'summary'),
  'input',
  // Sessions of release 0.2.0.
  'alertText',
  'executiveSummary',
  'finalAnalysis',
];
const ENTRY_FIELDS = ['key', 'title', 'labels', 'text', 'session.sessionId'];

/** Selects a page of a list. */
interface SearchRequest {
  /** The words that a session must contain, all of them. */
  query: WordQuery;
  /** Further conditions; an empty filter matches all. */
  filter: SessionFilter;
  /** `next` of the previous page, or the id of a session of the tenant that has trigrams. */
  after?: string | undefined;
  /** The most sessions of the page. */
  limit: number;
  /** The fields of sessions to read. */
  fields: readonly string[];
}

/** A source of documents that lead to sessions, in the order of the list. */
interface Source {
  /** The next documents after an id; from the start for undefined. Empty at the end. */
  read(afterId: string | undefined): Promise<RawDocument[]>;
  /** The sessions of the list among the read documents, in their order. */
  pick(read: RawDocument[]): Promise<RawDocument[]>;
  /** The id of the session that a read document leads to. */
  sessionIdOf(read: RawDocument): string | null;
  /** The cursor after a session. */
  cursorOf(sessionId: string): string;
}

/**
 * A page of the sessions that contain the words, the newest first. After them come sessions of code that
 * stored no trigrams with a session: those with an entry in the knowledge base, the latest end first. A page
 * reads at most 300 documents of each kind, so that it can end early.
 * @returns undefined for an `after` that belongs to no such page.
 * @throws RetryableError when the store fails.
 */
export async function searchSessions(
  request: SearchRequest,
  tenantId: string,
  documents: RawDocuments,
): Promise<SessionPage | undefined> {
  const { after, limit } = request;
  if (after?.startsWith(BY_ENTRY))
    return readEntries(request, after.slice(BY_ENTRY.length), tenantId, documents);
  if (after !== undefined && !(await isFound(after, tenantId, documents))) return undefined;
  const page = await collectPage(sessionSource(request, tenantId, documents), after, limit);
  if (page.next !== null) return page;
  if (page.found.length === limit) return { ...page, next: BY_ENTRY };
  const rest = { ...request, limit: limit - page.found.length };
  const older = await readEntries(rest, '', tenantId, documents);
  return { found: [...page.found, ...(older?.found ?? [])], next: older?.next ?? null };
}

async function isFound(sessionId: string, tenantId: string, documents: RawDocuments): Promise<boolean> {
  const [session] = await documents.getMany([paths.session(sessionId)], [TENANT, TRIGRAM_FIELD]);
  return session !== undefined && isOfTenant(session, tenantId) && hasTrigrams(session);
}

/** Sessions that were opened, or ended, by code that stores trigrams with a session. */
function sessionSource(
  { query, filter, fields }: SearchRequest,
  tenantId: string,
  documents: RawDocuments,
): Source {
  return {
    read: (afterId) =>
      documents.latest({
        collection: paths.sessions,
        field: 'createdAt',
        from: filter.since,
        to: filter.until,
        having: [{ field: TENANT, oneOf: [tenantId] }],
        anyOf: { field: TRIGRAM_FIELD, values: query.anyOf },
        afterId,
        limit: STEP,
        fields: [...new Set([...fields, TENANT, 'createdAt', ...TEXT_FIELDS])],
      }),
    pick: async (read) =>
      read.filter((document) => isListed(document, filter) && hasWords(query, readSearchText(document))),
    sessionIdOf: ({ id }) => id,
    cursorOf: (sessionId) => sessionId,
  };
}

async function readEntries(
  request: SearchRequest,
  after: string,
  tenantId: string,
  documents: RawDocuments,
): Promise<SessionPage | undefined> {
  const afterId = after === '' ? undefined : `${tenantId}.${sessionEntryKey(after)}`;
  if (afterId !== undefined) {
    const [entry] = await documents.getMany([`${knowledgeType.paths.knowledge}/${afterId}`], [TENANT]);
    if (entry === undefined) return undefined;
  }
  return collectPage(entrySource(request, tenantId, documents), afterId, request.limit);
}

/** Sessions without trigrams, found by their entries in the knowledge base. */
function entrySource(
  { query, filter, fields }: SearchRequest,
  tenantId: string,
  documents: RawDocuments,
): Source {
  return {
    read: (afterId) =>
      documents.latest({
        collection: knowledgeType.paths.knowledge,
        field: 'updatedAt',
        // No session ends before it is opened.
        from: filter.since,
        having: [
          { field: TENANT, oneOf: [tenantId] },
          { field: 'kind', oneOf: ['session'] },
        ],
        anyOf: { field: ENTRY_TRIGRAMS, values: query.anyOf },
        afterId,
        limit: STEP,
        fields: ENTRY_FIELDS,
      }),
    async pick(read) {
      const ids = read
        .filter((entry) => hasWords(query, wholeText(describedBy(entry))))
        .flatMap(({ fields: entry }) => textAt(entry, 'session', 'sessionId') ?? []);
      const found = await documents.getMany(ids.map(paths.session), [
        ...fields,
        TENANT,
        TRIGRAM_FIELD,
        'createdAt',
      ]);
      const byId = new Map(found.map((document) => [document.id, document]));
      return ids
        .flatMap((id) => byId.get(id) ?? [])
        .filter((document) => isOfTenant(document, tenantId) && !hasTrigrams(document))
        .filter((document) => isListed(document, filter));
    },
    sessionIdOf: ({ fields: entry }) => textAt(entry, 'session', 'sessionId'),
    cursorOf: (sessionId) => `${BY_ENTRY}${sessionId}`,
  };
}

/** Reads until a page is full, or its read limit is reached. */
async function collectPage(source: Source, after: string | undefined, limit: number): Promise<SessionPage> {
  const found: RawDocument[] = [];
  let afterId = after;
  for (let read = 0; ; ) {
    const documents = await source.read(afterId);
    found.push(...(await source.pick(documents)));
    const lastFound = found[limit - 1];
    if (found.length > limit && lastFound !== undefined)
      return { found: found.slice(0, limit), next: source.cursorOf(lastFound.id) };
    const last = documents.at(-1);
    if (documents.length < STEP || last === undefined) return { found, next: null };
    read += documents.length;
    const lastId = source.sessionIdOf(last);
    if (found.length === limit || read >= MAX_READ)
      return { found, next: lastId === null ? null : source.cursorOf(lastId) };
    afterId = last.id;
  }
}

/** Whether the search finds a session by its own trigrams. */
function hasTrigrams({ fields }: RawDocument): boolean {
  return hasList(fields, ...SESSION_TRIGRAMS);
}

function readSearchText({ fields }: RawDocument): string {
  const alert = alertIn(fields);
  return sessionText({
    title: textAt(fields, 'title'),
    alert: {
      title: textAt(alert, 'title') ?? '',
      summary: textAt(alert, 'summary'),
      labels: textsAt(alert, 'labels'),
    },
    body: alertBodyIn(textAt(fields, 'input') ?? textAt(fields, 'alertText')),
    executiveSummary: textAt(fields, 'executiveSummary'),
    finalAnalysis: textAt(fields, 'finalAnalysis'),
  });
}

function describedBy({ fields }: RawDocument) {
  return {
    key: textAt(fields, 'key') ?? '',
    title: textAt(fields, 'title') ?? '',
    text: textAt(fields, 'text') ?? '',
    labels: textsAt(fields, 'labels'),
  };
}
