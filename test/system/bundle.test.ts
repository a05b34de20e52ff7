import { execFileSync } from 'node:child_process';
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SignJWT } from 'jose';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { writeArchive } from '../../deploy/archive.ts';
import { buildFunctions } from '../../deploy/build.ts';
import { FUNCTION_NAMES, FUNCTIONS, type FunctionName, mapFunctions } from '../../functions/manifest.ts';
import { serviceVariables } from '../../functions/serviceVariables.ts';
import { findExample } from '../../local/examples.ts';
import { startProcess, waitForAnswer } from '../../local/processes/childProcess.ts';
import { acceptsConnections, freePorts } from '../../local/processes/ports.ts';
import { type ScriptedModel, startScriptedModel } from '../../local/scriptedModel/startScriptedModel.ts';
import { type RunningSystem, startSystem } from '../../local/system.ts';
import { TOPICS } from '../../shared/core/contract/publisher.ts';
import { KEY_SECRETS } from '../../shared/core/contract/signatures.ts';
import { systemClock } from '../../shared/core/kernel/deps.ts';
import { createApiKey } from '../../shared/kits/access/createApiKey.ts';
import { createMacSigner, generateSecret } from '../../shared/kits/access/macs.ts';
import { deriveAlertKey } from '../../shared/kits/alerts/sessionId.ts';
import { awaitSessionId } from '../../shared/kits/views/awaitSession.ts';
import { paths, rejectedMessageType, sessionType } from '../../shared/lists/documents.ts';
import { projectFile } from '../../shared/projectFiles.ts';
import { createFirestoreStore } from '../../shared/store/firestore/firestoreStore.ts';
import { createPubsubPublisher } from '../../shared/store/pubsub/pubsubPublisher.ts';
import { writePage } from '../support/pageFixture.ts';
import { composeEventarcEvent, composePushBody } from '../support/pushEvents.ts';

/** A folder without node_modules, also above it. */
const temporary = mkdtempSync(join(tmpdir(), 'inquest-archive-'));
/** The archive of a deployment, unpacked. */
const folder = join(temporary, 'unpacked');
const built = join(temporary, 'built');
const page = writePage();
const example = findExample('crashloop');
/** What each function had and read of its environment: `recordingReads.ts`. */
const reads = join(temporary, 'reads');
const projectId = `demo-${randomUUID().slice(0, 8)}`;
/** A second installation in a project: its topics have a prefix, and it has a database of its own. */
const NAMES = { INQUEST_NAME: 'second', FIRESTORE_DATABASE: 'second-data' };
const openStore = () => createFirestoreStore({ projectId, databaseId: NAMES.FIRESTORE_DATABASE });
const openPublisher = () => createPubsubPublisher({ projectId, installation: NAMES.INQUEST_NAME });
const AUDIENCE = '/projects/1/locations/europe-west1/services/console';
const OFFLINE = new URL('./fixtures/offline.ts', import.meta.url).href;
/** Secrets that are none of a function's own settings. */
const FOREIGN = { KUBERNETES_MCP_TOKEN: 'poisoned', OPENAI_API_KEY: 'poisoned' };
/** Variables of Node, gRPC, Express and Google. Express and masking list all. */
const LIBRARIES = [
  '*',
  'NODE_ENV',
  'NODE_V8_COVERAGE',
  'NODE_CLUSTER_SCHED_POLICY',
  'FORCE_COLOR',
  'DEBUG',
  'WATCH_REPORT_DEPENDENCIES',
  'READABLE_STREAM',
  'LOG_TOKENS',
  'LOG_STREAM',
  'DEBUG_GRPC',
  'GRPC_NODE_VERBOSITY',
  'GRPC_VERBOSITY',
  'GRPC_NODE_TRACE',
  'GRPC_TRACE',
  'GRPC_SSL_CIPHER_SUITES',
  'GRPC_DEFAULT_SSL_ROOTS_FILE_PATH',
  'GRPC_NODE_USE_ALTERNATIVE_RESOLVER',
  'GRPC_NODE_DEBUG_SEND_ERROR_DETAILS',
  'GRPC_EXPERIMENTAL_ENABLE_OUTLIER_DETECTION',
  'grpc_proxy',
  'https_proxy',
  'http_proxy',
  'no_grpc_proxy',
  'no_proxy',
  'K_SERVICE',
  'GOOGLE_SDK_NODE_LOGGING',
  'GOOGLE_SDK_NODE_ENABLE_TRACING',
  'GOOGLE_CLOUD_UNIVERSE_DOMAIN',
  'GOOGLE_API_USE_CLIENT_CERTIFICATE',
  'NO_DEPRECATION',
  'TRACE_DEPRECATION',
  'FIRESTORE_PREFER_REST',
  'FIRESTORE_ENABLE_TRACING',
];
/** What clients of models and tools ask for beside that: the process of a server inherits six variables. */
const LIBRARIES_OF: Partial<Record<FunctionName, string[]>> = {
  // Its key is set only where a model answers in the background.
  sweep: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
  runIteration: [
    'HOME',
    'LOGNAME',
    'PATH',
    'SHELL',
    'TERM',
    'USER',
    'TMPDIR',
    'TMP',
    'TEMP',
    'WS_NO_BUFFER_UTIL',
    'WS_NO_UTF_8_VALIDATE',
    'OSTYPE',
    'JEST_WORKER_ID',
    'UNDICI_NO_WASM_SIMD',
  ],
};
let gemini: ScriptedModel;
let system: RunningSystem;

/** The example's configuration. A deployment has no examples: `INQUEST_HOME` is empty. */
function configOfExample(): string {
  const copy = join(temporary, 'example');
  cpSync(example.configFolder, copy, { recursive: true });
  const file = join(copy, 'servers.yaml');
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll(`$${'{'}INQUEST_HOME}`, projectFile('')));
  return copy;
}

beforeAll(async () => {
  await buildFunctions(built, { page });
  const { file } = await writeArchive(built);
  mkdirSync(folder);
  execFileSync('tar', ['-xzf', file, '-C', folder]);
  gemini = await startScriptedModel({ script: example.scriptFile });
  mkdirSync(reads);
  const recording = fileURLToPath(new URL('./fixtures/recordingReads.ts', import.meta.url));
  system = await startSystem({
    projectId,
    separate: true,
    functionSources: mapFunctions(() => recording),
    functionEnv: { BUNDLE: folder, READS: reads },
    env: {
      INQUEST_CONFIG: configOfExample(),
      GOOGLE_GEMINI_BASE_URL: gemini.url,
      GEMINI_API_KEY: 'scripted',
      ...NAMES,
      ...FOREIGN,
    },
  });
});

afterAll(async () => {
  await system?.stop();
  await gemini?.stop();
  for (const one of [temporary, page]) rmSync(one, { recursive: true, force: true });
});

it('the deployed bundle investigates as the source does', async ({ signal }) => {
  const data = readFileSync(example.alertFile);
  const publisher = openPublisher();
  const store = openStore();
  const messageId = await publisher.publish(TOPICS.alerts, data, {});
  const sessionId = await awaitSessionId(deriveAlertKey({ messageId, data }), store, signal);
  const read = async () => (await store.get(paths.session(sessionId), sessionType))?.value;
  await expect
    .poll(read, { interval: 100, timeout: 30_000 })
    .toMatchObject({ status: 'completed', failure: null });
  await Promise.all([publisher.close(), store.close()]);
});

it('every function works with its own settings only, and reads no other by name', async ({ signal }) => {
  const store = openStore();
  const publisher = openPublisher();
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
    const { uses, settings } = FUNCTIONS[name];
    const { optionalSecrets } = serviceVariables(name, []);
    const lines = readFileSync(join(reads, name), 'utf8').trim().split('\n');
    const named = (start: string) =>
      lines.flatMap((line) => (line.startsWith(start) ? [line.slice(start.length)] : []));
    const isForeign = (variable: string) =>
      !settings.some((one) => one === variable) && (everything.includes(variable) || variable in FOREIGN);
    if (uses.join() === 'telemetry') expect(named('has ').filter(isForeign), `${name} has`).toEqual([]);
    const read = [...named('reads '), ...named('looks for ')];
    expect(read, name).toContain('GOOGLE_CLOUD_PROJECT');
    const own = [...settings, ...optionalSecrets, ...LIBRARIES, ...(LIBRARIES_OF[name] ?? [])];
    expect(
      read.filter((variable) => !own.includes(variable)),
      `${name} reads`,
    ).toEqual([]);
  }
});

it.each(['ingestAlert', 'runIteration', 'buryIteration'] as const)(
  'the deployed %s accepts each shape of a push, and refuses an unwrapped one',
  async (name) => {
    const pushed = { id: `shapes-${name}`, data: '{"not":"known"}' };
    const { data, ...context } = composeEventarcEvent(pushed);
    const event = Object.fromEntries(
      Object.entries(context).map(([key, value]) => [
        key === 'datacontenttype' ? 'content-type' : `ce-${key}`,
        value,
      ]),
    );
    const json = { 'content-type': 'application/json' };
    const shapes: [string, unknown, Record<string, string>][] = [
      ['CloudEvent in binary mode', data, event],
      [
        'CloudEvent in structured mode',
        composeEventarcEvent(pushed),
        { 'content-type': 'application/cloudevents+json' },
      ],
      ['raw', { deliveryAttempt: 2, ...composePushBody(pushed) }, json],
      ['raw without data', composePushBody({ ...pushed, data: '' }), json],
      ['unwrapped', { not: 'known' }, json],
    ];
    // In turn: simultaneous copies can be refused until the first is stored. As Pub/Sub does, it delivers
    // again what was refused for a moment, because another writer won.
    const statuses: Record<string, number> = {};
    for (const [shape, body, headers] of shapes) {
      const request = { method: 'POST', headers, body: JSON.stringify(body) };
      const deliver = async () => (await fetch(system.endpoints[name], request)).status;
      const status = await deliver();
      statuses[shape] = status === 500 ? await deliver() : status;
    }
    expect(statuses).toEqual({
      'CloudEvent in binary mode': 204,
      'CloudEvent in structured mode': 204,
      raw: 204,
      'raw without data': 204,
      unwrapped: 400,
    });
  },
);

it('the archive has every file of a deployment, and no package that is not bundled', () => {
  const { type, scripts, dependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  expect({ type, scripts, dependencies }).toEqual({
    type: 'module',
    scripts: { 'gcp-build': '', start: 'node start.js' },
    dependencies: undefined,
  });
  expect(readdirSync(folder).sort()).toEqual([
    'LICENSE',
    'NOTICE',
    'config',
    'lib',
    'manifest.json',
    'package.json',
    'sbom.cdx.json',
    // The field lists, and the mechanisms.
    'shared',
    'start.js',
    'web',
  ]);
  // With the parsed values of its files, and without the packs.
  const config = readdirSync(join(import.meta.dirname, '../../config')).filter((name) => name !== 'packs');
  expect(readdirSync(join(folder, 'config')).sort()).toEqual(['.parsed.json', ...config].sort());
});

/** Starts `node start.js` as Cloud Run does, offline. */
async function startDeployed(env: Record<string, string | undefined>) {
  const [port = 0] = await freePorts(1);
  const lines: string[] = [];
  const { FIRESTORE_EMULATOR_HOST: _, PUBSUB_EMULATOR_HOST: __, ...own } = process.env;
  const running = startProcess({
    name: `the deployed ${env.INQUEST_SERVICE}`,
    command: process.execPath,
    args: ['--import', OFFLINE, join(folder, 'start.js')],
    env: { ...own, NODE_PATH: undefined, PORT: `${port}`, GOOGLE_CLOUD_PROJECT: projectId, ...env },
    onLine: (line) => lines.push(line),
  });
  onTestFinished(() => running.stop());
  await waitForAnswer(running, () => acceptsConnections(port), { timeoutMs: 120_000 });
  return { url: `http://127.0.0.1:${port}`, lines };
}

it.each([
  ...FUNCTION_NAMES.map((name) => [name, 405] as const),
  ['api', 401] as const,
  ['console', 401] as const,
])('the deployed %s starts from its folder without a network', async (name, status) => {
  const { url, lines } = await startDeployed({ INQUEST_SERVICE: name, IAP_AUDIENCE: AUDIENCE });
  expect((await fetch(`${url}/v1/sessions`)).status).toBe(status);
  expect(lines.filter((line) => line.startsWith('offline: refused'))).toEqual([]);
});

it('a service that is not named does not start, and the log names the setting', async () => {
  const command = startProcess({
    name: 'a service without a name',
    command: process.execPath,
    args: [join(folder, 'start.js')],
    env: { ...process.env, INQUEST_SERVICE: 'sweeep' },
  });
  const names = [...FUNCTION_NAMES, 'api', 'console'].join(', ');
  await expect(waitForAnswer(command, async () => false, { timeoutMs: 120_000 })).rejects.toThrow(
    `CONFIG_INVALID: INQUEST_SERVICE is "sweeep": set it to one of ${names}`,
  );
});

it('api accepts keys and no assertions of IAP, console the reverse, also beside an emulator', async () => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const now = Math.floor(Date.now() / 1000);
  const assertion = await new SignJWT({ email: 'ada@example.com', hd: 'example.com' })
    .setProtectedHeader({ alg: 'ES256', kid: 'test' })
    .setAudience(AUDIENCE)
    .setIssuer('https://cloud.google.com/iap')
    .setSubject('accounts.google.com:1')
    .setIssuedAt(now - 60)
    .setExpirationTime(now + 3_000)
    .sign(privateKey);
  const store = openStore();
  const made = {
    name: 'bot',
    tenantId: 'default',
    role: 'viewer',
    createdBy: 'ada',
    lifetimeMs: 3_600_000,
  } as const;
  const secrets = [generateSecret(), generateSecret()];
  const [text = '', forged = ''] = await Promise.all(
    secrets.map(async (secret) => {
      const deps = { store, clock: systemClock, sign: createMacSigner(secret) };
      return (await createApiKey(made, deps)).text;
    }),
  );
  await store.close();
  const config = join(temporary, 'config');
  cpSync(join(folder, 'config'), config, { recursive: true });
  writeFileSync(join(config, 'access.yaml'), 'members:\n  - { email: ada@example.com, role: responder }\n');

  const proofs = {
    key: { authorization: `Bearer ${text}` },
    forged: { authorization: `Bearer ${forged}` },
    assertion: { 'x-goog-iap-jwt-assertion': assertion },
  };
  const statuses: Record<string, Record<string, number>> = {};
  for (const name of ['api', 'console']) {
    const { url } = await startDeployed({
      ...system.env,
      ...NAMES,
      INQUEST_SERVICE: name,
      INQUEST_ACCESS: 'cloud',
      INQUEST_CONFIG: config,
      [KEY_SECRETS]: secrets[0],
      IAP_AUDIENCE: AUDIENCE,
      IAP_TEST_KEYS: JSON.stringify({ test: publicKey.export({ type: 'spki', format: 'pem' }) }),
    });
    const statusOf = async (path: string, headers: Record<string, string>) =>
      (await fetch(`${url}${path}`, { headers, redirect: 'manual' })).status;
    statuses[name] = {
      key: await statusOf('/v1/sessions', proofs.key),
      forged: await statusOf('/v1/sessions', proofs.forged),
      assertion: await statusOf('/v1/sessions', proofs.assertion),
      nothing: await statusOf('/v1/sessions', {}),
      page: await statusOf('/s/one', {}),
    };
  }
  expect(statuses).toEqual({
    api: { key: 200, forged: 401, assertion: 401, nothing: 401, page: 401 },
    console: { key: 401, forged: 401, assertion: 200, nothing: 401, page: 200 },
  });
});
