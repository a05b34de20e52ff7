// The system with everything off that can be off: it still investigates an alert.

import { randomUUID } from 'node:crypto';
import { cpSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findExample } from '../../local/examples.ts';
import { type ScriptedModel, startScriptedModel } from '../../local/scriptedModel/startScriptedModel.ts';
import { type RunningSystem, startSystem } from '../../local/system.ts';
import { SWITCHABLE } from '../../shared/contract/switches.ts';
import type { Store } from '../../shared/core/contract/store.ts';
import { isTerminal } from '../../shared/core/schema/common.ts';
import { sessionType } from '../../shared/core/schema/session.ts';
import { awaitSessionId } from '../../shared/kits/views/awaitSession.ts';
import { createFirestoreStore } from '../../shared/store/firestore/firestoreStore.ts';
import { temporaryFolder, writeFiles } from '../support/ownConfig.ts';

const example = findExample('crashloop');
const projectId = `demo-${randomUUID().slice(0, 8)}`;
let gemini: ScriptedModel;
let system: RunningSystem;
let store: Store;

beforeAll(async () => {
  gemini = await startScriptedModel({ script: example.scriptFile });
  store = createFirestoreStore({ projectId });
});
afterAll(async () => {
  await Promise.all([system?.stop(), store?.close()]);
  await gemini?.stop();
});

it('investigates an alert, and names the setting for what is off', async () => {
  const folder = temporaryFolder();
  cpSync(example.configFolder, folder, { recursive: true });
  const off = SWITCHABLE.map((name) => `${name}: off`).join(', ');
  writeFiles({ 'system.yaml': `features: { ${off} }\n` }, folder);
  system = await startSystem({
    projectId,
    api: true,
    env: {
      INQUEST_CONFIG: folder,
      GOOGLE_GEMINI_BASE_URL: gemini.url,
      GEMINI_API_KEY: 'scripted',
    },
  });
  expect([system.endpoints.deliver, system.endpoints.ingestChange]).toEqual(['', '']);
  const call = async (path: string, init?: RequestInit) => {
    const response = await fetch(`${system.endpoints.api}${path}`, init);
    return { status: response.status, body: (await response.json()) as Record<string, string> };
  };
  const { body } = await call('/v1/alerts', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: readFileSync(example.alertFile),
  });
  const { signal } = new AbortController();
  const path = sessionType.paths.session(await awaitSessionId(body.alertKey ?? '', store, signal));
  const ended = async () => {
    const session = await store.get(path, sessionType);
    return session !== undefined && isTerminal(session.value.status);
  };
  await expect.poll(ended, { interval: 100, timeout: 60_000 }).toBe(true);
  expect((await store.get(path, sessionType))?.value).toMatchObject({
    status: 'completed',
    failure: null,
    finalAnalysis: expect.stringContaining('**Root cause** (confidence: high)'),
  });
  expect((await call('/v1/me')).body.off).toEqual([...SWITCHABLE]);
  expect(await call('/v1/knowledge')).toMatchObject({
    status: 404,
    body: { detail: expect.stringContaining('knowledge is off in this installation') },
  });
  expect((await call('/metrics')).status).toBe(404);
}, 180_000);
