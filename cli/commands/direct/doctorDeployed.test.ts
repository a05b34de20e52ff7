// `doctor --deployed` against the stand-in of Google's control plane, whose answers are constructed.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterEach, expect, it, vi } from 'vitest';
import { deploymentManifest } from '../../../deploy/manifestFile.ts';
import { projectFile } from '../../../shared/projectFiles.ts';
import { callCommand } from '../../../test/support/callCommand.ts';
import { ownEmulators } from '../../../test/support/ownEmulators.ts';
import { readEvaluation } from '../../../test/terraform/evaluate.ts';
import { createGoogleStandIn, type StandInState } from '../../../test/worlds/google/standInGoogle.ts';

/** Stored documents that are newer than the version that the deployed code reads, by collection. */
const newer = vi.hoisted(() => new Map<string, number>());
vi.mock('../../../shared/wiring/openOutdatedDocuments.ts', () => ({
  openOutdatedDocuments: () => ({
    countNewer: async (collection: string) => newer.get(collection) ?? 0,
    close: async () => {},
  }),
}));
/** The stored canary; undefined before the first. */
const canary = vi.hoisted(() => ({ arrivedAt: undefined as string | undefined }));
/** Until when the destination `oncall` gets no messages; undefined for no state. */
const circuit = vi.hoisted(() => ({ closedUntil: undefined as string | undefined }));
vi.mock('../../../shared/wiring/openRawDocuments.ts', () => ({
  openRawDocuments: () => ({
    get: async (path: string) => {
      const time = { type: 'timestamp', text: canary.arrivedAt };
      const fields = new Map([
        ['since', { type: 'timestamp', text: '2026-01-01T00:00:00.000Z' }],
        ['arrivedAt', time],
      ]);
      return path === 'canaries/alerts' && canary.arrivedAt ? { path, fields } : undefined;
    },
    list: async () => {
      const { closedUntil: text } = circuit;
      const fields = new Map<string, unknown>([
        ['closedUntil', { type: 'timestamp', text }],
        ['failure', new Map(Object.entries({ code: 'not_in_channel', message: 'Invite the app.' }))],
      ]);
      return text === undefined ? [] : [{ path: 'destinations/oncall', id: 'oncall', fields }];
    },
    close: async () => {},
  }),
}));
afterEach(() => {
  newer.clear();
  canary.arrivedAt = undefined;
  circuit.closedUntil = undefined;
});

const NUMBER = '415104041262';
const PROJECT = 'projects/shop-prod';
const AGENT = (service: string) =>
  `serviceAccount:service-${NUMBER}@gcp-sa-${service}.iam.gserviceaccount.com`;
const VERSION: string = JSON.parse(readFileSync(projectFile('package.json'), 'utf8')).version;
const MANIFEST = deploymentManifest(VERSION, projectFile('deploy/trial'));
const DIGEST = createHash('sha256').update('archive').digest('hex');
const INDEXES = `/v1/${PROJECT}/databases/inquest/collectionGroups/-/indexes`;
const FIELDS = `/v1/${PROJECT}/databases/inquest/collectionGroups/-/fields`;
const SERVICES = `/v2/${PROJECT}/locations/europe-west1/services`;
const ENABLED = `/v1/${PROJECT}/services`;
const QUOTA = `/v1beta1/${PROJECT}/services/run.googleapis.com/consumerQuotaMetrics`;
const ALERTS = `/v1/${PROJECT}/topics/inquest-alerts:getIamPolicy`;
const SUBSCRIPTION = `/v1/${PROJECT}/subscriptions/inquest-iterations-push`;

// biome-ignore lint/suspicious/noExplicitAny: answers of many forms, which the stand-in checks against Google's documents
type Resource = Record<string, any>;

/** A project in which all checks pass. */
function healthy(): StandInState['resources'] {
  const declared = JSON.parse(readFileSync(projectFile('firestore.indexes.json'), 'utf8'));
  const group = (name: string) => `${PROJECT}/databases/inquest/collectionGroups/${name}`;
  const apis = readEvaluation('trial').settings.apis as string[];
  const resources = new Map<string, Resource>([
    [
      ENABLED,
      {
        services: apis.map((api) => ({
          name: `projects/${NUMBER}/services/${api}`,
          state: 'ENABLED',
        })),
      },
    ],
    [
      INDEXES,
      {
        indexes: declared.indexes.map(({ collectionGroup, queryScope, fields }: Resource, index: number) => ({
          name: `${group(collectionGroup)}/indexes/${index}`,
          queryScope,
          fields: [...fields, { fieldPath: '__name__', order: 'ASCENDING' }],
          state: 'READY',
        })),
      },
    ],
    [
      FIELDS,
      {
        fields: declared.fieldOverrides
          .filter(({ ttl }: Resource) => ttl)
          .map(({ collectionGroup, fieldPath }: Resource) => ({
            name: `${group(collectionGroup)}/fields/${fieldPath}`,
            ttlConfig: { state: 'ACTIVE' },
          })),
      },
    ],
    [
      SERVICES,
      {
        services: MANIFEST.services.map(({ id }) => ({
          name: `${PROJECT}/locations/europe-west1/services/inquest-${id}`,
          terminalCondition: { type: 'Ready', state: 'CONDITION_SUCCEEDED' },
          template: {
            containers: [{ sourceCode: { cloudStorageSource: { bucket: 'b', object: `${DIGEST}.tar.gz` } } }],
          },
        })),
      },
    ],
    [
      QUOTA,
      {
        metrics: [
          {
            metric: 'run.googleapis.com/cpu_allocation',
            displayName: 'Total CPU allocation, in milli vCPU, per project per region',
            consumerQuotaLimits: [
              { quotaBuckets: [{ effectiveLimit: '200000', dimensions: { region: 'europe-west1' } }] },
            ],
          },
        ],
      },
    ],
    [
      `${SERVICES}/inquest-console:getIamPolicy`,
      { bindings: [{ role: 'roles/run.invoker', members: [AGENT('iap')] }] },
    ],
  ]);
  resources.set(ALERTS, {
    bindings: [{ role: 'roles/pubsub.publisher', members: [AGENT('monitoring-notification')] }],
  });
  for (const service of MANIFEST.services) {
    if (service.subscription === undefined) continue;
    const address = `https://inquest-${service.id}-${NUMBER}.europe-west1.run.app`;
    const { deadLetters } = service;
    const source = `/v1/${PROJECT}/subscriptions/inquest-${service.subscription}`;
    resources.set(source, {
      name: source.slice(4),
      state: 'ACTIVE',
      ackDeadlineSeconds: 600,
      messageRetentionDuration: '604800s',
      expirationPolicy: {},
      retryPolicy: { minimumBackoff: '10s', maximumBackoff: '600s' },
      pushConfig: {
        pushEndpoint: address,
        oidcToken: {
          serviceAccountEmail: 'inquest-push@shop-prod.iam.gserviceaccount.com',
          audience: address,
        },
      },
      ...(deadLetters && {
        deadLetterPolicy: {
          deadLetterTopic: `${PROJECT}/topics/inquest-${deadLetters.topic}`,
          maxDeliveryAttempts: deadLetters.maxDeliveryAttempts,
        },
      }),
    });
    if (deadLetters === undefined) continue;
    resources.set(`${source}:getIamPolicy`, {
      bindings: [{ role: 'roles/pubsub.subscriber', members: [AGENT('pubsub')] }],
    });
    resources.set(`/v1/${PROJECT}/topics/inquest-${deadLetters.topic}:getIamPolicy`, {
      bindings: [{ role: 'roles/pubsub.publisher', members: [AGENT('pubsub')] }],
    });
  }
  return resources;
}

async function doctor(change: (state: StandInState) => void = () => {}, record: object = {}) {
  const deployed = {
    version: VERSION,
    digest: DIGEST,
    manifest: MANIFEST,
    deployedAt: '2026-11-24T12:00:00.000Z',
    documents: { sessions: 3 },
    isApplied: true,
    stateBucket: 'shop-prod-inquest-tfstate',
    ...record,
  };
  const objects = new Map([
    [
      `releases/${DIGEST}.json`,
      { versions: [{ generation: '1', bytes: Buffer.from(JSON.stringify(deployed)) }] },
    ],
  ]);
  const { state, requests } = await createGoogleStandIn({
    resources: healthy(),
    databases: new Set(['inquest']),
    buckets: new Map([['shop-prod-inquest-releases', { resource: {}, objects }]]),
  });
  change(state);
  const result = await callCommand(
    ['doctor', '--deployed', '--project', 'shop-prod', '--region', 'europe-west1', '--json'],
    { INQUEST_CONFIG: undefined, INQUEST_NAME: undefined, ...ownEmulators },
  );
  const findings = result.stdout.map(
    (line) => JSON.parse(line) as { part: string; state: string; text: string },
  );
  return { ...result, findings, requests, wrong: findings.filter(({ state }) => state === 'missing') };
}

const change = (path: string, edit: (resource: Resource) => void) => (state: StandInState) =>
  edit(state.resources.get(path) ?? {});

it('an installation as the manifest declares it passes, and nothing is changed', async () => {
  const { code, wrong, findings, requests } = await doctor();
  expect(wrong).toEqual([]);
  expect(code).toBe(0);
  expect(findings.map(({ part }) => part)).toEqual(
    expect.arrayContaining([
      'release',
      'APIs',
      'indexes',
      'time to live',
      'documents',
      "Pub/Sub's agent",
      'IAP of inquest-console',
      'quota of CPUs',
      'Vertex AI',
    ]),
  );
  const changing = requests.filter(
    (request) => !request.startsWith('GET') && !/:getIamPolicy$/.test(request),
  );
  expect(changing).toEqual([]);
});

it('a canary that does not arrive is missing; one of this hour is not, and none was sent yet at first', async () => {
  const canaryOf = async () => (await doctor()).findings.find(({ part }) => part === 'canary');
  expect(await canaryOf()).toMatchObject({
    state: 'absent',
    text: expect.stringMatching(/^none was sent: /),
  });
  canary.arrivedAt = new Date(Date.now() - 30 * 60_000).toISOString();
  expect(await canaryOf()).toMatchObject({ state: 'ok', text: `the last one arrived ${canary.arrivedAt}` });
  canary.arrivedAt = new Date(Date.now() - 3 * 3_600_000).toISOString();
  expect(await canaryOf()).toMatchObject({
    state: 'missing',
    text: `no test alert has arrived since ${canary.arrivedAt}: alerts can be waiting or lost. See "Canary missing" in docs/runbook.md`,
  });
});

it('a destination that refuses messages is missing, with the fix, until it is tried again', async () => {
  circuit.closedUntil = new Date(Date.now() - 60_000).toISOString();
  expect((await doctor()).wrong).toEqual([]);
  circuit.closedUntil = new Date(Date.now() + 600_000).toISOString();
  const { wrong } = await doctor();
  expect(wrong).toMatchObject([
    { part: 'destination oncall', text: expect.stringContaining('(not_in_channel): Invite the app.') },
  ]);
});

/** [what is wrong, how, the part, the cause, the fix] */
const FAULTS: [string, (state: StandInState) => void, string, string, string][] = [
  [
    'a missing API',
    change(ENABLED, (answer) => answer.services.splice(0, 1)),
    'APIs',
    'not enabled: aiplatform.googleapis.com',
    'gcloud services enable aiplatform.googleapis.com',
  ],
  [
    'an index that does not exist',
    change(INDEXES, (answer) => answer.indexes.splice(0, 1)),
    'indexes',
    '1 do not exist',
    'npx --no inquest deploy',
  ],
  [
    'an index that is not ready',
    change(INDEXES, (answer) => Object.assign(answer.indexes[0], { state: 'CREATING' })),
    'indexes',
    '1 are not ready',
    'wait',
  ],
  [
    'an index that failed',
    change(INDEXES, (answer) => Object.assign(answer.indexes[0], { state: 'NEEDS_REPAIR' })),
    'indexes',
    'could not be built',
    'deploy again',
  ],
  [
    'an inactive time to live',
    change(FIELDS, (answer) => Object.assign(answer.fields[0].ttlConfig, { state: 'CREATING' })),
    'time to live',
    'never deleted',
    'wait if it is new',
  ],
  [
    'an ack deadline of 10 s',
    change(SUBSCRIPTION, (answer) => Object.assign(answer, { ackDeadlineSeconds: 10 })),
    'subscription inquest-iterations-push',
    'ack deadline is 10 instead of 600',
    'npx --no inquest deploy',
  ],
  [
    'a subscription that expires',
    change(SUBSCRIPTION, (answer) => delete answer.expirationPolicy),
    'subscription inquest-iterations-push',
    'expiration is 31 days instead of never',
    'restores it',
  ],
  [
    'a subscription without back-off',
    change(SUBSCRIPTION, (answer) => delete answer.retryPolicy),
    'subscription inquest-iterations-push',
    'minimum back-off is not set instead of 10s',
    'restores it',
  ],
  [
    'a foreign account',
    change(SUBSCRIPTION, (answer) =>
      Object.assign(answer.pushConfig.oidcToken, { serviceAccountEmail: 'x@y' }),
    ),
    'subscription inquest-iterations-push',
    'account is x@y',
    'restores it',
  ],
  [
    'a missing subscription',
    (state) => void state.resources.delete(SUBSCRIPTION),
    'subscription inquest-iterations-push',
    'does not exist',
    'restores it',
  ],
  [
    'an agent without right',
    change(`${SUBSCRIPTION}:getIamPolicy`, (answer) => answer.bindings.splice(0)),
    "Pub/Sub's agent",
    'lacks roles/pubsub.subscriber on subscriptions/inquest-iterations-push',
    'restores it',
  ],
  [
    'a Monitoring agent without right',
    (state) => void state.resources.delete(ALERTS),
    "Monitoring's agent",
    'lacks roles/pubsub.publisher on topics/inquest-alerts',
    'restores it',
  ],
  [
    'an IAP agent without right',
    change(`${SERVICES}/inquest-console:getIamPolicy`, (answer) => delete answer.bindings),
    'IAP of inquest-console',
    'every visitor gets 403',
    'restores it',
  ],
  [
    'a quota below the instances',
    change(QUOTA, (answer) =>
      Object.assign(answer.metrics[0].consumerQuotaLimits[0].quotaBuckets[0], { effectiveLimit: '20000' }),
    ),
    'quota of CPUs',
    'europe-west1 allows 20 CPUs, the services need 32',
    'Request more',
  ],
  [
    'a missing service',
    change(SERVICES, (answer) => answer.services.splice(0, 1)),
    'service inquest-ingest-alert',
    'does not exist',
    'restores it',
  ],
  [
    'a service that does not start',
    change(SERVICES, (answer) =>
      Object.assign(answer.services[0], {
        terminalCondition: { state: 'CONDITION_FAILED', message: 'no port' },
      }),
    ),
    'service inquest-ingest-alert',
    'is not ready: no port',
    'Its log',
  ],
  [
    'an older archive',
    change(SERVICES, (answer) =>
      Object.assign(answer.services[0].template.containers[0].sourceCode.cloudStorageSource, {
        object: 'old.tar.gz',
      }),
    ),
    'service inquest-ingest-alert',
    'runs old.tar.gz instead of the current release',
    'restores it',
  ],
  [
    'a newer document',
    () => void newer.set('sessions', 2),
    'documents',
    'cannot read sessions: 2 newer than version 3',
    'Deploy the code that wrote them',
  ],
  [
    'a check that is refused',
    (state) => void state.disabledApis.add('pubsub.googleapis.com'),
    "Pub/Sub's agent",
    'pubsub.googleapis.com is not enabled',
    'gcloud services enable pubsub.googleapis.com',
  ],
];

it.each(FAULTS)('finds %s', async (_, edit, part, cause, fix) => {
  const { code, wrong } = await doctor(edit);
  expect(code).toBe(1);
  const found = wrong.find((finding) => finding.part === part);
  expect(found?.text).toContain(cause);
  expect(found?.text).toContain(fix);
});

it('finds code that differs from the release, and a secret without a version', async () => {
  const services = MANIFEST.services.map((service) =>
    service.name === 'api' ? { ...service, secrets: ['HOOK'] } : service,
  );
  const { wrong } = await doctor(undefined, { version: '0.1.0', manifest: { ...MANIFEST, services } });
  expect(wrong.map(({ part }) => part)).toEqual(['release', 'secret HOOK']);
  expect(wrong[1]?.text).toContain('npx --no inquest deploy secret HOOK');
});

it('finds nothing else about services that wait for secrets', async () => {
  const names = ['runIteration', 'console'];
  const services = MANIFEST.services.map((service) =>
    names.includes(service.name) ? { ...service, secrets: ['PAGER_TOKEN'] } : service,
  );
  const { wrong } = await doctor(
    ({ resources }) => {
      const ids = ['inquest-run-iteration', 'inquest-console'];
      const answer = resources.get(SERVICES) as Resource;
      answer.services = answer.services.filter(({ name }: Resource) => !ids.includes(name.split('/').at(-1)));
      delete (resources.get(SUBSCRIPTION) as Resource).pushConfig;
      resources.delete(`${SERVICES}/inquest-console:getIamPolicy`);
      const enabled = resources.get(ENABLED) as Resource;
      enabled.services.push({ name: `projects/${NUMBER}/services/secretmanager.googleapis.com` });
    },
    { manifest: { ...MANIFEST, services } },
  );
  expect(wrong.map(({ part }) => part)).toEqual([
    'service inquest-run-iteration',
    'service inquest-console',
    'secret PAGER_TOKEN',
  ]);
});

it.each([
  ['cloudresourcemanager', 'project', 1],
  ['storage', 'release', 0],
])('finds that %s is not enabled before it knows the installation', async (api, part, count) => {
  const { code, wrong, findings } = await doctor(
    (state) => void state.disabledApis.add(`${api}.googleapis.com`),
  );
  expect(code).toBe(1);
  expect(wrong[0]?.part).toBe(part);
  expect(wrong[0]?.text).toContain(`gcloud services enable ${api}.googleapis.com`);
  expect(findings.length === 1).toBe(count === 1);
});

it('finds a release whose apply did not succeed', async () => {
  const { wrong } = await doctor(undefined, { isApplied: false });
  expect(wrong.map(({ part }) => part)).toEqual(['release']);
  expect(wrong[0]?.text).toContain('its apply did not succeed');
});

it.each([
  [['--deployed'], 'needs --region of the installation, and --project'],
  [['--region', 'europe-west1'], 'is for --deployed only'],
])('wrong usage %j', async (args, text) => {
  const { code, stderr } = await callCommand(['doctor', ...args], { GOOGLE_CLOUD_PROJECT: undefined });
  expect(code).toBe(2);
  expect(stderr.at(-1)).toContain(text);
});
