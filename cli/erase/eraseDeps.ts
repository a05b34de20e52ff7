// The services that erasing needs.

import type { RawDatabase } from '../../shared/contract/rawDocuments.ts';
import type { Store } from '../../shared/core/contract/store.ts';

/** The services that erasing needs. */
export interface EraseDeps {
  store: Store;
  raw: RawDatabase;
  /** Counts without a change. */
  dryRun: boolean;
  /** Called after each page with the number of documents of a collection. */
  onErased(collection: string, count: number): void;
  /** Deletes the parts of a session in other services. Absent: there are none. */
  eraseElsewhere?(sessionId: string): Promise<void>;
  /** Called after each session of a tenant. */
  onSession?(done: number, total: number): void;
}
