// Simulates a process that dies at a crash point: from then on none of its calls has an effect or an answer.

import type { CollectionQuery, FieldQuery, SelectionQuery, Write } from '../../shared/core/contract/store.ts';
import type { CrashPoint } from '../../shared/core/kernel/crashPoints.ts';
import type { StateDeps } from '../../shared/core/kernel/deps.ts';
import type { DocumentType } from '../../shared/core/schema/documentType.ts';

/**
 * Runs `work` as a process of its own and resolves when it has died at `point`. Calls of store and publisher
 * that were already made still take effect.
 * @param deps the dependencies of the process; they stay usable.
 * @param times the visit of the point at which it dies. Default: the first.
 * @throws Error when the work ended before it reached the point.
 */
export async function dieAt<D extends StateDeps>(
  point: CrashPoint,
  deps: D,
  work: (process: D) => Promise<unknown>,
  times = 1,
): Promise<void> {
  const died = Promise.withResolvers<'died'>();
  let visits = 0;
  const isDead = () => visits >= times;
  const unlessDead = <R>(act: () => Promise<R>) => (isDead() ? new Promise<never>(() => {}) : act());
  const { store, publisher } = deps;
  const process = {
    ...deps,
    store: {
      ...store,
      get: <T>(path: string, type: DocumentType<T>) => unlessDead(() => store.get(path, type)),
      list: <T>(query: CollectionQuery, type: DocumentType<T>) => unlessDead(() => store.list(query, type)),
      count: (query: SelectionQuery) => unlessDead(() => store.count(query)),
      listIds: (query: FieldQuery) => unlessDead(() => store.listIds(query)),
      commit: (writes: Write[]) => unlessDead(() => store.commit(writes)),
      incrementAll: <T extends object>(
        path: string,
        type: DocumentType<T>,
        value: T,
        fields: readonly string[],
      ) => unlessDead(() => store.incrementAll(path, type, value, fields)),
    },
    publisher: {
      ...publisher,
      publish: (...message: Parameters<typeof publisher.publish>) =>
        unlessDead(() => publisher.publish(...message)),
    },
    failpoint: async (reached: CrashPoint) => {
      if (!isDead() && reached === point) visits++;
      if (!isDead()) return;
      died.resolve('died');
      await new Promise<never>(() => {});
    },
  };
  const outcome = await Promise.race([died.promise, work(process).then(() => 'lived' as const)]);
  if (outcome === 'lived') throw new Error(`the process never came to ${point}`);
}
