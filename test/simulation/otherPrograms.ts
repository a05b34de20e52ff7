// What other programs do to the database while the functions run: older code wrote it, a migration rewrites
// it, and Firestore's TTL policy deletes it.

import { migrateDocuments } from '../../cli/migration/migrate.ts';
import type { OutdatedDocuments } from '../../shared/core/contract/store.ts';
import { InquestError } from '../../shared/core/errors.ts';
import type { RuntimeDeps } from '../../shared/core/kernel/deps.ts';
import { executionType, paths, sessionType } from '../../shared/lists/documents.ts';
import { toExecution5, toSession7 } from '../schema/olderSession.ts';
import { executionKey } from './record.ts';
import type { World } from './world.ts';

/**
 * Stores the session at `path` and its executions as release 0.2.0 did. They must be as they were created.
 */
export function makeOutdated(path: string, world: World): void {
  world.countFault('document_outdated');
  const { rewrite } = world.store;
  rewrite(path, (data) => ({ ...toSession7(data), schemaVersion: sessionType.oldest }));
  for (const execution of world.store.documents()) {
    if (execution.path.startsWith(`${path}/executions/`))
      rewrite(execution.path, (data) => ({ ...toExecution5(data), schemaVersion: executionType.oldest }));
  }
}

/** Stores a document unchanged under a new version. Its holder is refused once. */
export function rewriteDocument(path: string, { store, record, time }: World): void {
  store.rewrite(path, (data) => data);
  const [collection, sessionId = '', , executionId = ''] = path.split('/');
  // An approval is written in the batch of its execution, which is refused then.
  const approval = collection === 'approvals' ? record.approvals.get(sessionId) : undefined;
  const execution = record.executions.get(executionKey(approval ?? { sessionId, executionId }));
  const session = record.sessions.get(sessionId);
  if (execution !== undefined) {
    execution.by.process.troubledAt = time.now();
    record.executions.set(executionKey(execution.value), {
      ...execution,
      value: { ...execution.value },
      at: time.now(),
    });
  } else if (session !== undefined) {
    record.sessions.set(sessionId, { ...session });
  }
}

/** `npx inquest migrate`, with the store of one process. It may be stopped by the store at any document. */
export async function migrateAll({ store, clock }: RuntimeDeps, world: World): Promise<void> {
  try {
    for await (const _ of migrateDocuments({
      outdated: outdatedDocuments(world),
      store,
      dryRun: false,
      now: () => clock.now(),
      collections: { sessions: sessionType, executions: executionType },
    }));
  } catch (error) {
    if (!(error instanceof InquestError)) throw error;
  }
}

function outdatedDocuments({ store }: World): OutdatedDocuments {
  const find = (collection: string, version: number): string[] =>
    store
      .documents()
      .filter(
        ({ path, data }) => path.split('/').at(-2) === collection && Number(data.schemaVersion) < version,
      )
      .map(({ path }) => path);
  return {
    count: async (collection, version) => find(collection, version).length,
    async *pages(collection, version) {
      const found = find(collection, version);
      if (found.length > 0) yield found;
    },
    close: () => Promise.resolve(),
  };
}

/**
 * Deletes half of what is left of a session, in any order, now and every minute until nothing is left. The
 * key of its alert is kept for longer.
 */
export function expireSession(sessionOf: () => string, world: World): void {
  const sessionId = sessionOf();
  const path = paths.session(sessionId);
  const left = world.store
    .documents()
    .filter(
      ({ path: one, data }) =>
        one === path ||
        one.startsWith(`${path}/`) ||
        (one.startsWith('approvals/') && data.sessionId === sessionId),
    );
  if (left.length === 0 && world.record.expired.has(sessionId)) return;
  if (left.length > 0) {
    if (!world.record.expired.has(sessionId)) world.record.expired.set(sessionId, world.time.now());
    world.countFault('document_expired');
  }
  const chance = left.length > 2 ? 0.5 : 1;
  for (const document of left)
    if (world.random.chance(chance)) world.store.rewrite(document.path, () => undefined);
  world.time.after(60_000, () => expireSession(sessionOf, world));
}
