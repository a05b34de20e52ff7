// `deploy` with stand-ins of Google's control plane and Terraform, not recorded from Google.

import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { derivePublicKey } from '../../../shared/kits/access/signatures.ts';
import { projectFile } from '../../../shared/projectFiles.ts';
import { callCommand } from '../../../test/support/callCommand.ts';
import { ownEmulators } from '../../../test/support/ownEmulators.ts';
import {
  createGoogleStandIn,
  type StandInGoogle,
  type StandInState,
} from '../../../test/worlds/google/standInGoogle.ts';

/** Stored documents that are newer than the version that the deployed code reads, by collection. */
const newer = vi.hoisted(() => new Map<string, number>());
vi.mock('../../../shared/wiring/openOutdatedDocuments.ts', () => ({
  openOutdatedDocuments: () => ({
    countNewer: async (collection: string) => newer.get(collection) ?? 0,
    close: async () => {},
  }),
}));
afterEach(() => newer.clear());

const PLACE = ['--project', 'shop-prod', '--region', 'europe-west1'];
type StandInObjects = StandInState['buckets'] extends Map<string, { objects: infer T }> ? T : never;
const RELEASES = 'shop-prod-inquest-releases';
const STATE = 'shop-prod-inquest-tfstate';
const STAGED = projectFile('.inquest/deploy/shop-prod-inquest');
const INDEXES = '/v1/projects/shop-prod/databases/inquest/collectionGroups/-/indexes';
const READY = { databases: new Set(['inquest']) };
const MANIFEST = {
  version: '1.2.3',
  schema: 1,
  services: [
    { name: 'runIteration', secrets: ['PAGER_TOKEN'], optionalSecrets: ['GEMINI_API_KEY'] },
    { name: 'sweep', secrets: [] },
  ],
};

interface World extends StandInGoogle {
  /** The folder of Terraform's stand-in: calls.txt, and fail-COMMAND with the text of a failure. */
  home: string;
  /** Writes a built dist/ whose archive has this content. */
  dist(content: string, manifest?: object): string;
  deploy(args: string[], env?: Record<string, string | undefined>): ReturnType<typeof callCommand>;
}

async function world(given: Partial<StandInState> = READY, withTerraform = true): Promise<World> {
  const google = await createGoogleStandIn(given);
  const home = mkdtempSync(join(tmpdir(), 'inquest-deploy-'));
  onTestFinished(() => {
    rmSync(home, { recursive: true });
    for (const folder of [STAGED, `${STAGED}-releases`]) rmSync(folder, { recursive: true, force: true });
  });
  const bin = join(home, 'bin');
  mkdirSync(bin);
  if (withTerraform)
    symlinkSync(projectFile('test/worlds/google/standInTerraform.sh'), join(bin, 'terraform'));
  const configFolder = join(home, 'config');
  mkdirSync(configFolder);
  return {
    ...google,
    home,
    dist(content, manifest = MANIFEST) {
      const folder = join(home, `dist-${content}`);
      mkdirSync(folder);
      writeFileSync(join(folder, 'manifest.json'), JSON.stringify(manifest));
      writeFileSync(join(folder, `${content}.tar.gz`), content);
      return folder;
    },
    deploy: (args, env = {}) =>
      callCommand(['deploy', ...PLACE, ...args], {
        PATH: `${bin}:/usr/bin:/bin`,
        STAND_IN_STATE: home,
        INQUEST_CONFIG: configFolder,
        ...ownEmulators,
        ...env,
      }),
  };
}

/** Puts an installation's buckets into the project, with releases in order of deployment. */
function store(
  state: StandInState,
  releases: string[],
  tier = 'trial',
  stateBucket = STATE,
  failed: string[] = [],
): void {
  const { projectNumber } = state;
  const iamConfiguration = {
    uniformBucketLevelAccess: { enabled: true },
    publicAccessPrevention: 'enforced',
  };
  const objects: StandInObjects = new Map();
  for (const [minute, content] of releases.entries()) {
    const digest = createHash('sha256').update(content).digest('hex');
    const deployedAt = new Date(minute * 60_000).toISOString();
    const manifest = { ...MANIFEST, version: content };
    const record = {
      version: content,
      digest,
      manifest,
      deployedAt,
      documents: { sessions: 3 },
      isApplied: !failed.includes(content),
      stateBucket,
    };
    const put = (name: string, bytes: string) =>
      objects.set(`releases/${digest}${name}`, {
        versions: [{ generation: '1', bytes: Buffer.from(bytes) }],
      });
    put('.tar.gz', content);
    put('.json', JSON.stringify(record));
  }
  const labels = { 'inquest-tier': tier };
  state.buckets.set(RELEASES, { resource: { projectNumber, iamConfiguration, labels }, objects });
  const versioning = { enabled: true };
  state.buckets.set(STATE, { resource: { projectNumber, iamConfiguration, versioning }, objects: new Map() });
}

/** Puts two versions of an object into a bucket. */
function addState(state: StandInState, bucket: string, object: string): void {
  const stored = state.buckets.get(bucket) ?? { resource: {}, objects: new Map() };
  const versions = ['1', '2'].map((generation) => ({ generation, bytes: Buffer.from('{}') }));
  stored.objects.set(object, { versions });
  state.buckets.set(bucket, stored);
}

const staged = (name: string): string => readFileSync(join(STAGED, name), 'utf8');

describe('a deployment', () => {
  it('creates two private buckets, applies the plan and stores the archive', async () => {
    const { deploy, dist, home, state, requests } = await world();
    const { code, stdout, stderr } = await deploy(['--dist', dist('one'), '--yes']);
    expect({ code, stderr: stderr.filter((line) => line.startsWith('inquest:')) }).toEqual({
      code: 0,
      stderr: [],
    });
    expect(stdout).toContain('runIteration is not created: no version of PAGER_TOKEN');
    expect(stdout).toContain(
      `  npx --no inquest deploy secret PAGER_TOKEN --project shop-prod --region europe-west1 --config ${home}/config < FILE`,
    );
    expect(stdout.find((line) => line.startsWith('plan: '))).toMatch(/^plan: create \d+$/);
    expect(stdout.find((line) => line.startsWith('deployed Inquest 1.2.3'))).toBeDefined();
    const isPrivate = { uniformBucketLevelAccess: { enabled: true }, publicAccessPrevention: 'enforced' };
    expect(state.buckets.get(STATE)?.resource).toMatchObject({
      location: 'europe-west1',
      iamConfiguration: isPrivate,
      versioning: { enabled: true },
    });
    expect(state.buckets.get(RELEASES)?.resource).toMatchObject({
      iamConfiguration: isPrivate,
      labels: { 'inquest-name': 'inquest', 'inquest-tier': 'trial' },
    });
    expect([...(state.buckets.get(RELEASES)?.objects.keys() ?? [])]).toHaveLength(2);
    const firstBucket = requests.findIndex((request) =>
      request.startsWith('POST https://storage.googleapis.com/storage/v1/b'),
    );
    expect(firstBucket).toBeGreaterThan(0);
    expect(requests.filter((request) => request.includes('batchEnable'))).toEqual([]);
  });

  it('passes paths of the staged folder, the numbers of versions, and variables of the configuration', async () => {
    const secrets = new Map([
      [
        'inquest-pager-token',
        [
          { state: 'ENABLED', value: 'a' },
          { state: 'ENABLED', value: 'b' },
          { state: 'DISABLED', value: 'c' },
        ],
      ],
    ]);
    const { deploy, dist, home, state } = await world({ secrets });
    // As soon as the apply has created the database, its indexes are listed.
    state.resources.set(INDEXES, { indexes: [{ state: 'READY' }] });
    writeFileSync(
      join(home, 'config', 'deploy.tfvars.json'),
      JSON.stringify({ console_members: ['group:sre@example.com'] }),
    );
    expect((await deploy(['--dist', dist('one'), '--yes'])).code).toBe(0);
    const variables = JSON.parse(staged('terraform.tfvars.json'));
    expect(variables).toEqual({
      project: 'shop-prod',
      project_number: '415104041262',
      region: 'europe-west1',
      name: 'inquest',
      tier: 'trial',
      manifest: './manifest.json',
      archive: expect.stringMatching(/^\.\/[0-9a-f]{64}\.tar\.gz$/),
      firestore_indexes: './firestore.indexes.json',
      firestore_rules: './firestore.rules',
      skip_index_wait: true,
      secret_versions: { PAGER_TOKEN: '2' },
      console_members: ['group:sre@example.com'],
    });
    const declared = [...staged('variables.tf').matchAll(/^variable "(\w+)"/gm)].map(([, name]) => name);
    expect(declared).toEqual(expect.arrayContaining(Object.keys(variables)));
    for (const path of [
      variables.manifest,
      variables.archive,
      variables.firestore_indexes,
      variables.firestore_rules,
    ])
      expect(existsSync(join(STAGED, path)), path).toBe(true);
    expect(staged('backend.tf')).toContain(`bucket = "${STATE}"\n    prefix = "inquest/shop-prod/inquest"`);
  });

  it('finds the indexes of a restored database, which the configuration names', async () => {
    const { deploy, dist, home, requests } = await world({ databases: new Set(['restored-1']) });
    writeFileSync(join(home, 'config', 'deploy.tfvars.json'), JSON.stringify({ database: 'restored-1' }));
    expect((await deploy(['--dist', dist('one'), '--yes'])).code).toBe(0);
    const variables = JSON.parse(staged('terraform.tfvars.json'));
    expect(variables).toMatchObject({ database: 'restored-1', skip_index_wait: false });
    expect(requests.filter((request) => request.includes('/databases/inquest'))).toEqual([]);
  });

  it('uses the quota of the project only with a budget, whose API needs one', async () => {
    const { deploy, dist, home } = await world();
    const quota = () => readFileSync(join(home, 'quota.txt'), 'utf8');
    const folder = dist('one');
    expect((await deploy(['--dist', folder, '--plan'])).code).toBe(0);
    expect(quota()).toBe('');
    const budget = { billing_account: '012345-6789AB-CDEF01', currency: 'EUR', amount: 500 };
    writeFileSync(join(home, 'config', 'deploy.tfvars.json'), JSON.stringify({ budget }));
    expect((await deploy(['--dist', folder, '--plan'])).code).toBe(0);
    expect(quota()).toBe('GOOGLE_BILLING_PROJECT=shop-prod\nUSER_PROJECT_OVERRIDE=true\n');
  });

  it('needs the key of the Gemini API only without Vertex AI', async () => {
    const { deploy, dist, home } = await world();
    writeFileSync(join(home, 'config', 'deploy.tfvars.json'), JSON.stringify({ vertex: false }));
    const { stdout } = await deploy(['--dist', dist('one'), '--plan']);
    expect(stdout).toContain('runIteration is not created: no version of GEMINI_API_KEY, PAGER_TOKEN');
  });

  it('without a change only checks', async () => {
    const { deploy, dist, requests } = await world();
    const folder = dist('one');
    await deploy(['--dist', folder, '--yes']);
    requests.length = 0;
    const { code, stdout } = await deploy(['--dist', folder]);
    expect(code).toBe(0);
    expect(stdout).toContain('plan: no changes');
    expect(
      requests.filter((request) => request.startsWith('POST') && !request.includes('batchEnable')),
    ).toEqual([]);
  });

  it('without a terminal needs --yes, and changes nothing before', async () => {
    const { deploy, dist, state, home } = await world();
    const { code, stderr } = await deploy(['--dist', dist('one')]);
    expect(code).toBe(2);
    expect(stderr.at(-1)).toBe('inquest: there is no terminal to ask on: confirm with --yes');
    expect(readFileSync(join(home, 'calls.txt'), 'utf8')).not.toContain('apply');
    expect([...(state.buckets.get(RELEASES)?.objects.keys() ?? [])]).toEqual([]);
  });

  it.each([[['--plan']], [['--yes']], [['--destroy', '--yes']]])(
    'refuses another bucket of the state than that of the installation: %j',
    async (args) => {
      const { deploy, dist, state } = await world();
      store(state, ['one'], 'trial', 'company-states');
      const { code, stderr } = await deploy(['--dist', dist('two'), ...args]);
      expect(code).toBe(2);
      expect(stderr.at(-1)).toContain(
        `is in gs://company-states, not in gs://${STATE}: use --state gs://company-states`,
      );
      expect(state.buckets.has(RELEASES)).toBe(true);
    },
  );

  it('prints commands with the configuration and the bucket of the state', async () => {
    const { deploy, dist, home } = await world();
    const config = join(home, 'other config');
    const { stdout } = await deploy(
      ['--dist', dist('one'), '--plan', '--config', config, '--state', 'gs://company-states'],
      { INQUEST_CONFIG: '' },
    );
    expect(stdout).toContain(
      `  npx --no inquest deploy secret PAGER_TOKEN --project shop-prod --region europe-west1 --config '${config}' --state gs://company-states < FILE`,
    );
  });

  it('keeps the tier of the installation', async () => {
    const { deploy, dist, state } = await world();
    store(state, ['one'], 'production');
    await deploy(['--dist', dist('two'), '--plan']);
    expect(JSON.parse(staged('terraform.tfvars.json')).tier).toBe('production');
  });

  it('refuses a bucket of another project, and one that is not private', async () => {
    const other = { resource: { projectNumber: '1' }, objects: new Map() };
    const first = await world({ buckets: new Map([[RELEASES, other]]) });
    const { code, stderr } = await first.deploy(['--dist', first.dist('one'), '--yes']);
    expect(code).toBe(1);
    expect(stderr.at(-1)).toContain(`gs://${RELEASES} belongs to another project (number 1)`);
    other.resource.projectNumber = '415104041262';
    expect((await first.deploy(['--dist', join(first.home, 'dist-one'), '--yes'])).stderr.at(-1)).toContain(
      `gcloud storage buckets update gs://${RELEASES} --uniform-bucket-level-access`,
    );
  });

  it('admits the person who deploys first, keeps them, and ends with the address of the dashboard', async () => {
    const { deploy, dist, state, requests, home } = await world({ ...READY, person: 'Ada@example.com' });
    const url = 'https://inquest-console-415104041262.europe-west1.run.app';
    const folder = dist('one');
    const planned = await deploy(['--dist', folder, '--plan']);
    expect(planned.stdout).toContain(
      'the dashboard admits ada@example.com as its first member, with the role admin',
    );
    expect((await deploy(['--dist', folder, '--yes'])).stdout.at(-1)).toBe(
      `dashboard for ada@example.com: ${url}`,
    );
    expect(JSON.parse(staged('terraform.tfvars.json')).first_member).toBe('ada@example.com');
    // A machine deploys: no one is replaced, and no one is asked.
    state.person = undefined;
    requests.length = 0;
    const { stdout } = await deploy(['--dist', dist('two'), '--yes', '--json']);
    expect(JSON.parse(stdout.at(-1) ?? '')).toEqual({ type: 'dashboard', url, members: ['ada@example.com'] });
    expect(requests.filter((request) => request.includes('tokeninfo'))).toEqual([]);
    const other = await deploy(['--dist', folder, '--yes', '--member', 'bob@example.com']);
    expect(other.stdout.at(-1)).toBe(`dashboard for bob@example.com: ${url}`);
    writeFileSync(join(home, 'config', 'deploy.tfvars.json'), '{"console_members":["domain:example.com"]}');
    const listed = await deploy(['--dist', folder, '--plan']);
    expect(listed.stdout).toContain('the dashboard admits domain:example.com');
    expect(JSON.parse(staged('terraform.tfvars.json')).first_member).toBeUndefined();
  });

  it('admits no service account, and refuses a member beside those of the configuration', async () => {
    const { deploy, dist, home } = await world();
    const { stdout } = await deploy(['--dist', dist('one'), '--yes']);
    expect(stdout.join('\n')).toContain('the dashboard admits no one: these credentials belong to no person');
    expect(stdout.at(-1)).toMatch(/^dashboard \(no one can open it: use --member EMAIL\): https:/);
    const wrong = await deploy(['--dist', join(home, 'dist-one'), '--plan', '--member', 'ada']);
    expect([wrong.code, wrong.stderr.at(-1)]).toEqual([
      2,
      'inquest: --member "ada" is no e-mail address, such as ada@example.com',
    ]);
    writeFileSync(join(home, 'config', 'deploy.tfvars.json'), '{"console_members":["domain:example.com"]}');
    const both = await deploy(['--dist', join(home, 'dist-one'), '--plan', '--member', 'ada@example.com']);
    expect(both.stderr.at(-1)).toContain('add "user:ada@example.com" there, and a role in access.yaml');
  });

  it('prints JSON for programs', async () => {
    const { deploy, dist } = await world();
    const { stdout } = await deploy(['--dist', dist('one'), '--yes', '--json']);
    const events = stdout.map((line) => JSON.parse(line));
    expect(events.map(({ type }) => type)).toEqual(['waiting', 'member', 'plan', 'deployed', 'dashboard']);
    expect(events[2]).toMatchObject({ isApplied: true, update: 0, replace: 0, delete: 0, removed: [] });
    expect(events[3].digest).toMatch(/^[0-9a-f]{64}$/);
  });
});

describe('--plan', () => {
  it('changes nothing in the project', async () => {
    const { deploy, dist, requests, state, home } = await world();
    const { code, stdout } = await deploy(['--dist', dist('one'), '--plan']);
    expect(code).toBe(0);
    expect(stdout.some((line) => line.startsWith('plan: create'))).toBe(true);
    expect(requests.filter((request) => !request.startsWith('GET'))).toEqual([]);
    expect(state.buckets.size).toBe(0);
    const calls = readFileSync(join(home, 'calls.txt'), 'utf8');
    expect(calls).not.toContain('apply');
    expect(calls).toMatch(/^plan .* -lock=false$/m);
  });

  it('without a binary prints the lines for Cloud Shell and Infrastructure Manager', async () => {
    const { deploy, dist, home, requests } = await world(READY, false);
    expect(await deploy(['--dist', dist('two'), '--yes'])).toMatchObject({ code: 1 });
    const { code, stdout } = await deploy(['--dist', dist('one'), '--plan', '--tier', 'production']);
    expect(code).toBe(0);
    expect(stdout).toContain(
      `   npx --no inquest deploy --project shop-prod --region europe-west1 --config ${home}/config --tier production`,
    );
    expect(stdout).toContain(
      '   gcloud infra-manager deployments apply projects/shop-prod/locations/europe-west1/deployments/inquest \\',
    );
    expect(requests.filter((request) => !request.startsWith('GET'))).toEqual([]);
    expect(existsSync(join(STAGED, 'backend.tf'))).toBe(false);
    expect(staged('inputs.tfvars')).toContain('project = "shop-prod"\nproject_number = "415104041262"\n');
  });

  it('without a binary and without credentials prints the lines for Cloud Shell, which has both', async () => {
    const { deploy } = await world(READY, false);
    const env = {
      GCE_METADATA_HOST: undefined,
      METADATA_SERVER_DETECTION: 'none',
      INQUEST_CONFIG: undefined,
    };
    const { code, stdout, stderr } = await deploy(['--plan', '--test'], env);
    expect({ code, error: stderr[0] }).toEqual({
      code: 1,
      error: 'inquest: there are no credentials for Google Cloud',
    });
    expect(stdout.slice(-3)).toEqual([
      expect.stringMatching(/^1\. Cloud Shell .* in their folder:$/),
      '   npm ci',
      '   npx --no inquest deploy --project shop-prod --region europe-west1 --test',
    ]);
  });
});

it('with a binary and without credentials prints the lines for Cloud Shell, too', async () => {
  const { deploy } = await world();
  const env = { GCE_METADATA_HOST: undefined, METADATA_SERVER_DETECTION: 'none', INQUEST_CONFIG: undefined };
  const { code, stdout } = await deploy(['--plan'], env);
  expect(code).toBe(1);
  expect(stdout[0]).toMatch(/^this machine has no credentials .* or deploy from Cloud Shell\.$/);
});

describe('a failure', () => {
  it('of Terraform names its fix', async () => {
    const { deploy, dist, home } = await world();
    writeFileSync(
      join(home, 'fail-apply'),
      "Error: Error creating service account: googleapi: Error 403: Permission 'iam.serviceAccounts.create' denied on resource\n",
    );
    const folder = dist('one');
    const { code, stderr } = await deploy(['--dist', folder, '--yes']);
    expect(code).toBe(1);
    expect(stderr).toContain(
      'inquest: terraform apply: the deployer has not the right iam.serviceAccounts.create in shop-prod',
    );
    expect((await deploy(['--dist', folder, '--yes'])).code).toBe(0);
  });

  it('of a Google API names its fix', async () => {
    const { deploy, dist } = await world({
      ...READY,
      disabledApis: new Set(['cloudresourcemanager.googleapis.com']),
    });
    const { code, stderr } = await deploy(['--dist', dist('one'), '--plan']);
    expect(code).toBe(1);
    expect(stderr).toContain(
      '  fix: gcloud services enable cloudresourcemanager.googleapis.com --project=shop-prod, wait some minutes, and run the command again',
    );
  });

  it('a binary that is too old is named', async () => {
    const { deploy, dist } = await world();
    const { stderr } = await deploy(['--dist', dist('one'), '--plan'], { STAND_IN_VERSION: '1.5.6' });
    expect(stderr.at(-1)).toContain('terraform 1.5.6 is too old: install 1.5.7 or later');
  });

  it('--test needs its chain in the configuration', async () => {
    const { deploy, home } = await world();
    writeFileSync(
      join(home, 'config', 'agents.yaml'),
      'agents: { one: { strategy: single-call, instructions: Look. } }',
    );
    writeFileSync(
      join(home, 'config', 'chains.yaml'),
      'default: a\nchains: { a: { stages: [{ name: s, agents: [one] }] } }',
    );
    writeFileSync(
      join(home, 'config', 'models.yaml'),
      'default: m\nmodels: { m: { provider: google, model: gemini-3.8-flash } }',
    );
    const { code, stderr } = await deploy(['--test']);
    expect(code).toBe(2);
    expect(stderr.at(-1)).toContain('--test needs the chain deployment-test');
  });

  it.each([
    [['--project', 'Shop'], 'no id of a project'],
    [['--region', 'europe'], 'no region'],
    [['--name', 'a'], 'INQUEST_NAME is "a"'],
    [['--state', 'bucket'], 'no address of a bucket'],
    [['--plan', '--destroy'], 'cannot be used with option'],
    [['--dist', '/nowhere'], 'no folder that `inquest build` wrote'],
  ])('wrong usage %j', async (args, text) => {
    const { deploy } = await world();
    const { code, stderr } = await deploy(args);
    expect(code).toBe(2);
    expect(stderr.at(-1)).toContain(text);
  });

  it.each([[['--plan']], [['secret', 'PAGER_TOKEN']]])(
    'with the address of an emulator, %j refuses a project of Google Cloud',
    async (args) => {
      const { deploy, requests } = await world();
      const { code, stderr } = await deploy(args, {
        FIRESTORE_EMULATOR_HOST: '127.0.0.1:8080',
        PUBSUB_EMULATOR_HOST: '127.0.0.1:8085',
      });
      expect(code).toBe(2);
      expect(stderr.at(-1)).toContain('unset FIRESTORE_EMULATOR_HOST PUBSUB_EMULATOR_HOST');
      expect(requests).toEqual([]);
    },
  );

  it('a build for this machine is not deployed', async () => {
    const { deploy, dist, requests } = await world();
    const { code, stderr } = await deploy(['--dist', dist('one', { ...MANIFEST, local: true }), '--yes']);
    expect(code).toBe(2);
    expect(stderr.at(-1)).toContain('was built with `--local`');
    expect(requests).toEqual([]);
  });

  it('deploy.tfvars.json cannot set variables that the command sets', async () => {
    const { deploy, home } = await world();
    writeFileSync(join(home, 'config', 'deploy.tfvars.json'), '{"tier": "production"}');
    const { code, stderr } = await deploy(['--plan']);
    expect(code).toBe(2);
    expect(stderr.at(-1)).toContain('deploy.tfvars.json sets tier');
  });
});

describe('--rollback', () => {
  it('deploys the release before the current one with the services of today', async () => {
    const { deploy, state } = await world();
    store(state, ['one', 'two']);
    const { code, stdout } = await deploy(['--rollback', '--yes']);
    expect(code).toBe(0);
    expect(stdout.filter((line) => line.includes('  deployed '))).toHaveLength(2);
    expect(stdout.find((line) => line.startsWith('deployed Inquest one'))).toBeDefined();
    expect(JSON.parse(staged('manifest.json')).version).toBe('two');
  });

  it('skips a release that was not applied as a whole', async () => {
    const { deploy, state } = await world();
    store(state, ['one', 'failed', 'three'], 'trial', STATE, ['failed']);
    const { stdout } = await deploy(['--rollback', '--yes']);
    expect(stdout.filter((line) => line.includes('  not applied as a whole '))).toHaveLength(1);
    expect(stdout.find((line) => line.startsWith('deployed Inquest one'))).toBeDefined();
  });

  it('refuses when the database holds documents that its code cannot read', async () => {
    const { deploy, state } = await world();
    store(state, ['one', 'two']);
    newer.set('sessions', 2);
    const { code, stderr } = await deploy(['--rollback', '--yes']);
    expect(code).toBe(1);
    expect(stderr.join('\n')).toContain(
      'cannot read documents that newer code wrote:\n  sessions: 2 newer than version 3',
    );
    expect(existsSync(STAGED)).toBe(false);
  });

  it('refuses a release without a service of today, and one whose archive was changed', async () => {
    const { deploy, state } = await world();
    store(state, ['one', 'two']);
    const [, manifest] = [...(state.buckets.get(RELEASES)?.objects.values() ?? [])].slice(-2);
    const record = JSON.parse(String(manifest?.versions[0]?.bytes));
    record.manifest.services.push({ name: 'search', secrets: [] });
    if (manifest) manifest.versions = [{ generation: '1', bytes: Buffer.from(JSON.stringify(record)) }];
    expect((await deploy(['--rollback', '--yes'])).stderr.at(-1)).toContain(
      'has no search, which the current release deploys',
    );
    store(state, ['one', 'two']);
    for (const [name, object] of state.buckets.get(RELEASES)?.objects ?? [])
      if (name.endsWith('.tar.gz')) object.versions = [{ generation: '1', bytes: Buffer.from('changed') }];
    expect((await deploy(['--rollback', '--yes'])).stderr.at(-1)).toContain('was changed: its digest is');
  });

  it('needs an earlier release', async () => {
    const { deploy, state } = await world();
    expect((await deploy(['--rollback', '--yes'])).stderr.at(-1)).toContain(
      'has no release before the current one to go back to',
    );
    store(state, ['one']);
    expect((await deploy(['--rollback', '--yes'])).stderr.at(-1)).toContain(
      'has no release before the current one to go back to',
    );
    expect((await deploy(['--rollback', 'xyz', '--yes'])).stderr.at(-1)).toContain(
      'no release of the last 1 starts with xyz',
    );
  });
});

describe('--destroy', () => {
  it('leaves nothing of a trial', async () => {
    const { deploy, state, home } = await world();
    store(state, ['one']);
    addState(state, STATE, 'inquest/shop-prod/inquest/default.tfstate');
    writeFileSync(join(home, 'state.txt'), 'google_firestore_database.database\ngoogle_pubsub_topic.topic\n');
    const { code, stdout } = await deploy(['--destroy', '--yes']);
    expect(code).toBe(0);
    expect(stdout).toContain('plan: delete 2');
    expect(stdout).toContain(
      '  deletes google_firestore_database.database, and loses sessions and knowledge',
    );
    expect([...state.unprotected]).toEqual(['inquest']);
    expect([...state.buckets.keys()]).toEqual([]);
    expect(readFileSync(join(home, 'state.txt'), 'utf8')).toBe('');
    expect(existsSync(STAGED)).toBe(false);
  });

  it('with an empty plan deletes nothing while the database exists, or when the state is lost', async () => {
    const { deploy, state, home } = await world();
    store(state, ['one']);
    addState(state, STATE, 'inquest/shop-prod/inquest/default.tfstate');
    writeFileSync(join(home, 'state.txt'), '');
    const first = await deploy(['--destroy', '--yes']);
    expect(first.code).toBe(1);
    expect(first.stderr.at(-1)).toContain('the database inquest exists, but the state names no resource');
    state.databases.clear();
    state.buckets.get(STATE)?.objects.clear();
    expect((await deploy(['--destroy', '--yes'])).stderr.at(-1)).toContain(
      'a release of inquest was applied',
    );
    expect(state.buckets.size).toBe(2);
    // A second run after the resources were deleted, whose state is still there.
    addState(state, STATE, 'inquest/shop-prod/inquest/default.tfstate');
    expect((await deploy(['--destroy'])).stderr.at(-1)).toContain('there is no terminal to ask on');
    expect((await deploy(['--destroy', '--yes'])).code).toBe(0);
    expect(state.buckets.size).toBe(0);
  });

  it("refuses another project's bucket of the state", async () => {
    const { deploy, state } = await world();
    store(state, ['one']);
    Object.assign(state.buckets.get(STATE)?.resource ?? {}, { projectNumber: '1' });
    const { code, stderr } = await deploy(['--destroy', '--yes']);
    expect(code).toBe(1);
    expect(stderr.at(-1)).toContain(`gs://${STATE} belongs to another project (number 1)`);
    expect(state.buckets.size).toBe(2);
  });

  it('without a binary prints the lines for Cloud Shell and Infrastructure Manager', async () => {
    const { deploy } = await world(READY, false);
    const { code, stdout } = await deploy(['--destroy', '--yes']);
    expect(code).toBe(1);
    expect(stdout.at(-1)).toBe(
      '   gcloud infra-manager deployments delete projects/shop-prod/locations/europe-west1/deployments/inquest',
    );
  });

  it('names the remaining work', async () => {
    const { deploy, state, home } = await world({ databases: new Set(['restored']) });
    store(state, ['one']);
    const secret = 'projects/other/secrets/pager';
    const settings = { database: 'restored', secret_ids: { PAGER_TOKEN: secret } };
    writeFileSync(join(home, 'config', 'deploy.tfvars.json'), JSON.stringify(settings));
    writeFileSync(join(home, 'state.txt'), 'google_pubsub_topic.topic\n');
    const { stdout } = await deploy(['--destroy', '--yes']);
    expect([...state.unprotected]).toEqual([]);
    expect(stdout.at(-1)).toMatch(/backups .*; the database restored, .*; projects\/other\/secrets\/pager$/);
    expect(existsSync(`${STAGED}-releases`)).toBe(false);
  });

  it('refuses for production', async () => {
    const { deploy, state } = await world();
    store(state, ['one'], 'production');
    const { code, stderr } = await deploy(['--destroy', '--yes']);
    expect(code).toBe(2);
    expect(stderr.at(-1)).toContain('is in production: its sessions, knowledge and backups would be lost');
    expect(state.buckets.size).toBe(2);
  });

  it('deletes only its own states in a bucket that others use', async () => {
    const { deploy, state, home } = await world();
    store(state, ['one'], 'trial', 'company-states');
    addState(state, 'company-states', 'inquest/shop-prod/inquest/default.tfstate');
    addState(state, 'company-states', 'network/default.tfstate');
    writeFileSync(join(home, 'state.txt'), 'google_pubsub_topic.topic\n');
    expect((await deploy(['--destroy', '--yes', '--state', 'gs://company-states'])).code).toBe(0);
    expect([...(state.buckets.get('company-states')?.objects.keys() ?? [])]).toEqual([
      'network/default.tfstate',
    ]);
  });

  it('refuses when only the archive is lost', async () => {
    const { deploy, state } = await world();
    store(state, []);
    addState(state, STATE, 'inquest/shop-prod/inquest/default.tfstate');
    const { code, stderr } = await deploy(['--destroy', '--yes']);
    expect(code).toBe(1);
    expect(stderr.at(-1)).toContain('has no archive, but there is a state: deploy again');
  });

  it('of nothing is wrong usage', async () => {
    const { deploy } = await world();
    expect(await deploy(['--destroy', '--yes'])).toMatchObject({ code: 2 });
  });
});

describe('the keys of an installation', () => {
  const keys = ['INQUEST_DECISION_KEY', 'INQUEST_DECISION_PUBLIC_KEYS', 'INQUEST_KEY_SECRETS'];
  const manifest = {
    ...MANIFEST,
    services: [{ name: 'runIteration', secrets: [], optionalSecrets: keys }],
  };
  const ids = [
    'inquest-inquest-decision-key',
    'inquest-inquest-decision-public-keys',
    'inquest-inquest-key-secrets',
  ] as const;

  it('are created once, those of decisions as a pair, after Terraform has created their secrets, and the services get them', async () => {
    const secrets: StandInState['secrets'] = new Map(ids.map((id) => [id, []]));
    const { deploy, dist, home } = await world({ databases: new Set(['inquest']), secrets });
    const folder = dist('one', manifest);
    expect(await deploy(['--dist', folder, '--yes'])).toMatchObject({ code: 0 });
    const [signing = '', verifying = '', ofKeys = ''] = ids.map((id) =>
      secrets
        .get(id)
        ?.map(({ value }) => value)
        .join(),
    );
    expect(derivePublicKey(signing)).toBe(verifying);
    expect(Buffer.from(ofKeys, 'base64')).toHaveLength(32);
    expect(JSON.parse(staged('terraform.tfvars.json'))).toMatchObject({
      secret_versions: Object.fromEntries(keys.map((key) => [key, '1'])),
    });
    const calls = readFileSync(join(home, 'calls.txt'), 'utf8').match(/apply/g);
    expect(calls).toHaveLength(2);
    for (const name of ['terraform.tfvars.json', 'manifest.json'])
      for (const secret of [signing, ofKeys]) expect(staged(name)).not.toContain(secret);
    await deploy(['--dist', folder, '--yes']);
    expect([...secrets.values()].map((versions) => versions.length)).toEqual([1, 1, 1]);
  });

  it('are not created by a plan, and a pair without its private key is replaced', async () => {
    const half: StandInState['secrets'] = new Map([
      [ids[0], []],
      [ids[1], [{ state: 'ENABLED', value: 'public' }]],
      [ids[2], [{ state: 'ENABLED', value: 'secret' }]],
    ]);
    const { deploy, dist } = await world({ databases: new Set(['inquest']), secrets: half });
    const folder = dist('one', manifest);
    await deploy(['--dist', folder, '--plan']);
    expect(half.get(ids[0])).toEqual([]);
    await deploy(['--dist', folder, '--yes']);
    expect([...half.values()].map((versions) => versions.length)).toEqual([1, 2, 1]);
  });
});

describe('deploy secret', () => {
  const secret = async (value: string, secrets: StandInState['secrets'], name = 'PAGER_TOKEN') => {
    const google = await createGoogleStandIn({ secrets });
    const stdin = vi
      .spyOn(process, 'stdin', 'get')
      .mockReturnValue(Readable.from([Buffer.from(value)]) as never);
    const result = await callCommand(['deploy', ...PLACE, 'secret', name], {
      INQUEST_CONFIG: undefined,
      ...ownEmulators,
    });
    stdin.mockRestore();
    return { ...result, ...google };
  };

  it('adds a version from standard input, without the line break at its end', async () => {
    const secrets: StandInState['secrets'] = new Map([['inquest-pager-token', []]]);
    const { code, stdout } = await secret('s3cr3t\n', secrets);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: [
        'version 1 of projects/shop-prod/secrets/inquest-pager-token is stored; `npx --no inquest deploy --project shop-prod --region europe-west1` uses it',
      ],
    });
    expect(secrets.get('inquest-pager-token')).toEqual([{ state: 'ENABLED', value: 's3cr3t' }]);
  });

  it('adds a version to the secret that secret_ids names', async () => {
    const { deploy, home, state } = await world();
    const secret = 'projects/shop-prod/secrets/pager';
    const settings = { secret_ids: { PAGER_TOKEN: secret } };
    writeFileSync(join(home, 'config', 'deploy.tfvars.json'), JSON.stringify(settings));
    state.secrets.set('pager', []);
    const stdin = vi
      .spyOn(process, 'stdin', 'get')
      .mockReturnValue(Readable.from([Buffer.from('v')]) as never);
    const { code } = await deploy(['secret', 'PAGER_TOKEN']);
    stdin.mockRestore();
    expect(code).toBe(0);
    expect(state.secrets.get('pager')).toEqual([{ state: 'ENABLED', value: 'v' }]);
  });

  it.each([
    [
      'of a secret that does not exist',
      'value',
      'PAGER_TOKEN',
      1,
      'there is no projects/shop-prod/secrets/inquest-pager-token. ',
    ],
    ['that is empty', '\n', 'PAGER_TOKEN', 1, 'standard input is empty'],
    ['with a wrong name', 'value', 'pager-token', 2, 'no name of an environment variable'],
  ])('refuses a value %s', async (_, value, name, code, text) => {
    const result = await secret(value, new Map(), name);
    expect(result.code).toBe(code);
    expect(result.stderr.join('\n')).toContain(text);
  });
});
