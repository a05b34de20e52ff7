// The Terraform module, without Google and without a provider: its settings are evaluated for each example,
// and its resources are expanded with them and compared with the arguments that the providers know.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { IS_FULL } from '../test/support/fullTests.ts';
import {
  digestOf,
  EXAMPLES,
  evaluateExamples,
  evaluateInputs,
  hasTerraform,
  MODULE,
  readEvaluation,
  readExample,
  type Settings,
  terraform,
  UPDATE_COMMAND,
} from '../test/terraform/evaluate.ts';
import {
  dependenciesOf,
  expandResources,
  type Resource,
  readModule,
  type Value,
} from '../test/terraform/expand.ts';
import type { Block } from '../test/terraform/hcl.ts';
import { faultsOf, readProviderSchema } from '../test/terraform/providerSchema.ts';
import { passingTexts, readmeTexts } from '../test/terraform/readmeTables.ts';
import { deploymentManifest } from './manifestFile.ts';

const read = (path: string) => readFileSync(new URL(path, MODULE), 'utf8');
const isTerraformHere = await hasTerraform();
/** Why only the stored evaluations are tested; undefined when terraform evaluates the settings again. */
const whyStored = isTerraformHere
  ? IS_FULL
    ? undefined
    : 'only npm run test:full evaluates them again'
  : 'terraform is not on the PATH';
const schema = readProviderSchema();
const module = readModule(MODULE);
const settingsModule = readModule(new URL('settings/', MODULE));
const golden = (name: string) => new URL(`../test/terraform/golden/${name}`, import.meta.url).pathname;

const namesOf = (blocks: Block[], type: string) =>
  blocks.filter((block) => block.type === type).map(({ labels: [name = ''] }) => name);
const textOf = (block: Block | undefined, name: string) => block?.arguments[name]?.text;
const mapOf = (value: Value | undefined) => value as Record<string, Record<string, Value>>;
const inventoryOf = (settings: Settings): Resource[] => expandResources(module, settings);

const scratch = mkdtempSync(join(tmpdir(), 'inquest-manifest-'));
afterAll(() => rmSync(scratch, { recursive: true }));
/** The path of a manifest that `build --local` wrote. */
function localManifest(): string {
  const file = join(scratch, 'manifest.json');
  const folder = fileURLToPath(new URL('../config/', import.meta.url));
  writeFileSync(file, JSON.stringify(deploymentManifest('0.0.0', folder, true)));
  return file;
}

/** Refused inputs with a part of the message. Terraform checks combinations of valid values. */
const REFUSED: Record<string, Record<string, { input: Record<string, string>; message: string }>> = {
  values: {
    project: { input: { project: '"My Project"' }, message: 'Its name and its number are something else.' },
    number: { input: { project_number: '"my-project"' }, message: 'Expected digits only' },
    zone: { input: { region: '"europe-west1-b"' }, message: 'not a zone' },
    name: { input: { name: '"a-name-of-17-char"' }, message: 'Expected 4 to 16 lower-case letters' },
    tier: { input: { tier: '"staging"' }, message: 'Expected trial or production.' },
    manifest: { input: { manifest: '"missing.json"' }, message: 'No manifest.json can be read there.' },
    tag: { input: { images: '{ api = "image:latest" }' }, message: 'Every image needs its digest' },
    latest: { input: { secret_versions: '{ TOOLS_TOKEN = "latest" }' }, message: '`latest` is refused' },
    secret: {
      input: { environment: '{ TOOLS_TOKEN = "x" }' },
      message: 'is a secret: add a version to its secret',
    },
    basic: { input: { tool_roles: '{ p = ["roles/viewer"] }' }, message: 'Basic roles are refused' },
    everyone: { input: { console_members: '["allUsers"]' }, message: 'name users, groups or domains' },
    member: { input: { first_member: '"user:ada"' }, message: 'Expected an e-mail address' },
    publishers: {
      input: { alert_publishers: '["allUsers"]' },
      message: 'everyone could start investigations',
    },
  },
  combinations: {
    local: {
      input: { manifest: JSON.stringify(localManifest()) },
      message: 'The manifest is of `build --local`',
    },
    archive: { input: { archive: 'null' }, message: 'archive is not set' },
    images: { input: { deploy: '"image"' }, message: 'images names no image for: buryIteration' },
    unknown: {
      input: { secret_versions: '{ OTHER_TOKEN = "1" }' },
      message: 'secret_versions names variables that no service uses: OTHER_TOKEN.',
    },
    environment: {
      input: { environment: '{ LOGLEVEL = "debug" }' },
      message: 'environment names variables that no service reads: LOGLEVEL.',
    },
    overwritten: {
      input: {
        environment:
          '{ FIRESTORE_DATABASE = "other", GOOGLE_CLOUD_LOCATION = "eu", INQUEST_SERVICE = "api" }',
      },
      message:
        'environment names variables that the module sets: FIRESTORE_DATABASE, GOOGLE_CLOUD_LOCATION, INQUEST_SERVICE.',
    },
  },
};

describe.each(EXAMPLES)('the evaluation of the example %s', (example) => {
  it('is of the present sources', () => {
    expect(readEvaluation(example).digest, `stale: run ${UPDATE_COMMAND}`).toBe(digestOf(example));
  });

  it('expands every resource with arguments that the providers know', () => {
    const faults = inventoryOf(readEvaluation(example).settings).flatMap(({ address, type, contents }) => {
      const known = schema[type];
      return known === undefined ? [`${address}: unknown type`] : faultsOf(contents, known, address);
    });
    expect(faults).toEqual([]);
  });

  it('grants the rights of the golden list, none basic and none to everyone', async () => {
    const triples = readEvaluation(example).settings.iam_triples as string[];
    expect(triples.filter((one) => /roles\/(owner|editor|viewer)\b|allUsers|allAuth/.test(one))).toEqual([]);
    await expect(`${triples.join('\n')}\n`).toMatchFileSnapshot(golden(`${example}.rights.txt`));
  });

  it('has the resources of the golden list', async () => {
    const { settings } = readEvaluation(example);
    const addresses = inventoryOf(settings).map(({ address }) => address);
    // Those of firestore.indexes.json, which a test below counts.
    const list = addresses.filter((address) => !/^google_firestore_(index|field)\./.test(address)).sort();
    await expect(`${list.join('\n')}\n`).toMatchFileSnapshot(golden(`${example}.resources.txt`));
  });
});

describe('the manifests that the examples are evaluated with', () => {
  it.each([
    ['default', '../config/'],
    ['with-secrets', '../test/terraform/samples/config/'],
  ])('%s.json is the manifest of its configuration', (name, folder) => {
    const stored = readFileSync(new URL(`../test/terraform/samples/${name}.json`, import.meta.url), 'utf8');
    const manifest = deploymentManifest('0.0.0', fileURLToPath(new URL(folder, import.meta.url)));
    expect(JSON.parse(stored), `stale: run ${UPDATE_COMMAND}`).toEqual(JSON.parse(JSON.stringify(manifest)));
  });
});

describe('the examples', () => {
  it.each(EXAMPLES)('%s uses only resources and arguments that are known', (example) => {
    const blocks = readExample(example);
    const variables = namesOf(module, 'variable');
    const call = blocks.find(({ type }) => type === 'module');
    const passed = Object.keys(call?.arguments ?? {}).filter((name) => !/^(source|depends_on)$/.test(name));
    expect(passed.filter((name) => !variables.includes(name))).toEqual([]);
    const resources = blocks.filter(({ type }) => type === 'resource');
    const unknown = resources.flatMap((block) => unknownNames(block, schema[block.labels[0] ?? '']));
    expect(unknown).toEqual([]);
  });

  it.each(EXAMPLES)(
    '%s enables the API of Compute Engine before its own networks and addresses',
    (example) => {
      const direct = dependenciesOf(readExample(example));
      const compute = Object.keys(direct).filter((name) => name.startsWith('google_compute_'));
      const early = compute.filter(
        (name) => !reachedFrom(name, direct).has('google_project_service.compute'),
      );
      expect(early).toEqual([]);
    },
  );

  it('name a project for the quota of requests, which credentials of users need', () => {
    for (const provider of EXAMPLES.flatMap(readExample).filter(({ type }) => type === 'provider')) {
      expect(textOf(provider, 'billing_project')).toBe('var.project');
      expect(textOf(provider, 'user_project_override')).toBe('true');
    }
  });
});

/** The resources that a resource waits for, directly or through others. */
function reachedFrom(start: string, direct: Record<string, string[]>): Set<string> {
  const found = new Set<string>();
  const open = [start];
  for (let next = open.pop(); next !== undefined; next = open.pop())
    for (const name of direct[next] ?? [])
      if (!found.has(name)) {
        found.add(name);
        open.push(name);
      }
  return found;
}

/** The arguments and blocks of a resource that the providers do not know. */
function unknownNames(block: Block, known: (typeof schema)[string] | undefined): string[] {
  const place = `${block.file}:${block.line} ${block.labels.join('.')}`;
  if (known === undefined) return [`${place}: unknown`];
  const names = Object.keys(block.arguments).filter(
    (name) => name !== 'depends_on' && !known.arguments[name],
  );
  const inner = block.blocks.filter(({ type }) => type !== 'lifecycle');
  return [
    ...names.map((name) => `${place}: ${name}`),
    ...inner.flatMap((one) => unknownNames(one, known.blocks[one.type])),
  ];
}

describe('the module', () => {
  it('passes every variable to settings/, where only its name stands again', () => {
    for (const [file, text] of Object.entries(passingTexts()))
      expect(read(file), `run ${UPDATE_COMMAND}`).toBe(text);
    expect(namesOf(settingsModule, 'variable')).toEqual(namesOf(module, 'variable'));
  });

  it('creates resources in an order: none waits for itself, and services wait for rights and indexes', () => {
    const direct = dependenciesOf(module);
    const reached = (start: string) => reachedFrom(start, direct);
    expect(Object.keys(direct).filter((name) => reached(name).has(name))).toEqual([]);
    const ofServices = reached('google_cloud_run_v2_service.service');
    expect([...ofServices]).toEqual(
      expect.arrayContaining([
        'google_project_service.api',
        'google_project_service_identity.agent',
        'google_secret_manager_secret_iam_member.grant',
        'google_firestore_index.index',
        'google_firestore_field.field',
        'google_firestore_field.others',
        'google_firebaserules_release.rules',
      ]),
    );
    // A field that has settings of its own never loses its indexes.
    expect(reached('google_firestore_field.others')).toContain('google_firestore_field.field');
    const ofSubscriptions = reached('google_pubsub_subscription.subscription');
    expect(ofSubscriptions).toContain('google_cloud_run_v2_service_iam_member.grant');
    expect(ofServices).not.toContain('google_pubsub_subscription.subscription');
  });

  it('has its variables and outputs in README.md', () => {
    const { stored, expected } = readmeTexts();
    expect(stored, `stale: run ${UPDATE_COMMAND}`).toBe(expected);
  });

  it('uses every output of settings/ except the lists of rights', () => {
    const used = [
      ...module
        .map((block) => JSON.stringify(block))
        .join()
        .matchAll(/module\.settings\.(\w+)/g),
    ];
    const names = new Set(used.map(([, name]) => name));
    expect(namesOf(settingsModule, 'output').filter((name) => !names.has(name))).toEqual(['iam_triples']);
  });

  it('runs on Infrastructure Manager, which has Terraform 1.5.7, no backend and no provisioners', () => {
    const blocks = [...module, ...settingsModule];
    const types = new Set(blocks.map(({ type }) => type));
    expect([...types].sort()).toEqual(['locals', 'module', 'output', 'resource', 'terraform', 'variable']);
    const newer = /\bprovider::|\bephemeral\b|\b\w+_wo\b|\bprovisioner\b|\bbackend\b/;
    expect(blocks.filter((block) => newer.test(JSON.stringify(block)))).toEqual([]);
    // Conditions name only their own variable; 1.5.7 refuses others.
    for (const { labels, blocks: inner } of module.filter(({ type }) => type === 'variable'))
      for (const validation of inner.filter(({ type }) => type === 'validation'))
        for (const [, name] of textOf(validation, 'condition')?.matchAll(/\bvar\.(\w+)/g) ?? [])
          expect(name).toBe(labels[0]);
  });

  it.runIf(isTerraformHere)('is formatted (skipped where terraform is not on the PATH)', async () => {
    const folder = new URL('.', MODULE).pathname;
    await expect(terraform(folder, 'fmt', '-check', '-recursive')).resolves.toBe('');
  });
});

const evaluation =
  whyStored === undefined ? 'the evaluation by terraform' : `the stored evaluations are used: ${whyStored}`;
describe.runIf(whyStored === undefined)(evaluation, () => {
  it('evaluates the settings of all examples to the stored evaluations', async () => {
    const evaluated = await evaluateExamples();
    for (const example of EXAMPLES)
      expect(evaluated[example], `run ${UPDATE_COMMAND}`).toEqual(readEvaluation(example).settings);
  });

  it('keeps messages of a service whose secret has no version, and creates no such service', async () => {
    const versions = { secret_versions: '{ TOOLS_TOKEN = "7", GRAFANA_WEBHOOK_SECRET = "1" }' };
    const { without, complete, keyed } = await evaluateInputs({
      without: {},
      complete: versions,
      keyed: { ...versions, vertex: 'false' },
    });
    expect(without.missing_secrets).toEqual({
      api: ['GRAFANA_WEBHOOK_SECRET'],
      deliver: ['SLACK_BOT_TOKEN'],
      runIteration: ['TOOLS_TOKEN'],
    });
    expect(Object.keys(mapOf(without.services)).sort()).toEqual([
      'buryIteration',
      'console',
      'ingestAlert',
      'ingestChange',
      'sweep',
    ]);
    const { push, ...kept } = mapOf(without.subscriptions)['iterations-push'] ?? {};
    expect(push).toEqual([]);
    expect(mapOf(complete.subscriptions)['iterations-push']).toEqual({
      ...kept,
      push: [expect.objectContaining({ endpoint: mapOf(complete.services).runIteration?.url })],
    });
    expect((without.next_steps as string[]).join('\n')).toMatch(
      /^runIteration was not created: add a version to TOOLS_TOKEN /m,
    );
    // Without Vertex AI, the key of the Gemini API is a secret like others.
    expect(Object.keys(mapOf(keyed.missing_secrets))).toEqual(['api', 'console', 'deliver', 'runIteration']);
    expect(mapOf(keyed.secrets)).toMatchObject({ GEMINI_API_KEY: 'inquest-gemini-api-key' });
    expect((keyed.iam_triples as string[]).filter((one) => one.includes('aiplatform'))).toEqual([]);
  });

  it('admits the first member, and names them to the services that read access.yaml', async () => {
    const { first } = await evaluateInputs({
      first: {
        first_member: '"ada@example.com"',
        console_members: '["user:ada@example.com"]',
        secret_versions: '{ GRAFANA_WEBHOOK_SECRET = "1", SLACK_BOT_TOKEN = "1" }',
      },
    });
    expect(Object.keys(mapOf(first.iap_grants))).toEqual(['user:ada@example.com console']);
    const told = Object.entries(mapOf(first.services)).flatMap(([name, { environment }]) =>
      (environment as Record<string, Value>).INQUEST_FIRST_MEMBER === 'ada@example.com' ? [name] : [],
    );
    expect(told.sort()).toEqual(['api', 'console', 'deliver']);
    expect(first.next_steps).not.toContainEqual(expect.stringContaining('No member passes IAP'));
  });

  it('uses a restored database everywhere, and creates neither it nor its indexes', async () => {
    const { restored } = await evaluateInputs({
      restored: { database: '"restored-1"', tier: '"production"' },
    });
    expect(restored).toMatchObject({ databases: {}, indexes: {}, database: { name: 'restored-1' } });
    expect(restored.rules).toMatchObject({ release: 'cloud.firestore/restored-1' });
    const databases = Object.values(mapOf(restored.services)).map(
      ({ environment }) => (environment as Record<string, Value>).FIRESTORE_DATABASE,
    );
    expect(new Set(databases)).toEqual(new Set(['restored-1']));
    const conditions = (restored.iam_triples as string[]).filter((one) => one.includes(' if '));
    expect(conditions.filter((one) => !one.endsWith('/databases/restored-1"'))).toEqual([]);
    expect(Object.keys(mapOf(restored.fields)).length).toBeGreaterThan(0);
  });

  it('creates no function, topic and subscription of features that are off', async () => {
    const folder = mkdtempSync(join(scratch, 'off-'));
    writeFileSync(join(folder, 'system.yaml'), 'features: { deliveries: off, changes: off }');
    const file = join(folder, 'manifest.json');
    writeFileSync(file, JSON.stringify(deploymentManifest('0.0.0', folder)));
    const { off } = await evaluateInputs({ off: { manifest: JSON.stringify(file) } });
    const names = (value: Value | undefined) => Object.keys(mapOf(value)).sort();
    expect(names(off.services)).toEqual([
      'api',
      'buryIteration',
      'console',
      'ingestAlert',
      'runIteration',
      'sweep',
    ]);
    expect(names(off.topics)).toEqual(['alerts', 'alerts-dead', 'iterations', 'iterations-dead']);
    expect(names(off.subscriptions).filter((name) => /deliver|change/.test(name))).toEqual([]);
    expect(JSON.stringify(off.iam_triples)).not.toMatch(/deliver|change/i);
  });

  it('gives key and webhook of a model in the background only to the services that use them', async () => {
    const folder = mkdtempSync(join(scratch, 'background-'));
    const model = 'provider: google, model: gemini-3.8-flash, api: interactions, wait: background';
    writeFileSync(join(folder, 'models.yaml'), `models: { one: { ${model} } }`);
    const file = join(folder, 'manifest.json');
    writeFileSync(file, JSON.stringify(deploymentManifest('0.0.0', folder)));
    const { background } = await evaluateInputs({
      background: {
        manifest: JSON.stringify(file),
        vertex: 'false',
        secret_versions: '{ GEMINI_API_KEY = "1", GEMINI_WEBHOOK_SECRET = "2" }',
        environment: '{ GEMINI_WEBHOOK_URL = "https://inquest.example.com/v1/interactions/webhook" }',
      },
    });
    const rows = Object.entries(mapOf(background.services)).map(([name, { secrets, environment }]) => [
      name,
      Object.keys(secrets as object).filter((one) => one.startsWith('GEMINI')),
      'GEMINI_WEBHOOK_URL' in (environment as object),
    ]);
    expect(rows.filter(([, secrets, hasAddress]) => hasAddress || String(secrets) !== '')).toEqual([
      ['api', ['GEMINI_API_KEY', 'GEMINI_WEBHOOK_SECRET'], true],
      ['console', ['GEMINI_API_KEY'], true],
      ['runIteration', ['GEMINI_API_KEY'], true],
      ['sweep', ['GEMINI_API_KEY'], false],
    ]);
  });

  it.each(Object.entries(REFUSED))('refuses wrong %s, each with the fix', async (_, cases) => {
    const inputs = Object.entries(cases).map(([name, { input }]) => [name, input] as const);
    const error = await evaluateInputs(Object.fromEntries(inputs)).then(
      () => '',
      (thrown: unknown) => String((thrown as { stderr?: unknown }).stderr),
    );
    const text = error.replaceAll(/[\s│]+/g, ' ');
    for (const [name, { message }] of Object.entries(cases)) expect(text, name).toContain(message);
  });
});

describe('the settings', () => {
  const { settings } = readEvaluation('trial');
  const production = readEvaluation('production').settings;

  it('push with the deadline, back-off, retention and account that deliveries need', () => {
    const pushes = inventoryOf(settings).filter(
      ({ type, contents }) =>
        type === 'google_pubsub_subscription' && (contents.push_config as Value[]).length > 0,
    );
    for (const { address, contents } of pushes) {
      const [push] = contents.push_config as Record<string, Value>[];
      expect(contents, address).toMatchObject({
        ack_deadline_seconds: 600,
        message_retention_duration: '604800s',
        expiration_policy: [{ ttl: '' }],
        retry_policy: [{ minimum_backoff: '10s', maximum_backoff: '600s' }],
      });
      expect(push?.oidc_token).toEqual([
        {
          service_account_email: 'inquest-push@my-project.iam.gserviceaccount.com',
          audience: push?.push_endpoint,
        },
      ]);
    }
    expect(pushes).toHaveLength(5);
  });

  it('override unsuitable defaults of the providers', () => {
    const resources = inventoryOf(settings);
    const ofType = (type: string) =>
      resources.filter((one) => one.type === type).map(({ contents }) => contents);
    for (const api of ofType('google_project_service')) expect(api.disable_on_destroy).toBe(false);
    for (const topic of ofType('google_pubsub_topic'))
      expect(topic.message_storage_policy).toEqual([{ allowed_persistence_regions: ['europe-west1'] }]);
    const limits = mapOf(settings.services);
    const services = ofType('google_cloud_run_v2_service');
    expect(services).toHaveLength(Object.keys(limits).length);
    for (const {
      name,
      deletion_protection,
      ingress,
      invoker_iam_disabled,
      iap_enabled,
      template,
    } of services) {
      const isHttp = name === 'inquest-api' || name === 'inquest-console';
      expect({ deletion_protection, ingress, invoker_iam_disabled, iap_enabled }).toEqual({
        deletion_protection: false,
        ingress: isHttp ? 'INGRESS_TRAFFIC_ALL' : 'INGRESS_TRAFFIC_INTERNAL_ONLY',
        invoker_iam_disabled: name === 'inquest-api',
        iap_enabled: name === 'inquest-console',
      });
      const { concurrency, max_instances } = Object.values(limits).find(({ id }) => id === name) ?? {};
      expect(concurrency).toBeLessThanOrEqual(200);
      expect(template).toMatchObject([
        {
          max_instance_request_concurrency: concurrency,
          scaling: [{ min_instance_count: 0, max_instance_count: max_instances }],
          containers: [{ resources: [{ cpu_idle: true }] }],
        },
      ]);
    }
  });

  it('wait again for rights that change, and only then', () => {
    const triggersOf = (example: (typeof EXAMPLES)[number]) =>
      inventoryOf(readEvaluation(example).settings).find(({ address }) => address === 'time_sleep.grants')
        ?.contents.triggers;
    expect(triggersOf('trial')).toEqual({ grants: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(triggersOf('other-projects')).not.toEqual(triggersOf('trial'));
    expect(triggersOf('private-network')).toEqual(triggersOf('custom-domain'));
  });

  it('name no address of the API that refuses requests', () => {
    const { services, api_url } = readEvaluation('custom-domain').settings;
    expect(mapOf(services).api?.ingress).toBe('INGRESS_TRAFFIC_INTERNAL_LOAD_BALANCER');
    expect(api_url).toBeNull();
    expect(settings.api_url).toBe(mapOf(settings.services).api?.url);
  });

  it('give every dead-letter topic a subscription, and Pub/Sub its two rights', () => {
    const subscriptions = Object.values(mapOf(settings.subscriptions));
    const letters = subscriptions.flatMap(({ dead_letters }) => dead_letters as { topic: string }[]);
    expect(letters.length).toBeGreaterThan(0);
    for (const { topic } of letters)
      expect(
        subscriptions.filter((one) => one.topic === topic),
        topic,
      ).toHaveLength(1);
    const triples = settings.iam_triples as string[];
    const agent = triples.filter((one) => one.includes('@gcp-sa-pubsub.'));
    expect(agent).toHaveLength(2 * letters.length);
  });

  it('write __name__ before a vector and after all other fields', () => {
    const indexes = Object.values(mapOf(settings.indexes));
    const file = JSON.parse(readFileSync(new URL('../firestore.indexes.json', import.meta.url), 'utf8')) as {
      indexes: unknown[];
      fieldOverrides: { collectionGroup: string; fieldPath: string; ttl?: boolean }[];
    };
    expect(indexes).toHaveLength(file.indexes.length);
    for (const { fields } of indexes) {
      const list = fields as { path: string; order: string | null; vectors: number[] }[];
      const plain = list.filter(({ vectors }) => vectors.length === 0);
      expect(list.slice(0, plain.length)).toEqual(plain);
      const [last, before] = [plain.at(-1), plain.at(-2)];
      expect(last).toMatchObject({ path: '__name__', order: before?.order ?? 'ASCENDING' });
    }
    const fields = Object.values(mapOf(settings.fields));
    const others = file.fieldOverrides.filter(({ fieldPath }) => fieldPath === '*');
    expect(Object.keys(mapOf(settings.other_fields)).sort()).toEqual(
      others.map(({ collectionGroup }) => collectionGroup).sort(),
    );
    expect(fields).toHaveLength(file.fieldOverrides.length - others.length);
    const expiring = fields.filter(({ expires }) => (expires as string[]).length > 0);
    expect(expiring).toHaveLength(file.fieldOverrides.filter(({ ttl }) => ttl === true).length);
  });

  it('protect the database in both tiers, and the rest of the data in production only', () => {
    const protection = ({ database, backups, services, buckets }: Settings) => ({
      database,
      backups,
      services: new Set(Object.values(mapOf(services)).map((service) => service.deletion_protection)),
      emptied: Object.values(mapOf(buckets)).map((bucket) => bucket.force_destroy),
    });
    expect(protection(settings)).toMatchObject({
      database: { delete_protection: 'DELETE_PROTECTION_ENABLED', deletion_policy: 'DELETE' },
      backups: {},
      services: new Set([false]),
      emptied: [true],
    });
    expect(protection(production)).toMatchObject({
      database: {
        name: 'inquest-prod',
        point_in_time: 'POINT_IN_TIME_RECOVERY_ENABLED',
        delete_protection: 'DELETE_PROTECTION_ENABLED',
        deletion_policy: 'ABANDON',
      },
      backups: { daily: { retention: '1209600s' } },
      services: new Set([true]),
      emptied: [false],
    });
  });

  it('keep replaced archives for 30 days', () => {
    const [bucket] = inventoryOf(settings).filter(({ address }) =>
      address.startsWith('google_storage_bucket.'),
    );
    expect(JSON.stringify(bucket?.contents)).toMatch(/"versioning".*"enabled":true/);
    expect(JSON.stringify(bucket?.contents)).toContain('"days_since_noncurrent_time":30');
  });

  it('log who reads and writes data, unless it is switched off', () => {
    const variable = module.find(
      ({ type, labels }) => type === 'variable' && labels[0] === 'data_access_logs',
    );
    expect(textOf(variable, 'description')).toMatch(
      /\$0\.50 for each GiB .*https:\/\/cloud\.google\.com\/\S+, as of \d{4}-\d\d-\d\d\)/,
    );
    for (const example of EXAMPLES)
      expect(Object.keys(mapOf(readEvaluation(example).settings.audited)), example).toEqual([
        'firestore',
        'secrets',
      ]);
  });

  it('limit the requests to an API behind a load balancer', () => {
    const policies = (example: (typeof EXAMPLES)[number]) =>
      readEvaluation(example).settings.security_policies;
    expect(policies('custom-domain')).toEqual({
      api: { name: 'inquest-api', requests_per_minute: 1200, addresses: ['*'] },
    });
    expect(policies('trial')).toEqual({});
  });

  it('give a service only its own secrets, at a fixed version', () => {
    const secrets = Object.entries(mapOf(production.services)).flatMap(([name, service]) =>
      Object.entries(mapOf(service.secrets)).map(([variable, { version }]) => [name, variable, version]),
    );
    expect(secrets.sort()).toEqual([
      ['api', 'GRAFANA_WEBHOOK_SECRET', '3'],
      ['api', 'INQUEST_DECISION_KEY', '1'],
      ['api', 'INQUEST_KEY_SECRETS', '1'],
      ['console', 'INQUEST_DECISION_KEY', '1'],
      ['deliver', 'INQUEST_DECISION_KEY', '1'],
      ['deliver', 'INQUEST_DECISION_PUBLIC_KEYS', '1'],
      ['deliver', 'SLACK_BOT_TOKEN', '1'],
      ['runIteration', 'INQUEST_DECISION_PUBLIC_KEYS', '1'],
      ['runIteration', 'TOOLS_TOKEN', '1'],
    ]);
  });
});
