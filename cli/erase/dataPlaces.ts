// Where data of a session is stored, from the rows of the collections.

import type { Collection } from '../../shared/core/schema/defineCollection.ts';
import { collectionsWhere, paths } from '../../shared/lists/documents.ts';

/** The collections with this rule. */
export function collectionsAt(place: Extract<Collection['erase'], string>): string[] {
  return collectionsWhere(({ erase }) => erase === place);
}

/** The collections with an index of `sessionId`: each alert adds to them. */
export const INDEXED_SESSIONS: ReadonlySet<string> = new Set(
  collectionsWhere(({ indexes }) => indexes?.fields?.includes('sessionId') ?? false),
);

/** The collections whose field `tenantId` names a tenant, besides the sessions. */
export const OF_TENANT = collectionsWhere(({ schema, erase }) => {
  const { shape = {} } = schema as { shape?: object };
  return erase !== 'below' && 'tenantId' in shape;
});

/** The collections below a session whose documents have collections below them. */
export const PARENTS: ReadonlySet<string> = new Set(
  Object.values(paths).flatMap((path) => {
    const segments = typeof path === 'string' ? [] : (path as PathOf)('a', 'b', 1, 1).split('/');
    return segments.length > 4 && segments[2] !== undefined ? [segments[2]] : [];
  }),
);

type PathOf = (...parts: unknown[]) => string;
