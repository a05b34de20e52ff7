// Lists the sessions of one tenant, and finds a session by the start of its id.

import type { RawDocument, RawDocuments, RawPage } from '../../contract/rawDocuments.ts';
import { paths, sessionType } from '../../core/schema/coreDocuments.ts';
import type { Unreadable } from '../../core/schema/readable.ts';
import { wordQuery } from '../../search/words.ts';
import { listSessions } from './listSessions.ts';
import { partialFault, VERSION_FIELD } from './partialFault.ts';
import { searchSessions } from './searchSessions.ts';
import { isOfTenant, type SessionFilter, type SessionPage } from './sessionFilter.ts';
import { ROW_FIELDS, type RowSources, type SessionRow, sessionRows } from './sessionRow.ts';

const TENANT = 'tenantId';

/** Selects a page of a list. */
interface ListRequest extends SessionFilter {
  /** Only sessions that contain these words. At least one letter or digit. */
  text?: string | undefined;
  /** `next` of the previous page, or the id of a session of the tenant. */
  after?: string | undefined;
  /** The most sessions of the page. */
  limit: number;
  /** The current time; it ends the duration of running sessions. */
  now: Date;
}

/** A page of a list. */
export interface ListedSessions {
  /** The sessions, the newest first. */
  rows: SessionRow[];
  /**
   * Sessions of the page that this code cannot read, as far as their version and status show it. They have a
   * row as well.
   */
  unreadable: Unreadable[];
  /** For `after` of the next page, which can have sessions after an empty page; null on the last. */
  next: string | null;
}

/** Pages of a tenant's sessions; sessions of other tenants are excluded and take no place in a page. */
interface SessionIndex {
  /** Sessions by id. */
  byId(page: Omit<RawPage, 'collection'>): Promise<RawDocument[]>;
  /** The id of the session that was opened last; undefined when there is none. */
  newest(): Promise<string | undefined>;
  /** The newest first; undefined for an `after` that belongs to no such list. */
  list(request: ListRequest): Promise<ListedSessions | undefined>;
}

/** A tenant's sessions. Others' are read and dropped only where no index excludes them. */
export function tenantSessions(sources: RowSources, tenantId: string): SessionIndex {
  const { documents } = sources;
  return {
    byId: (page) => sessionsById(page, tenantId, documents),
    async newest() {
      for (let after: string | undefined; ; ) {
        const request = { filter: {}, after, limit: 1, fields: [] };
        const page = await listSessions(request, tenantId, documents);
        const [newest] = page?.found ?? [];
        // A page can be empty although later pages, after sessions of other tenants, are not.
        if (newest !== undefined || !page?.next) return newest?.id;
        after = page.next;
      }
    },
    async list({ text, after, limit, now, ...filter }) {
      const request = { filter, after, limit, fields: [...ROW_FIELDS, VERSION_FIELD] };
      // A place stands in the labels, whose words have an index.
      const words = [text, filter.place].filter((one) => one !== undefined);
      const page = await readTenantPage(
        words.length === 0 ? undefined : words.join(' '),
        request,
        tenantId,
        documents,
      );
      if (page === undefined) return undefined;
      const unreadable = page.found.flatMap((one) => partialFault(one, sessionType, 'status') ?? []);
      return { rows: await sessionRows(page.found, sources, now), unreadable, next: page.next };
    },
  };
}

async function readTenantPage(
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
