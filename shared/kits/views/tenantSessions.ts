// Lists the sessions of one tenant, and finds a session by the start of its id.

import type { RawDocument, RawPage } from '../../contract/rawDocuments.ts';
import { paths, sessionType } from '../../core/schema/coreDocuments.ts';
import type { Unreadable } from '../../core/schema/readable.ts';
import { wordQuery } from '../../search/words.ts';
import { listSessions } from './listSessions.ts';
import { partialFault, VERSION_FIELD } from './partialFault.ts';
import type { SessionFilter } from './sessionFilter.ts';
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

/** The sessions of a tenant. */
interface SessionIndex {
  /** Sessions by id. */
  byId(page: Omit<RawPage, 'collection'>): Promise<RawDocument[]>;
  /** The id of the session that was opened last; undefined when there is none. */
  newest(): Promise<string | undefined>;
  /** The newest first; undefined for an `after` that belongs to no such list. */
  list(request: ListRequest): Promise<ListedSessions | undefined>;
}

/** A tenant's sessions, by indexes that exclude those of other tenants. */
export function tenantSessions(sources: RowSources, tenantId: string): SessionIndex {
  const { documents } = sources;
  return {
    byId: (page) =>
      documents.list({ ...page, collection: paths.sessions, equal: { field: TENANT, value: tenantId } }),
    async newest() {
      const page = await listSessions({ filter: {}, limit: 1, fields: [] }, tenantId, documents);
      return page?.found[0]?.id;
    },
    async list({ text, after, limit, now, ...filter }) {
      const words = text === undefined ? undefined : wordQuery(text);
      if (text !== undefined && words === undefined) return { rows: [], unreadable: [], next: null };
      const request = { filter, words, after, limit, fields: [...ROW_FIELDS, VERSION_FIELD] };
      const page = await listSessions(request, tenantId, documents);
      if (page === undefined) return undefined;
      const unreadable = page.found.flatMap((one) => partialFault(one, sessionType, 'status') ?? []);
      return { rows: await sessionRows(page.found, sources, now), unreadable, next: page.next };
    },
  };
}
