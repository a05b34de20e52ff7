import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { followSession, sessionOfAlert } from '../../cli/api/follow.ts';
import { buildFunctions } from '../../deploy/build.ts';
import { FUNCTION_NAMES, FUNCTIONS, type FunctionName, mapFunctions } from '../../functions/manifest.ts';
import { findExample } from '../../local/examples.ts';
import { startProcess, waitForAnswer } from '../../local/processes/childProcess.ts';
import { accepts, freePorts } from '../../local/processes/ports.ts';
import { type ScriptedGemini, startScriptedGemini } from '../../local/scriptedGemini/server.ts';
import { type RunningSystem, startSystem } from '../../local/system.ts';
import { TOPICS } from '../../shared/contract/publisher.ts';
import { alertKeyOf } from '../../shared/runtime/kernel/session/sessionId.ts';
import { rejectedMessageType, sessionType } from '../../shared/schema/documents.ts';
import { createFirestoreStore } from '../../shared/store/firestore/firestoreStore.ts';
import { createPubsubPublisher } from '../../shared/store/pubsub/pubsubPublisher.ts';

/** Below node_modules, where the bundle finds the functions-framework as it would in its own. */
const folder = join(import.meta.dirname, '../../node_modules/.cache/inquest-bundle-test');
const example = findExample('crashloop');
/** What each function had and read of its environment: `recordingReads.ts`. */
const reads = `${folder}-reads`;
const projectId = `demo-${randomUUID().slice(0, 8)}`;
/** Secrets that are none of a function's own settings. */
const FOREIGN = { KUBERNETES_MCP_TOKEN: 'poisoned', OPENAI_API_KEY: 'poisoned' };
/** What Node, gRPC and Google's libraries ask for, in every function. */
const LIBRARIES = [
  ...['FUNCTION_TARGET', 'NODE_ENV', 'NODE_V8_COVERAGE', 'NODE_CLUSTER_SCHED_POLICY', 'FORCE_COLOR', 'DEBUG'],
  ...['WATCH_REPORT_DEPENDENCIES', 'READABLE_STREAM', 'LOG_TOKENS', 'LOG_STREAM', 'DEBUG_GRPC'],
  ...['GRPC_NODE_VERBOSITY', 'GRPC_VERBOSITY', 'GRPC_NODE_TRACE', 'GRPC_TRACE', 'GRPC_SSL_CIPHER_SUITES'],
  ...['GRPC_DEFAULT_SSL_ROOTS_FILE_PATH', 'GRPC_NODE_USE_ALTERNATIVE_RESOLVER'],
  ...['GRPC_NODE_DEBUG_SEND_ERROR_DETAILS', 'GRPC_EXPERIMENTAL_ENABLE_OUTLIER_DETECTION'],
  ...['grpc_proxy', 'https_proxy', 'http_proxy', 'no_grpc_proxy', 'no_proxy', 'K_SERVICE'],
  ...['GOOGLE_SDK_NODE_LOGGING', 'GOOGLE_SDK_NODE_ENABLE_TRACING', 'GOOGLE_CLOUD_UNIVERSE_DOMAIN'],
  ...['GOOGLE_API_USE_CLIENT_CERTIFICATE', 'FIRESTORE_PREFER_REST', 'FIRESTORE_ENABLE_TRACING'],
];
/** What clients of models and tools ask for beside that: the process of a server inherits six variables. */
const LIBRARIES_OF: Partial<Record<FunctionName, string[]>> = {
  runIteration: [
    ...['HOME', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'USER', 'TMPDIR', 'TMP', 'TEMP'],
    ...['WS_NO_BUFFER_UTIL', 'WS_NO_UTF_8_VALIDATE', 'OSTYPE', 'JEST_WORKER_ID', 'UNDICI_NO_WASM_SIMD'],
  ],
};
/** Masking looks for everything that is named like a secret. */
const ALL: Partial<Record<FunctionName, string[]>> = { ingestAlert: ['*'], runIteration: ['*'] };
let gemini: ScriptedGemini;
let system: RunningSystem;

beforeAll(async () => {
  await buildFunctions(folder);
  gemini = await startScriptedGemini({ script: example.scriptFile });
  rmSync(reads, { recursive: true, force: true });
  mkdirSync(reads);
  const recording = fileURLToPath(new URL('./fixtures/recordingReads.ts', import.meta.url));
  system = await startSystem({
    projectId,
    separate: true,
    functionSources: mapFunctions(() => recording),
    functionEnv: { BUNDLE: folder, READS: reads },
    env: {
      INQUEST_CONFIG: example.configFolder,
      GOOGLE_GEMINI_BASE_URL: gemini.url,
      GEMINI_API_KEY: 'scripted',
      ...FOREIGN,
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

it('every function works with its own settings alone, and reads no other by name', async ({ signal }) => {
  const store = createFirestoreStore({ projectId });
  const publisher = createPubsubPublisher({ projectId });
  const [session] = await store.list({ collection: 'sessions' }, sessionType);
  const [, sessionId = ''] = session?.path.split('/') ?? [];
  const message = { schemaVersion: 1, sessionId, executionId: '01-nobody', iteration: 1 };
  await publisher.publish(TOPICS.iterationsDead, message, {});
  const isBuried = async () =>
    (await store.list({ collection: 'rejectedMessages' }, rejectedMessageType)).some(
      ({ value }) => value.function === 'buryIteration',
    );
  await expect.poll(isBuried).toBe(true);
  expect((await fetch(system.endpoints.sweep, { method: 'POST', signal })).status).toBe(200);
  await Promise.all([publisher.close(), store.close()]);

  const everything = FUNCTION_NAMES.flatMap((name) => [...FUNCTIONS[name].settings]);
  for (const name of FUNCTION_NAMES) {
    const { needsKeys, settings } = FUNCTIONS[name];
    const lines = readFileSync(join(reads, name), 'utf8').trim().split('\n');
    const named = (start: string) =>
      lines.flatMap((line) => (line.startsWith(start) ? [line.slice(start.length)] : []));
    const isForeign = (variable: string) =>
      !settings.some((one) => one === variable) && (everything.includes(variable) || variable in FOREIGN);
    if (!needsKeys) expect(named('has ').filter(isForeign), `${name} has`).toEqual([]);
    const read = [...named('reads '), ...named('looks for ')];
    expect(read, name).toContain('GOOGLE_CLOUD_PROJECT');
    const own = [...settings, ...LIBRARIES, ...(LIBRARIES_OF[name] ?? []), ...(ALL[name] ?? [])];
    expect(
      read.filter((variable) => !own.includes(variable)),
      `${name} reads`,
    ).toEqual([]);
  }
});

it('the deployed folder needs nothing but the framework, and nothing is built again', () => {
  const { main, type, scripts, dependencies } = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  );
  expect({ main, type, scripts }).toEqual({
    main: 'index.js',
    type: 'module',
    scripts: { 'gcp-build': '', start: 'node api.js' },
  });
  expect(Object.keys(dependencies)).toEqual(['@google-cloud/functions-framework']);
  expect(readdirSync(folder).sort()).toEqual([
    ...['LICENSE', 'NOTICE', 'api.js', 'config', 'index.js', 'lib', 'package.json'],
  ]);
  expect(readdirSync(join(folder, 'config')).sort()).toEqual(
    readdirSync(join(import.meta.dirname, '../../config')).sort(),
  );
});

it('the deployed API starts as Cloud Run starts it, and answers no stranger', async () => {
  const [port = 0] = await freePorts(1);
  const { FIRESTORE_EMULATOR_HOST: _, PUBSUB_EMULATOR_HOST: __, ...env } = process.env;
  const running = startProcess({
    name: 'the deployed API',
    command: process.execPath,
    args: [join(folder, 'api.js')],
    env: { ...env, PORT: `${port}`, GOOGLE_CLOUD_PROJECT: 'demo-nowhere' },
  });
  onTestFinished(() => running.stop());
  await waitForAnswer(running, () => accepts(port), { timeoutMs: 120_000 });
  const answer = await fetch(`http://127.0.0.1:${port}/v1/sessions`);
  expect(answer.status).toBe(401);
  expect(await answer.json()).toMatchObject({ code: 'LOGIN_REQUIRED' });
});
