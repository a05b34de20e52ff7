// The documents of a tenant among those that were read.

import type { Stored } from '../../core/contract/store.ts';
import type { LateReader } from './lateReader.ts';
import type { Owner } from './ownership.ts';
import type { TenantGuard } from './tenantGuard.ts';

/**
 * The documents that are the tenant's, or shared with it.
 * @throws the error of `decode` for the first of them that cannot be read.
 */
export async function ownDocuments<T>(
  guard: TenantGuard,
  owner: Owner,
  found: Stored<T>[],
  reader: LateReader<T>,
): Promise<Stored<T>[]> {
  const isOwn = await Promise.all(found.map(({ value }) => guard.isOwnData(owner, reader.dataOf(value))));
  const own = found.filter((_, index) => isOwn[index]);
  for (const { value } of own) reader.check(value);
  return own;
}
