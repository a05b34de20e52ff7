// How the owner of a stored document is known, from the row of its collection. The guard of `tenantStore`
// derives every rule from it.

import { paths } from '../../core/schema/coreDocuments.ts';
import { type Collection, findCollection } from '../../core/schema/defineCollection.ts';
import { DEFAULT_TENANT } from '../../core/schema/session.ts';

/** How the owner of the documents at a path is known. */
export type Owner =
  | { kind: Exclude<Collection['owner'], 'below'> }
  /** The tenant of this session. */
  | { kind: 'below'; sessionId: string };

/**
 * How the owner of a document, or of the documents of a collection, is known.
 * @param path of either. Unknown paths, and those of collections whose module is not loaded, belong to the
 * operators.
 */
export function findPathOwner(path: string): Owner {
  const [root = '', id = '', ...rest] = path.split('/');
  if (rest.length > 0)
    return root === paths.sessions ? { kind: 'below', sessionId: id } : { kind: 'operators' };
  const kind = findCollection(root)?.owner ?? 'operators';
  return kind === 'below' ? { kind: 'operators' } : { kind };
}

/** A document's tenant; the default one for documents from before tenants. Undefined if broken. */
export function tenantIn(data: Record<string, unknown>): string | undefined {
  const { tenantId = DEFAULT_TENANT } = data;
  return typeof tenantId === 'string' ? tenantId : undefined;
}
