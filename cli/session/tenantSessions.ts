// The sessions of one tenant, as they are stored, for lists and for finding one by the beginning of its id.

import type { RawDocument, RawDocuments, RawPage, RawTimePage } from '../../shared/contract/rawDocuments.ts';
import { tenantIn } from '../../shared/runtime/tenants/ownership.ts';
import { paths } from '../../shared/schema/documents.ts';
import { DEFAULT_TENANT } from '../../shared/schema/session.ts';

const TENANT = 'tenantId';

/** Pages of sessions; what belongs to another tenant is left out, and takes no place in a page. */
export interface SessionIndex {
  /** By id. */
  list(page: Omit<RawPage, 'collection'>): Promise<RawDocument[]>;
  /** By a time. */
  latest(page: Omit<RawTimePage, 'collection'>): Promise<RawDocument[]>;
}

/** The sessions of a tenant. Documents of other tenants are read where no index leaves them out, and dropped. */
export function tenantSessions(documents: RawDocuments, tenantId: string): SessionIndex {
  const { sessions: collection } = paths;
  // Sessions of code that knew no tenants have no such field, which no index finds; they are the default tenant's.
  const byIndex = tenantId === DEFAULT_TENANT ? [] : [{ field: TENANT, oneOf: [tenantId] }];
  const isOwn = ({ fields }: RawDocument) => tenantIn(Object.fromEntries(fields)) === tenantId;

  const collect = async (
    { limit, afterId: first }: { limit: number; afterId?: string | undefined },
    read: (afterId: string | undefined) => Promise<RawDocument[]>,
  ): Promise<RawDocument[]> => {
    const found: RawDocument[] = [];
    let afterId = first;
    while (found.length < limit) {
      const page = await read(afterId);
      found.push(...page.filter(isOwn));
      if (page.length < limit) break;
      afterId = page.at(-1)?.id;
    }
    return found.slice(0, limit);
  };

  return {
    list: (page) => {
      const fields = page.fields && [...page.fields, TENANT];
      return collect(page, (afterId) => documents.list({ ...page, collection, fields, afterId }));
    },
    latest: (page) => {
      const fields = [...page.fields, TENANT];
      const having = [...(page.having ?? []), ...byIndex];
      return collect(page, (afterId) => documents.latest({ ...page, collection, fields, having, afterId }));
    },
  };
}
