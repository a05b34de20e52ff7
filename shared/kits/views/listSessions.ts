// Lists a page of a tenant's sessions, the newest first.

import type { RawDocument, RawDocuments } from '../../contract/rawDocuments.ts';
import { paths } from '../../core/schema/coreDocuments.ts';
import { DEFAULT_TENANT } from '../../core/schema/session.ts';
import { timeAt } from './fieldAt.ts';
import {
  BY_ENTRY,
  fitsRead,
  isOfTenant,
  listFieldConditions,
  READ_FIELDS,
  type SessionFilter,
  type SessionPage,
} from './sessionFilter.ts';

const TENANT = 'tenantId';
const CREATED = 'createdAt';
/** The most documents that one page reads, unless all of them have the same time. */
const MAX_READ = 2_000;
/** The most documents of one query beyond the missing rows of a page. */
const MAX_STEP = 500;

interface PageRequest {
  /** The conditions for a session; an empty one matches all. */
  filter: SessionFilter;
  /** `next` of the previous page, or the id of a session of the tenant. */
  after?: string | undefined;
  /** The most sessions of the page. */
  limit: number;
  /** The fields to read. */
  fields: readonly string[];
}

/**
 * A page of the sessions of a tenant. An index excludes the sessions of other tenants. Sessions of code
 * before tenants existed belong to the default tenant, but have no such field, so that no index finds them:
 * the list of the default tenant filters while it reads, and ends a page early that would read more than
 * 2,000 documents.
 * @returns undefined for an `after` that names no session of the tenant.
 * @throws RetryableError when the store fails.
 */
export async function listSessions(
  { filter, after, limit, fields }: PageRequest,
  tenantId: string,
  documents: RawDocuments,
): Promise<SessionPage | undefined> {
  if (after?.startsWith(BY_ENTRY)) return undefined;
  const cutAt = after === undefined ? undefined : parseCursorTime(after);
  let afterId = cutAt === undefined ? after : undefined;
  if (afterId !== undefined && !(await isOwnSession(afterId, tenantId, documents))) return undefined;
  const byTenant = tenantId === DEFAULT_TENANT ? [] : [{ field: TENANT, oneOf: [tenantId] }];
  const query = {
    collection: paths.sessions,
    field: CREATED,
    from: filter.since,
    to: earlierDate(filter.until, cutAt),
    having: [...listFieldConditions(filter), ...byTenant],
    fields: [...new Set([...fields, ...READ_FIELDS, TENANT, CREATED])],
  };
  const own: RawDocument[] = [];
  let read = 0;
  let firstAt: string | null = null;
  for (;;) {
    const wanted = Math.max(limit - own.length, Math.min(MAX_STEP, read));
    const step = read < MAX_READ ? Math.min(wanted, MAX_READ - read) : wanted;
    const page = await documents.latest({ ...query, afterId, limit: step });
    own.push(...page.filter((document) => isOfTenant(document, tenantId) && fitsRead(document, filter)));
    const last = page.at(-1);
    const isAll = page.length < step || last === undefined;
    if (own.length > limit || (own.length === limit && !isAll))
      return { found: own.slice(0, limit), next: own[limit - 1]?.id ?? null };
    if (isAll) return { found: own, next: null };
    firstAt ??= timeAt((page[0] ?? last).fields, CREATED);
    const lastAt = timeAt(last.fields, CREATED);
    read += page.length;
    // The last document can be another tenant's, so that its time is the cursor: the next page reads all
    // documents of that time again.
    if (read >= MAX_READ && lastAt !== null && lastAt !== firstAt)
      return { found: own.filter((one) => timeAt(one.fields, CREATED) !== lastAt), next: lastAt };
    afterId = last.id;
  }
}

async function isOwnSession(sessionId: string, tenantId: string, documents: RawDocuments): Promise<boolean> {
  const [found] = await documents.getMany([paths.session(sessionId)], [TENANT]);
  return found !== undefined && isOfTenant(found, tenantId);
}

/** The time of a cursor; undefined for an id, which contains no colon. */
function parseCursorTime(cursor: string): Date | undefined {
  return cursor.includes(':') ? new Date(cursor) : undefined;
}

function earlierDate(a: Date | undefined, b: Date | undefined): Date | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return a < b ? a : b;
}
