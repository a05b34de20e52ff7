import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { followSession, sessionOfAlert } from '../../cli/follow.ts';
import { buildFunctions } from '../../deploy/build.ts';
import { findExample } from '../../local/examples.ts';
import { type ScriptedGemini, startScriptedGemini } from '../../local/scriptedGemini/server.ts';
import { type RunningSystem, startSystem } from '../../local/system.ts';
import { TOPICS } from '../../shared/contract/publisher.ts';
import { alertKeyOf } from '../../shared/runtime/session/sessionId.ts';
import { createFirestoreStore } from '../../shared/store/firestore/firestoreStore.ts';
import { createPubsubPublisher } from '../../shared/store/pubsub/pubsubPublisher.ts';

/** Below node_modules, where the bundle finds the functions-framework as it would in its own. */
const folder = join(import.meta.dirname, '../../node_modules/.cache/inquest-bundle-test');
const example = findExample('crashloop');
const projectId = `demo-${randomUUID().slice(0, 8)}`;
let gemini: ScriptedGemini;
let system: RunningSystem;

beforeAll(async () => {
  await buildFunctions(folder);
  gemini = await startScriptedGemini({ script: example.scriptFile });
  const index = join(folder, 'index.js');
  system = await startSystem({
    projectId,
    separate: true,
    functionSources: { ingestAlert: index, runIteration: index },
    env: {
      INQUEST_CONFIG: example.configFolder,
      GOOGLE_GEMINI_BASE_URL: gemini.url,
      GEMINI_API_KEY: 'scripted',
    },
  });
});

afterAll(async () => {
  await system?.stop();
  await gemini?.stop();
});

it('the deployed bundle investigates as the source does', async ({ signal }) => {
  const data = readFileSync(example.alertFile);
  const publisher = createPubsubPublisher({ projectId });
  const store = createFirestoreStore({ projectId });
  const messageId = await publisher.publish(TOPICS.alerts, data, {});
  const alert = { key: alertKeyOf({ messageId, data }), messageId };
  const sessionId = await sessionOfAlert(store, alert, signal);
  const session = await followSession(store, sessionId, () => {}, signal);
  await Promise.all([publisher.close(), store.close()]);
  expect(session).toMatchObject({ status: 'completed', failure: null });
});

it('the deployed folder needs nothing but the framework, and nothing is built again', () => {
  const { main, type, scripts, dependencies } = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  );
  expect({ main, type, scripts }).toEqual({ main: 'index.js', type: 'module', scripts: { 'gcp-build': '' } });
  expect(Object.keys(dependencies)).toEqual(['@google-cloud/functions-framework']);
  expect(readdirSync(folder).sort()).toEqual(['config', 'index.js', 'lib', 'package.json']);
  expect(readdirSync(join(folder, 'config')).sort()).toEqual(
    readdirSync(join(import.meta.dirname, '../../config')).sort(),
  );
});
