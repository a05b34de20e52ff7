import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PubSub } from '@google-cloud/pubsub';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { FUNCTION_NAMES, mapFunctions } from '../../functions/manifest.ts';
import { acceptsConnections } from '../../local/processes/ports.ts';
import { createSubscriptions } from '../../local/subscriptions.ts';
import { type RunningSystem, type SystemOptions, startSystem } from '../../local/system.ts';
import { TOPICS } from '../../shared/core/contract/publisher.ts';
import { temporaryFolder } from '../support/ownConfig.ts';
import { ownEmulators } from '../support/ownEmulators.ts';

const fixture = (name: string) => fileURLToPath(new URL(`./fixtures/${name}.ts`, import.meta.url));
const recorder = {
  ingestAlert: fixture('recorder'),
  runIteration: fixture('recorder'),
  buryIteration: fixture('recorder'),
  deliver: fixture('recorder'),
  ingestChange: fixture('recorder'),
  sweep: fixture('recorder'),
};

it('the emulators of the global setup are there', async () => {
  for (const variable of ['FIRESTORE_EMULATOR_HOST', 'PUBSUB_EMULATOR_HOST']) {
    expect(await acceptsConnections(Number(process.env[variable]?.split(':')[1]))).toBe(true);
  }
  expect(process.env.GOOGLE_CLOUD_PROJECT).toMatch(/./);
});

describe('a running system', () => {
  const projectId = `demo-${randomUUID().slice(0, 8)}`;
  const lines: string[] = [];
  let system: RunningSystem;
  let pubsub: PubSub;

  beforeAll(async () => {
    system = await startSystem({
      projectId,
      separate: true,
      functionSources: recorder,
      sweepEveryMs: 300,
      maxDeliveryAttempts: 5,
      onLine: (name, line) => lines.push(`${name} ${line}`),
    });
    pubsub = new PubSub({
      projectId,
      apiEndpoint: system.endpoints.pubsub,
      emulatorMode: true,
      clientOptions: { universeDomain: 'googleapis.com' },
    });
  });

  afterAll(async () => {
    await pubsub?.close();
    await system?.stop();
  });

  /** What a function was given by messages with this text. */
  const received = (name: string, text: string): unknown[] =>
    lines
      .filter((line) => line.startsWith(`${name} {`))
      .map((line) => JSON.parse(line.slice(name.length)) as { text: string })
      .filter((event) => event.text === text);

  const publish = (topic: string, text: string) =>
    pubsub.topic(topic).publishMessage({ data: Buffer.from(text), attributes: { color: 'blue' } });

  it('pushes a published message to its function', async () => {
    await publish(TOPICS.alerts, 'hello');
    await expect
      .poll(() => received('ingestAlert', 'hello'))
      .toEqual([
        {
          subscription: `projects/${projectId}/subscriptions/alerts-push`,
          text: 'hello',
          attributes: { color: 'blue' },
          environment: projectId,
        },
      ]);
  });

  it('restarts a function whose process ended, and redelivers its unacked messages', async () => {
    await publish(TOPICS.alerts, 'crash');
    await expect.poll(() => received('ingestAlert', 'crash').length).toBeGreaterThan(1);
    expect(lines).toContain('ingestAlert (ended with exit code 1; restarting)');
  });

  it('delivers an iteration that fails five times, and then as a dead letter', async () => {
    await publish(TOPICS.iterations, 'raise');
    await expect
      .poll(() => received('buryIteration', 'raise')[0])
      .toMatchObject({ attributes: { color: 'blue', CloudPubSubDeadLetterSourceDeliveryCount: '5' } });
    expect(received('runIteration', 'raise')).toHaveLength(5);
  });

  it('has the sweep called by its schedule', async () => {
    await expect.poll(() => lines.filter((line) => line === 'sweep swept').length).toBeGreaterThan(1);
  });

  it('has subscriptions as in production but for the back-off, whose endpoints follow the functions', async () => {
    const other = `demo-${randomUUID().slice(0, 8)}`;
    const pubsubHost = system.endpoints.pubsub;
    const settings = { projectId: other, pubsubHost };
    for (const port of [1, 2]) {
      const endpoints = mapFunctions((name) => `http://${name}:${port}`);
      await createSubscriptions({ ...settings, endpoints });
    }

    const client = new PubSub({
      projectId: other,
      apiEndpoint: pubsubHost,
      emulatorMode: true,
      clientOptions: { universeDomain: 'googleapis.com' },
    });
    const [alerts] = await client.subscription('alerts-push').getMetadata();
    const [iterations] = await client.subscription('iterations-push').getMetadata();
    const [dead] = await client.subscription('iterations-dead-push').getMetadata();
    await client.close();
    expect(alerts).toMatchObject({
      pushConfig: { pushEndpoint: 'http://ingestAlert:2' },
      ackDeadlineSeconds: 600,
      retryPolicy: null,
      deadLetterPolicy: null,
    });
    expect(iterations).toMatchObject({
      pushConfig: { pushEndpoint: 'http://runIteration:2' },
      ackDeadlineSeconds: 600,
      deadLetterPolicy: {
        deadLetterTopic: `projects/${other}/topics/iterations-dead`,
        maxDeliveryAttempts: 100,
      },
    });
    expect(dead).toMatchObject({
      pushConfig: { pushEndpoint: 'http://buryIteration:2' },
      deadLetterPolicy: null,
    });
  });
});

it('answers through the API while the functions are busy', async () => {
  const projectId = `demo-${randomUUID().slice(0, 8)}`;
  const lines: string[] = [];
  const onLine = (_: string, line: string) => void lines.push(line);
  const system = await startSystem({ projectId, api: true, functionSources: recorder, onLine });
  onTestFinished(() => system.stop());
  const { api, ingestAlert } = system.endpoints;
  const body = JSON.stringify({ message: { data: btoa('busy'), messageId: '1' }, subscription: 'alerts' });
  const headers = { 'content-type': 'application/json' };
  const path = `projects/${projectId}/topics/alerts`;
  // It is never answered: the function keeps its process busy until that is stopped.
  fetch(`${ingestAlert}/${path}`, { method: 'POST', headers, body }).catch(() => undefined);
  await expect.poll(() => lines.filter((line) => line.includes('"busy"')).length).toBe(1);
  const answer = await fetch(`${api}/v1/sessions`);
  expect({ status: answer.status, body: await answer.json() }).toMatchObject({
    status: 200,
    body: { sessions: [] },
  });
});

/** The functions and the two services. */
const PARTS = FUNCTION_NAMES.length + 2;
/** A process for each function, and one for both services. */
const PROCESSES = FUNCTION_NAMES.length + 1;

describe('starting a system', () => {
  /** Guards that this process has running: each ends only after what it guards. */
  function guards(): string[] {
    const table = execFileSync('ps', ['-A', '-o', 'ppid=,args='], { encoding: 'utf8' });
    const ours = new RegExp(`^\\s*${process.pid}\\s.*processGuard\\.ts`);
    return table.split('\n').filter((line) => ours.test(line));
  }

  const start = (options: SystemOptions) =>
    startSystem({ projectId: 'demo-start', separate: true, functionSources: recorder, ...options });

  it('starts emulators of its own where none run, and stops all it started', async () => {
    const system = await start({ env: ownEmulators });
    const ports = Object.values(system.endpoints).map((endpoint) => Number(endpoint.split(':').at(-1)));
    expect(await Promise.all(ports.map(acceptsConnections))).toEqual(Array(PARTS).fill(true));
    expect(guards()).toHaveLength(PROCESSES);
    await Promise.all([system.stop(), system.stop()]);
    expect(await Promise.all(ports.map(acceptsConnections))).toEqual(Array(PARTS).fill(false));
    expect(guards()).toEqual([]);
  });

  it('fails with the words of the function that does not start, and leaves nothing running', async () => {
    const folder = temporaryFolder();
    const BROKEN_WHEN = join(folder, 'now');
    const functionSources = { ...recorder, runIteration: fixture('broken') };
    const starting = start({ env: ownEmulators, functionEnv: { BROKEN_WHEN }, functionSources });
    const failure = expect(starting).rejects.toThrow(
      /the function runIteration ended with exit code 1 before it answered.*the module is broken on purpose/s,
    );
    await expect.poll(guards).toHaveLength(PROCESSES);
    writeFileSync(BROKEN_WHEN, '');
    await failure;
    expect(guards()).toEqual([]);
  });

  it('stops everything when it is aborted', async () => {
    const abort = new AbortController();
    let running: string[] = [];
    const onProgress = () => {
      if (!abort.signal.aborted) running = guards();
      abort.abort(new Error('enough'));
    };
    const starting = start({ env: ownEmulators, signal: abort.signal, onProgress });
    await expect(starting).rejects.toThrow('enough');
    expect(running).toHaveLength(PROCESSES);
    expect(guards()).toEqual([]);
  });
});
