import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { projectFile } from '../shared/projectFiles.ts';
import { temporaryFolder } from '../test/support/ownConfig.ts';
import { deploymentManifest, indexesWithout } from './manifestFile.ts';

const manifest = deploymentManifest('1.2.3', projectFile('config'));

it('names a build for this machine, and no other', () => {
  expect(deploymentManifest('1.2.3', projectFile('config'), true)).toEqual({ ...manifest, local: true });
  expect(manifest).not.toHaveProperty('local');
});

it('names each service, its caller, its account and its secrets', () => {
  const rows = manifest.services.map((service) =>
    [
      service.name,
      service.id,
      service.trigger,
      service.ingress,
      service.invoker,
      service.serviceAccount,
    ].join(' '),
  );
  expect(rows).toEqual([
    'ingestAlert ingest-alert topic internal pubsub ingest',
    'runIteration run-iteration topic internal pubsub run',
    'buryIteration bury-iteration topic internal pubsub bury',
    'sweep sweep schedule internal scheduler sweep',
    'deliver deliver topic internal pubsub deliver',
    'ingestChange ingest-change topic internal pubsub change',
    'api api http all public api',
    'console console http all iap console',
  ]);
});

it('has the topics of all services, and a reader for the dead letters of each', () => {
  const { services, topics } = manifest;
  const ids = topics.map(({ id }) => id);
  for (const { topic, deadLetters, publishes } of services)
    expect(ids).toEqual(
      expect.arrayContaining([
        ...(topic ? [topic] : []),
        ...(deadLetters ? [deadLetters.topic] : []),
        ...publishes,
      ]),
    );
  const dead = topics.filter(({ deadLetter }) => deadLetter);
  expect(dead.map(({ id }) => id)).toEqual(['alerts-dead', 'iterations-dead']);
  for (const { id, pull } of dead)
    expect(pull !== undefined || services.some(({ topic }) => topic === id), id).toBe(true);
  expect(dead[0]?.pull).toEqual({ subscription: 'alerts-dead-pull', retentionDays: 31 });
});

it('gives the variables of the configuration to the services that use them', () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'models.yaml'), 'models: { one: { provider: anthropic, model: claude } }');
  writeFileSync(join(folder, 'webhooks.yaml'), 'generic: { secretEnv: HOOK }');
  writeFileSync(
    join(folder, 'servers.yaml'),
    'servers: { one: { transport: http, url: "$' + '{MCP_URL}", headers: { X-Key: "$' + '{MCP}" } } }',
  );
  const { services } = deploymentManifest('1.2.3', folder);
  expect(
    services.map(({ name, secrets }) => [name, secrets]).filter(([, secrets]) => secrets?.length),
  ).toEqual([
    ['runIteration', ['ANTHROPIC_API_KEY', 'MCP']],
    ['api', ['HOOK']],
  ]);
  const [withAddress] = services.filter(({ settings }) => settings.includes('MCP_URL'));
  expect(withAddress?.name).toBe('runIteration');
  expect(services.flatMap(({ settings }) => settings).filter((name) => /EMULATOR|KEY/.test(name))).toEqual(
    [],
  );
});

it('keeps an instance of the API where people press buttons, and gives only the API the secret that proves presses', () => {
  const folder = temporaryFolder();
  const settings = 'channel: C0123456789, team: T0123456789';
  writeFileSync(
    join(folder, 'destinations.yaml'),
    `destinations: { team: { kind: slack, ${settings}, token: "$` +
      `{TOKEN}", signingSecret: "$` +
      '{SIGNING}" } }',
  );
  const { services } = deploymentManifest('1.2.3', folder);
  expect(services.filter(({ instance }) => instance.minInstances > 0).map(({ name }) => name)).toEqual([
    'api',
  ]);
  expect(services.flatMap(({ name, secrets }) => (secrets?.length ? [[name, secrets]] : []))).toEqual([
    ['deliver', ['TOKEN']],
    ['api', ['SIGNING']],
  ]);
  expect(manifest.services.filter(({ instance }) => instance.minInstances > 0)).toEqual([]);
});

it('has the topic of events where a destination publishes to it, and lets deliver publish there', () => {
  const folder = temporaryFolder();
  const write = (entry: string) =>
    writeFileSync(join(folder, 'destinations.yaml'), `destinations: { a: ${entry} }`);
  const read = () => {
    const { services, topics } = deploymentManifest('1.2.3', folder);
    const publishers = services.filter(({ publishes }) => publishes.includes('events'));
    return [topics.some(({ id }) => id === 'events'), publishers.map(({ name }) => name)];
  };
  write('{ kind: pubsub }');
  expect(read()).toEqual([true, ['deliver']]);
  write('{ kind: pubsub, topic: others }');
  expect(read()).toEqual([false, []]);
});

describe('with features off', () => {
  const folder = mkdtempSync(join(tmpdir(), 'inquest-off-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  writeFileSync(
    join(folder, 'system.yaml'),
    'features: { deliveries: off, changes: off, knowledge: off, topology: off }',
  );
  const { services, topics, off } = deploymentManifest('1.2.3', folder);

  it('has neither their functions nor their topics, and nobody publishes to these', () => {
    expect(off).toEqual(['deliveries', 'changes', 'knowledge', 'topology']);
    expect(manifest).not.toHaveProperty('off');
    const gone = manifest.services.filter(({ id }) => !services.some((one) => one.id === id));
    expect(gone.map(({ name }) => name)).toEqual(['deliver', 'ingestChange']);
    const ids = topics.map(({ id }) => id);
    const left = manifest.topics.map(({ id }) => id).filter((id) => !ids.includes(id));
    expect(left.sort()).toEqual(['changes', 'deliveries']);
    for (const { publishes } of services) expect(ids).toEqual(expect.arrayContaining([...publishes]));
  });

  it('has no indexes that only they search by, and keeps those by which documents expire', () => {
    const all = JSON.parse(readFileSync(projectFile('firestore.indexes.json'), 'utf8'));
    const without = indexesWithout(off, all);
    const gone = all.indexes.filter((index: object) => !without.indexes.includes(index));
    const names = gone.map(({ collectionGroup }: { collectionGroup: string }) => collectionGroup);
    expect([...new Set(names)].sort()).toEqual(['changes', 'knowledge', 'sessions', 'topology']);
    expect(without.fieldOverrides).toEqual(all.fieldOverrides);
    expect(indexesWithout(undefined, all)).toEqual(all);
  });
});
