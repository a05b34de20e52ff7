// The checks of the Terraform module find the mistakes that they are for.

import { describe, expect, it } from 'vitest';
import { expandResources, type Value } from '../test/terraform/expand.ts';
import { parseHcl } from '../test/terraform/hcl.ts';
import { matchesLogFilter } from '../test/terraform/logFilter.ts';
import { faultsOf, readProviderSchema } from '../test/terraform/providerSchema.ts';

const SETTINGS: Record<string, Value> = {
  topics: { alerts: { name: 'inquest-alerts', regions: ['europe-west1'] } },
  apis: ['run.googleapis.com'],
};
const TOPIC = `resource "google_pubsub_topic" "topic" {
  for_each = module.settings.topics
  name     = each.value.name # the id
  message_storage_policy {
    allowed_persistence_regions = each.value.regions
  }
}
`;
const expand = (text: string) => expandResources(parseHcl(text, 'main.tf'), SETTINGS);
const subscription = (argument: string) =>
  `${TOPIC}resource "google_pubsub_subscription" "push" {\n  ${argument}\n}\n`;

describe('parseHcl', () => {
  it('reads blocks, arguments of several lines, and strings with templates and braces', () => {
    const text = `locals {\n  a = {\n    "x" = "}\${join("}", ["#"])}" # comment\n  }\n  b = 1\n}\n`;
    const [block] = parseHcl(text, 'a.tf');
    expect(block).toMatchObject({ type: 'locals', labels: [], blocks: [], line: 1 });
    expect(block?.arguments.a?.text).toMatch(/^\{\s+"x" = "\}\$\{join\("\}", \["#"\]\)\}"\s+\}$/);
    expect(block?.arguments.b).toEqual({ text: '1', line: 5 });
  });

  it.each([
    ['locals {\n  a = "\n}\n', 'a.tf:2: a string does not end on its line'],
    ['locals {\n  a = 1\n  a = 2\n}\n', 'a.tf:3: a is set twice'],
    ['a = 1\n', 'an argument is outside of a block'],
    ['locals {\n', 'expected }'],
  ])('refuses %j', (text, message) => {
    expect(() => parseHcl(text, 'a.tf')).toThrow(message);
  });
});

describe('expandResources', () => {
  it('copies values, and keeps references to other resources', () => {
    const resources = expand(subscription('topic = google_pubsub_topic.topic["alerts"].id'));
    expect(resources).toEqual([
      {
        address: 'google_pubsub_topic.topic["alerts"]',
        type: 'google_pubsub_topic',
        contents: {
          name: 'inquest-alerts',
          message_storage_policy: [{ allowed_persistence_regions: ['europe-west1'] }],
        },
      },
      {
        address: 'google_pubsub_subscription.push',
        type: 'google_pubsub_subscription',
        contents: { topic: `\${google_pubsub_topic.topic["alerts"].id}` },
      },
    ]);
  });

  it.each([
    ['an expression', `name = "x-\${module.settings.name}"`, 'is neither a literal nor a plain reference'],
    ['a call', 'name = upper(module.settings.name)', 'is neither a literal nor a plain reference'],
    ['a missing output', 'name = module.settings.nam', 'main.tf:9: module.settings.nam: there is no nam'],
    ['a missing resource', 'topic = google_pubsub_topic.topics["alerts"].id', 'there is no such resource'],
    ['a missing instance', 'topic = google_pubsub_topic.topic["alert"].id', 'there is no instance "alert"'],
    [
      'a missing dependency',
      'depends_on = [google_pubsub_topic.other]',
      'there is no google_pubsub_topic.other',
    ],
  ])('refuses %s', (_, argument, message) => {
    expect(() => expand(subscription(argument))).toThrow(message);
  });
});

describe('faultsOf', () => {
  const schema = readProviderSchema();
  const faults = (contents: Record<string, Value>) => {
    const known = schema.google_cloud_run_v2_service_iam_member;
    return known === undefined ? ['unknown'] : faultsOf(contents, known, 'it');
  };

  it('reports unknown and missing arguments, also of blocks, and values that are refused', () => {
    expect(faults({ name: 'api', role: 'roles/run.invoker', members: [] })).toEqual([
      'it: member is missing',
      'it: members is unknown',
    ]);
    const service = schema.google_cloud_run_v2_service;
    const contents = {
      location: 'r',
      name: 'n',
      ingress: 'ALL',
      template: [{ timeout: '1s', memory: '1Gi' }],
    };
    expect(service && faultsOf(contents, service, 'it')).toEqual([
      expect.stringMatching(/^it: ingress is "ALL", expected one of INGRESS_TRAFFIC_ALL,/),
      'it.template: memory is unknown',
    ]);
  });
});

describe('matchesLogFilter', () => {
  const line = { message: 'session ended', status: 'failed', tokens: { total: 3 } };

  it.each([
    ['resource.type="x" AND jsonPayload.message="session ended"', true],
    ['jsonPayload.message="session ended" AND jsonPayload.status=("completed" OR "failed")', true],
    ['jsonPayload.message="session ended" AND jsonPayload.status=("completed" OR "timed_out")', false],
    ['jsonPayload.message=~"^session"', true],
    ['jsonPayload.message=~"^ended"', false],
    ['jsonPayload.tokens.total>2', true],
    ['jsonPayload.tokens.total>3', false],
  ])('%s: %s', (filter, expected) => {
    expect(matchesLogFilter(filter, line)).toBe(expected);
  });
});
