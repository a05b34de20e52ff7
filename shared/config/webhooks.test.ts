import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { faultLine } from './configError.ts';
import { validateFile } from './validate.ts';
import { missingWebhookSecrets, webhookSecrets, webhooksFileSchema, webhookVariables } from './webhooks.ts';
import { parseYaml } from './yamlFile.ts';

const TOPIC = 'arn:aws:sns:eu-central-1:123456789012:alarms';

/** The contents of a file, and its faults, one line each. */
function read(text: string) {
  const yaml = parseYaml('webhooks.yaml', text);
  const faults = [...yaml.faults];
  const value = validateFile(yaml, webhooksFileSchema(['investigate', 'deep']), faults);
  return { value, faults: faults.map(faultLine) };
}

describe('webhooks.yaml', () => {
  it('can have every setting', () => {
    const { value, faults } = read(`
grafana: {secretEnv: [NEW_SECRET, OLD_SECRET], chain: deep, tenant: acme}
generic: {secretEnv: HOOK}
sns: {topics: ["${TOPIC}", "arn:aws-cn:sns:cn-north-1:123456789012:a_b-C", "arn:aws-us-gov:sns:us-gov-west-1:123456789012:x"], tenant: acme}
`);
    expect(faults).toEqual([]);
    expect(value).toMatchObject({
      grafana: { secretEnv: ['NEW_SECRET', 'OLD_SECRET'], chain: 'deep', tenant: 'acme' },
      generic: { secretEnv: ['HOOK'] },
    });
  });

  it.each([
    ['grafanna: {secretEnv: A}', 'unknown key; expected one of alertmanager, grafana, '],
    ['grafanna: {secretEnv: A}', 'did you mean "grafana"?'],
    ['grafana: {secret: hunter2}', 'grafana.secret: unknown key; expected one of secretEnv, chain, tenant'],
    ['grafana: {}', 'grafana.secretEnv: is missing'],
    ['grafana:', 'grafana: must be a mapping, not empty'],
    ['grafana: {secretEnv: []}', 'grafana.secretEnv: must hold at least 1'],
    ['grafana: {secretEnv: [A, A]}', 'grafana.secretEnv[1]: A is already in this list'],
    ['grafana: {secretEnv: A, chain: dep}', 'grafana.chain: unknown chain "dep"; '],
    ['grafana: {secretEnv: A, tenant: "a.b"}', 'grafana.tenant: must start with a letter or digit'],
    ['grafana: {secretEnv: A, topics: []}', 'grafana.topics: unknown key'],
    ['sns: {secretEnv: A}', 'sns.topics: is missing'],
    ['sns: {topics: [alarms]}', 'sns.topics[0]: must be the ARN of a standard topic'],
    [`sns: {topics: ["${TOPIC}.fifo"]}`, 'sns.topics[0]: must be the ARN of a standard topic'],
    ['sns: {topics: ["arn:aws:sns:evil.example/:123456789012:x"]}', 'sns.topics[0]: must be the ARN'],
    ['sns: {topics: ["arn:aws:sns:*:123456789012:alarms"]}', 'sns.topics[0]: must be the ARN'],
  ])('%s is a fault: %s', (text, expected) => {
    expect(read(text).faults.join('\n')).toContain(expected);
  });

  it('that holds a secret in the place of a name is refused, without showing it', () => {
    for (const secret of ['c0ffee00c0ffee00', 'Zm9vYmFyYmF6cXV4', 'hunter2-hunter2']) {
      const [fault = ''] = read(`grafana: {secretEnv: ${secret}}`).faults;
      expect(fault).toContain('must be the name of an environment variable in capitals');
      expect(fault).not.toContain(secret);
    }
  });

  it('has a valid example, whose comments state its values', () => {
    const text = readFileSync(new URL('../../config/webhooks.yaml', import.meta.url), 'utf8');
    const example = text.replaceAll(/^# (?=\w+:| {2})/gm, '').replaceAll(/^#.*\n/gm, '');
    const { value, faults } = read(example);
    expect(faults).toEqual([]);
    expect(Object.keys(value ?? {}).length).toBeGreaterThan(2);
  });
});

describe('the secrets of webhooks', () => {
  const { value: config = {} } = read('grafana: {secretEnv: [NEW, OLD]}\nsentry: {secretEnv: SENTRY}');
  const long = 'c0ffee00c0ffee00';

  it('are the values of their variables, without white space around them; short ones are none', () => {
    expect(webhookVariables(config)).toEqual(['NEW', 'OLD', 'SENTRY']);
    expect(webhookVariables()).toEqual([]);
    expect(webhookSecrets(['NEW', 'OLD', 'UNSET'], { NEW: ` ${long}\n`, OLD: 'short' })).toEqual([long]);
  });

  it('that are missing are named with their source and the remedy', () => {
    expect(missingWebhookSecrets(config, { NEW: long, OLD: 'fifteen-letters', SENTRY: ' ' })).toEqual([
      {
        source: 'grafana',
        message: expect.stringMatching(/^environment variable OLD has fewer than 16 characters/),
      },
      { source: 'sentry', message: expect.stringMatching(/^environment variable SENTRY is not set; set it/) },
    ]);
    expect(missingWebhookSecrets(config, { NEW: long, OLD: long, SENTRY: long })).toEqual([]);
  });
});
