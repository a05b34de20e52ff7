// Stores the knowledge base entries of an example.

import { systemClock } from '../../shared/core/kernel/deps.ts';
import { DEFAULT_TENANT } from '../../shared/core/schema/session.ts';
import { pushEntry } from '../../shared/kits/knowledge/editKnowledge.ts';
import { knownSecrets } from '../../shared/masking/knownSecrets.ts';
import { createMaskers } from '../../shared/masking/maskers.ts';
import { openCloud } from '../../shared/wiring/openCloud.ts';
import { openEmbedder } from '../../shared/wiring/openEmbedder.ts';
import { readEntryFile } from './entryFile.ts';

/**
 * Stores files as shared entries in the Firestore that the environment names.
 * @param env also names the model that embeds them.
 * @throws as `readEntryFile` and `pushEntry`.
 */
export async function pushFiles(files: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  const entries = files.map(readEntryFile);
  const secrets = knownSecrets(env);
  const { store, close } = openCloud(env);
  try {
    const deps = {
      store,
      clock: systemClock,
      maskerFor: createMaskers({ known: secrets }),
      embed: openEmbedder(env, secrets),
    };
    const author = { tenantId: DEFAULT_TENANT, userId: null, by: 'the example' };
    for (const entry of entries) await pushEntry(entry, author, deps);
  } finally {
    await close();
  }
}
