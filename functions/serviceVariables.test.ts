import { expect, it } from 'vitest';
import type { ConfigVariable } from '../shared/contract/configVariable.ts';
import { KEY_SECRETS, SIGNING_KEY, VERIFYING_KEYS } from '../shared/core/contract/signatures.ts';
import { SERVICE_NAMES } from './manifest.ts';
import { serviceVariables } from './serviceVariables.ts';

const variable = (use: ConfigVariable['use'], name: string, isOptional = false): ConfigVariable => ({
  name,
  use,
  isSecret: /KEY|TOKEN|SECRET/.test(name),
  isOptional,
});
const VARIABLES = [
  variable('gemini', 'GEMINI_API_KEY', true),
  variable('providers', 'OPENAI_API_KEY'),
  variable('providers', 'OPENAI_BASE_URL', true),
  variable('tools', 'MCP_TOKEN'),
  variable('tools', 'MCP_URL'),
  variable('webhooks', 'GRAFANA_SECRET'),
  variable('destinations', 'SLACK_TOKEN'),
];

it('a secret goes to the services that use it, and to no other', () => {
  const secrets = SERVICE_NAMES.map((name) => {
    const { secrets, optionalSecrets } = serviceVariables(name, VARIABLES);
    return [name, secrets, optionalSecrets];
  });
  expect(secrets).toEqual([
    ['ingestAlert', [], []],
    ['runIteration', ['MCP_TOKEN', 'OPENAI_API_KEY'], ['GEMINI_API_KEY', VERIFYING_KEYS]],
    ['buryIteration', [], []],
    ['sweep', [], []],
    ['deliver', ['SLACK_TOKEN'], [SIGNING_KEY, VERIFYING_KEYS]],
    ['ingestChange', [], []],
    ['api', ['GRAFANA_SECRET'], ['GEMINI_API_KEY', SIGNING_KEY, KEY_SECRETS]],
    ['console', [], ['GEMINI_API_KEY', SIGNING_KEY]],
  ]);
});

it('settings are those of the service and of the configuration, without keys and emulators', () => {
  const { settings } = serviceVariables('runIteration', VARIABLES);
  expect(settings).toEqual(expect.arrayContaining(['GOOGLE_CLOUD_PROJECT', 'MCP_URL', 'OPENAI_BASE_URL']));
  expect(settings.filter((name) => /KEY|TOKEN|SECRET|EMULATOR/.test(name))).toEqual([]);
  expect(serviceVariables('api', VARIABLES).settings).not.toContain('MCP_URL');
});

it('a secret that one use requires is not optional', () => {
  const both = [...VARIABLES, variable('providers', 'GEMINI_API_KEY')];
  expect(serviceVariables('runIteration', both)).toMatchObject({
    secrets: ['GEMINI_API_KEY', 'MCP_TOKEN', 'OPENAI_API_KEY'],
    optionalSecrets: [VERIFYING_KEYS],
  });
});
