import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { SERVICES } from '../../functions/manifest.ts';
import { functionEnvironment } from './functionEnvironment.ts';

const MACHINE = { PATH: '/bin', HOME: '/root', NODE_OPTIONS: '--a', https_proxy: 'http://p', TMPDIR: '/tmp' };
const GOOGLE = { GOOGLE_APPLICATION_CREDENTIALS: '/key.json', METADATA_SERVER_DETECTION: 'none' };
const SETTINGS = Object.fromEntries(
  Object.values(SERVICES).flatMap(({ settings }) => settings.map((name) => [name, 'set'])),
);
const SECRETS = {
  KUBERNETES_MCP_TOKEN: 'secret',
  OPENAI_API_KEY: 'secret',
  SLACK_BOT_TOKEN: 'secret',
  WEBHOOK_SECRET: 'secret',
  XDG_CONFIG_HOME: '/root/.config',
};

const folder = mkdtempSync(join(tmpdir(), 'inquest-environment-'));
afterAll(() => rmSync(folder, { recursive: true }));
writeFileSync(join(folder, 'models.yaml'), 'models: { one: { provider: openai, model: gpt } }');
writeFileSync(
  join(folder, 'servers.yaml'),
  `servers: { one: { transport: http, headers: { authorization: "Bearer $${'{'}KUBERNETES_MCP_TOKEN}" } } }`,
);
writeFileSync(join(folder, 'webhooks.yaml'), 'generic: { secretEnv: WEBHOOK_SECRET }');
writeFileSync(
  join(folder, 'destinations.yaml'),
  `destinations: { team: { kind: slack, token: "$${'{'}SLACK_BOT_TOKEN}", channel: C0123456789 } }`,
);
const settings = { ...SETTINGS, INQUEST_CONFIG: folder };
const all = { ...MACHINE, ...GOOGLE, ...settings, ...SECRETS };

it.each([
  ['ingestAlert', []],
  ['runIteration', ['KUBERNETES_MCP_TOKEN', 'OPENAI_API_KEY']],
  ['buryIteration', []],
  ['sweep', []],
  ['deliver', ['SLACK_BOT_TOKEN']],
  ['ingestChange', []],
  ['api', ['WEBHOOK_SECRET']],
  ['console', []],
] as const)('%s gets only its own settings and secrets', (name, secrets) => {
  const names: string[] = [...SERVICES[name].settings, ...secrets];
  const own = Object.entries({ ...settings, ...SECRETS }).filter(([variable]) => names.includes(variable));
  expect(functionEnvironment(name, all)).toEqual({ ...MACHINE, ...GOOGLE, ...Object.fromEntries(own) });
});
