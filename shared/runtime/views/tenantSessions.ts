// The sessions of one tenant, as they are stored, for lists and for finding one by the beginning of its id.

import type { RawDocument, RawDocuments, RawPage } from '../../contract/rawDocuments.ts';
import { paths, sessionType } from '../../schema/documents.ts';
import type { Unreadable } from '../../schema/readable.ts';
import { wordQuery } from '../../search/words.ts';
import { listSessions } from './listSessions.ts';
import { partialFault, VERSION_FIELD } from './partialFault.ts';
import { searchSessions } from './searchSessions.ts';
import { isOfTenant, type SessionFilter, type SessionPage } from './sessionFilter.ts';
import { ROW_FIELDS, type SessionRow, sessionRows } from './sessionRow.ts';

const TENANT = 'tenantId';

/** Which page of a list. */
interface ListRequest extends SessionFilter {
  /** Only sessions that have its words. At least one letter or digit. */
  text?: string | undefined;
  /** `next` of the page before, or the id of a session of the tenant. */
  after?: string | undefined;
  limit: number;
  /** The clock: it ends the duration of sessions that run. */
  now: Date;
}

/** A page of a list. */
export interface ListedSessions {
  rows: SessionRow[];
  /** Sessions of the page that this code cannot read, as far as their version and status show. They have a row as well. */
  unreadable: Unreadable[];
  /** For `after` of the next page, which may have sessions also where this one has none; null when that is all. */
  next: string | null;
}

/** Pages of sessions; what belongs to another tenant is left out, and takes no place in a page. */
export interface SessionIndex {
  /** By id. */
  byId(page: Omit<RawPage, 'collection'>): Promise<RawDocument[]>;
  /** The id of the one that was opened last; undefined when there is none. */
  newest(): Promise<string | undefined>;
  /** The newest first; undefined for an `after` that is of no such list. */
  list(request: ListRequest): Promise<ListedSessions | undefined>;
}

/** The sessions of a tenant. Documents of other tenants are read where no index leaves them out, and dropped. */
export function tenantSessions(documents: RawDocuments, tenantId: string): SessionIndex {
  return {
    byId: (page) => sessionsById(page, tenantId, documents),
    async newest() {
      for (let after: string | undefined; ; ) {
        const request = { filter: {}, after, limit: 1, fields: [] };
        const page = await listSessions(request, tenantId, documents);
        const [newest] = page?.found ?? [];
        // A page may have none though there are some, behind those of other tenants.
        if (newest !== undefined || !page?.next) return newest?.id;
        after = page.next;
      }
    },
    async list({ text, after, limit, now, ...filter }) {
      const request = { filter, after, limit, fields: [...ROW_FIELDS, VERSION_FIELD] };
      const page = await pageOf(text, request, tenantId, documents);
      if (page === undefined) return undefined;
      const unreadable = page.found.flatMap((one) => partialFault(one, sessionType, 'status') ?? []);
      return { rows: await sessionRows(page.found, documents, now), unreadable, next: page.next };
    },
  };
}

async function pageOf(
  text: string | undefined,
  request: Parameters<typeof listSessions>[0],
  tenantId: string,
  documents: RawDocuments,
): Promise<SessionPage | undefined> {
  if (text === undefined) return listSessions(request, tenantId, documents);
  const query = wordQuery(text);
  if (query === undefined) return { found: [], next: null };
  return searchSessions({ ...request, query }, tenantId, documents);
}

async function sessionsById(
  page: Omit<RawPage, 'collection'>,
  tenantId: string,
  documents: RawDocuments,
): Promise<RawDocument[]> {
  const fields = page.fields && [...page.fields, TENANT];
  const found: RawDocument[] = [];
  let { afterId } = page;
  while (found.length < page.limit) {
    const read = await documents.list({ ...page, collection: paths.sessions, fields, afterId });
    found.push(...read.filter((document) => isOfTenant(document, tenantId)));
    if (read.length < page.limit) break;
    afterId = read.at(-1)?.id;
  }
  return found.slice(0, page.limit);
}
