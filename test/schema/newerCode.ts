// The code after a change of stored shapes: loaded again with other document types.

import { onTestFinished, vi } from 'vitest';
import type { Bench } from '../support/harness.ts';

type Collections = typeof import('../../shared/core/schema/coreCollections.ts');
/** The document types of the core that change, made of today's. */
export type Change = (today: Collections) => Record<string, unknown>;

const loaded = new Map<Change, ReturnType<typeof load>>();

/** Loads everything that reads or writes documents anew. */
async function load(change: Change) {
  vi.doMock('../../shared/core/schema/coreCollections.ts', async (importOriginal) => {
    const today = await importOriginal<Collections>();
    return { ...today, ...change(today) };
  });
  vi.resetModules();
  try {
    const [handlers, features, harness, store, gemini, collections, migration, outdated] = await Promise.all([
      import('../../shared/engine/handleIteration.ts'),
      import('../../shared/lists/iterationFeatures.ts'),
      import('../support/harness.ts'),
      import('../../shared/store/firestore/firestoreStore.ts'),
      import('../../shared/llm/gemini/client.ts'),
      import('../../shared/lists/documents.ts'),
      import('../../cli/migration/migrate.ts'),
      import('../../shared/store/firestore/outdatedDocuments.ts'),
    ]);
    return {
      ...handlers,
      ...features,
      ...harness,
      ...store,
      ...gemini,
      ...collections,
      ...migration,
      ...outdated,
    };
  } finally {
    vi.doUnmock('../../shared/core/schema/coreCollections.ts');
    // Files that follow in this worker load today's code.
    vi.resetModules();
  }
}

/** The newer code, deployed where a bench's investigation is: same database, same messages, same model. */
export async function deployNewerCode(bench: Pick<Bench, 'projectId' | 'deps' | 'gemini'>, change: Change) {
  const loading = loaded.get(change) ?? load(change);
  loaded.set(change, loading);
  const code = await loading;
  const { projectId, gemini } = bench;
  const store = code.createFirestoreStore({ projectId });
  const outdated = code.createOutdatedDocuments({ projectId, indexed: code.INDEXED_VERSIONS });
  onTestFinished(async () => {
    await Promise.all([store.close(), outdated.close()]);
  });
  const deps = {
    ...bench.deps,
    features: code.FEATURES,
    store,
    llm: code.createGeminiClient({
      env: { GOOGLE_GEMINI_BASE_URL: gemini.url, GEMINI_API_KEY: 'scripted' },
      random: () => 0,
      now: () => bench.deps.clock.now().getTime(),
    }),
  };
  return { code, deps, store, outdated };
}
