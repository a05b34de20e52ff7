// The Terraform module of programs on the engine, without Google and without a provider, as that of Inquest:
// terraform evaluates its settings for a manifest, and its resources are expanded with them.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeDeployment } from '../shared/engine/manifest.ts';
import { ENGINE_COLLECTIONS } from '../shared/lists/engineFeatures.ts';
import { hasTerraform, MODULE, type Settings, terraform } from '../test/terraform/evaluate.ts';
import { expandResources, type Resource, readModule } from '../test/terraform/expand.ts';
import { faultsOf, readProviderSchema } from '../test/terraform/providerSchema.ts';

const ENGINE = new URL('engine/', MODULE);
const DIGEST = `registry/agents@sha256:${'0'.repeat(64)}`;
const folder = mkdtempSync(join(tmpdir(), 'inquest-engine-terraform-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Evaluates the settings for a manifest as a program writes it. */
async function evaluateSettings(): Promise<Settings> {
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify(describeDeployment({ topic: 'iterations' })));
  const source = relative(folder, fileURLToPath(new URL('settings', ENGINE)));
  const call = `module "agents" {
  source         = ${JSON.stringify(source)}
  project        = "my-project"
  project_number = "123456789012"
  region         = "europe-west1"
  manifest       = jsondecode(file("manifest.json"))
  image          = ${JSON.stringify(DIGEST)}
  name           = "support"
  environment    = { SHOP = "https://shop.example.com" }
  secrets        = { APPROVAL_KEY = { secret = "approval-key", version = "1" } }
  max_instances  = 20
}
output "settings" {
  value = module.agents
}
`;
  writeFileSync(join(folder, 'main.tf'), call);
  await terraform(folder, 'init', '-input=false', '-no-color');
  await terraform(folder, 'plan', '-input=false', '-no-color', '-out=plan');
  const shown = JSON.parse(await terraform(folder, 'show', '-json', 'plan'));
  return shown.planned_values.outputs.settings.value;
}

describe.runIf(await hasTerraform())('the Terraform module of the engine (skipped without terraform)', () => {
  let settings: Settings;
  let resources: Resource[];
  beforeAll(async () => {
    settings = await evaluateSettings();
    resources = expandResources(readModule(ENGINE), settings);
  });
  const readContents = (address: string) => resources.find((one) => one.address === address)?.contents;

  it('has arguments that the providers know', () => {
    const schema = readProviderSchema();
    const faults = resources.flatMap(({ address, type, contents }) => {
      const known = schema[type];
      return known === undefined ? [`${address}: unknown type`] : faultsOf(contents, known, address);
    });
    expect(faults).toEqual([]);
  });

  it('passes every variable to its settings', () => {
    const names = (url: URL) =>
      readModule(url)
        .filter(({ type }) => type === 'variable')
        .map(({ labels }) => labels[0]);
    expect(names(new URL('settings/', ENGINE))).toEqual(names(ENGINE));
    const call = readModule(ENGINE).find(({ type }) => type === 'module');
    const passed = Object.keys(call?.arguments ?? {}).filter((name) => name !== 'source');
    expect(passed.toSorted()).toEqual(names(ENGINE).toSorted());
  });

  it('creates the topics, services, subscriptions and the schedule of the manifest', () => {
    const addresses = resources.map(({ address }) => address);
    expect(addresses.filter((one) => /topic\.topic|subscription\.sub|\.service\[|_job/.test(one))).toEqual([
      'google_cloud_run_v2_service.service["bury"]',
      'google_cloud_run_v2_service.service["sweep"]',
      'google_cloud_run_v2_service.service["work"]',
      'google_pubsub_topic.topic["iterations"]',
      'google_pubsub_topic.topic["iterations-dead"]',
      'google_pubsub_subscription.subscription["bury"]',
      'google_pubsub_subscription.subscription["work"]',
      'google_cloud_scheduler_job.schedule["sweep"]',
    ]);
    expect(readContents('google_pubsub_subscription.subscription["work"]')).toMatchObject({
      ack_deadline_seconds: 600,
      // biome-ignore lint/suspicious/noTemplateCurlyInString: a reference of Terraform.
      dead_letter_policy: [{ dead_letter_topic: '${google_pubsub_topic.topic["iterations-dead"].id}' }],
      // biome-ignore lint/suspicious/noTemplateCurlyInString: a reference of Terraform.
      push_config: [{ push_endpoint: '${google_cloud_run_v2_service.service["work"].uri}' }],
    });
    expect(readContents('google_cloud_run_v2_service.service["work"]')).toMatchObject({
      template: [{ timeout: '540s', containers: [{ image: DIGEST }] }],
    });
    expect(readContents('google_cloud_scheduler_job.schedule["sweep"]')).toMatchObject({
      schedule: '*/1 * * * *',
      attempt_deadline: '300s',
    });
  });

  it('grants these rights only', () => {
    const grants = resources
      .filter(({ type }) => type.endsWith('_member'))
      .map(({ address, contents }) => {
        const conditions = (contents.condition ?? []) as { expression: string }[];
        return [address.replace(/^\w+\./, ''), contents.role, contents.member, conditions[0]?.expression];
      });
    const run = 'serviceAccount:support-run@my-project.iam.gserviceaccount.com';
    const caller = 'serviceAccount:support-call@my-project.iam.gserviceaccount.com';
    const pubsub = 'serviceAccount:service-123456789012@gcp-sa-pubsub.iam.gserviceaccount.com';
    expect(grants).toEqual([
      [
        'grant["roles/datastore.user"]',
        'roles/datastore.user',
        run,
        'resource.name == "projects/my-project/databases/support"',
      ],
      ...['bury', 'sweep', 'work'].map((name) => [
        `grant["${name}"]`,
        'roles/run.invoker',
        caller,
        undefined,
      ]),
      ['grant["approval-key"]', 'roles/secretmanager.secretAccessor', run, undefined],
      ['grant["pubsub iterations-dead"]', 'roles/pubsub.publisher', pubsub, undefined],
      ['grant["run iterations"]', 'roles/pubsub.publisher', run, undefined],
      ['grant["work"]', 'roles/pubsub.subscriber', pubsub, undefined],
    ]);
  });

  it('has the indexes of the collections that runs use', () => {
    const indexed = resources.filter(({ type }) => /^google_firestore_(?:index|field)$/.test(type));
    const collections = new Set(indexed.map(({ contents }) => contents.collection));
    expect([...collections].sort()).toEqual(ENGINE_COLLECTIONS.map(({ collection }) => collection).sort());
    expect(readContents('google_firestore_field.field["executions/dueAt"]')).toMatchObject({
      index_config: [{ indexes: [{ query_scope: 'COLLECTION_GROUP', order: 'ASCENDING' }] }],
    });
  });
});
