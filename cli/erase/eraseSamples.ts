// Removes samples of rejected messages of a tenant or session; documents have others' samples, too.

import { replaceDocument } from '../../shared/core/contract/store.ts';
import {
  RACE_LOST,
  retryLostRaces,
  SESSION_RACES,
} from '../../shared/core/kernel/documents/retryConflict.ts';
import { rawDocumentType } from '../../shared/core/schema/documentType.ts';
import { DEFAULT_TENANT } from '../../shared/core/schema/session.ts';
import { paths } from '../../shared/lists/documents.ts';
import { asObject } from '../../shared/text/json.ts';
import type { EraseDeps } from './eraseDeps.ts';

/** Documents of a page, which are read at the same time; each has up to 20 samples. */
const PAGE_SIZE = 50;

interface Owners {
  /** Messages name a session in the attribute `sessionId`. */
  sessionIds: ReadonlySet<string>;
  /** Alerts and changes name a tenant in the attribute `tenant`. Absent: only the sessions count. */
  tenantId?: string;
}

/** Removes the owners' samples from all rejected messages; counts stay. Throws as `eraseSession`. */
export async function eraseSamples(owners: Owners, deps: EraseDeps): Promise<void> {
  for (let afterId: string | undefined, isLast = false; !isLast; ) {
    const page = { collection: paths.rejectedMessages, limit: PAGE_SIZE, afterId, fields: ['schemaVersion'] };
    const found = await deps.raw.list(page);
    const counts = await Promise.all(
      found.map(({ path }) => retryLostRaces(path, SESSION_RACES, () => removeSamples(path, owners, deps))),
    );
    for (const count of counts) if (count > 0) deps.onErased(paths.rejectedMessages, count);
    afterId = found.at(-1)?.id;
    isLast = found.length < PAGE_SIZE;
  }
}

/** @returns the number of removed samples. */
async function removeSamples(
  path: string,
  owners: Owners,
  { store, dryRun }: EraseDeps,
): Promise<number | typeof RACE_LOST> {
  // Raw, so that a document of another version keeps its form.
  const stored = await store.get(path, rawDocumentType);
  if (stored === undefined) return 0;
  const { kept, removed } = keptSamples(stored.value, owners);
  if (dryRun || removed === 0) return removed;
  const changed = { ...stored.value, samples: kept };
  const write = replaceDocument(path, rawDocumentType, changed, stored.version);
  return (await store.commit([write])).ok ? removed : RACE_LOST;
}

function keptSamples(
  { function: functionName, samples = [] }: Record<string, unknown>,
  { sessionIds, tenantId }: Owners,
): { kept: unknown[]; removed: number } {
  const all = samples as unknown[];
  const kept = all.filter((sample) => {
    const { sessionId, tenant } = asObject(asObject(sample).attributes);
    if (sessionIds.has(String(sessionId))) return false;
    // An alert that names no tenant belongs to the default one.
    const owner = tenant || (functionName === 'ingestAlert' ? DEFAULT_TENANT : undefined);
    return tenantId === undefined || owner !== tenantId;
  });
  return { kept, removed: all.length - kept.length };
}
