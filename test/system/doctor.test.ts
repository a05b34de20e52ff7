// `doctor` as a user calls it.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { projectFile } from '../../shared/projectFiles.ts';
import { callCommand } from '../support/callCommand.ts';
import { ownConfig } from '../support/ownConfig.ts';
import { startListedServer } from '../tools/httpServer.ts';

const NOTHING = {
  FIRESTORE_EMULATOR_HOST: '',
  PUBSUB_EMULATOR_HOST: '',
  GEMINI_API_KEY: '',
  GOOGLE_API_KEY: '',
};

it('doctor reports installed and unneeded parts, and that nothing is missing', async () => {
  const { code, stdout } = await callCommand(['doctor', '--config', 'examples/crashloop/config'], NOTHING);
  expect(code).toBe(0);
  const lines = stdout.join('\n');
  expect(lines).toMatch(/^ok {2}Node {2,}v\d/m);
  expect(lines).toMatch(/^-- {2}model {2,}no key: /m);
  expect(lines).toMatch(/^-- {2}Firestore {2,}FIRESTORE_EMULATOR_HOST is not set/m);
  expect(lines).toMatch(/^ok {2}configuration {2,}examples\/crashloop\/config: 1 chain$/m);
  expect(lines).toMatch(/^ok {2}MCP server kubernetes {2,}\d+ tools$/m);
});

it('doctor finds nothing missing where only the configuration that comes with Inquest lacks its server', async () => {
  const env = {
    ...NOTHING,
    INQUEST_CONFIG: undefined,
    INQUEST_URL: undefined,
    KUBERNETES_MCP_URL: undefined,
  };
  const { code, stdout } = await callCommand(['doctor', '--json'], env);
  const findings = stdout.map((line) => JSON.parse(line));
  expect(findings.filter(({ state }) => state === 'missing')).toEqual([]);
  expect(code).toBe(0);
  expect(findings.at(-1)).toMatchObject({
    state: 'absent',
    text: expect.stringMatching(
      /^MCP server "kubernetes" is unavailable: .* name a configuration of your own$/,
    ),
  });
});

it('doctor misses that server where its address is set, or the configuration is named', async () => {
  const own = { ...NOTHING, INQUEST_URL: undefined, INQUEST_CONFIG: undefined };
  const env = { ...own, KUBERNETES_MCP_URL: 'http://127.0.0.1:1/mcp' };
  expect((await callCommand(['doctor'], env)).code).toBe(1);
  const named = { ...own, KUBERNETES_MCP_URL: undefined };
  expect((await callCommand(['doctor', '--config', 'config'], named)).code).toBe(1);
});

it('doctor names missing parts with a remedy, as text and as JSON', async () => {
  const env = { ...NOTHING, FIRESTORE_EMULATOR_HOST: '127.0.0.1:1', PUBSUB_EMULATOR_HOST: 'http://here' };
  const { code, stdout } = await callCommand(['doctor', '--json', '--config', 'no/such/folder'], env);
  expect(code).toBe(1);
  const missing = stdout.map((line) => JSON.parse(line)).filter(({ state }) => state === 'missing');
  expect(missing).toEqual([
    {
      part: 'Firestore',
      state: 'missing',
      text: expect.stringMatching(/^nothing answers at 127\.0\.0\.1:1 .*inquest start/),
    },
    { part: 'Pub/Sub', state: 'missing', text: expect.stringMatching(/expected host:port, without http/) },
    { part: 'configuration', state: 'missing', text: expect.stringContaining('no/such/folder') },
  ]);
});

it('doctor names each webhook, and the variables that lack its secret, but never a value', async () => {
  const folder = ownConfig({});
  writeFileSync(
    join(folder, 'webhooks.yaml'),
    'grafana: { secretEnv: [HOOK_NEW, HOOK_OLD] }\nsentry: { secretEnv: HOOK_GOOD }\n' +
      'sns: { topics: ["arn:aws:sns:eu-central-1:123456789012:alarms"] }\n',
  );
  const secret = 'c0ffee00c0ffee00c0ffee00';
  const env = { ...NOTHING, HOOK_GOOD: secret, HOOK_OLD: 'too-short' };
  const { code, stdout } = await callCommand(['doctor', '--config', folder], env);
  expect(code).toBe(1);
  const lines = stdout.join('\n');
  expect(lines).toMatch(
    /^!! {2}webhook grafana {2,}environment variable HOOK_NEW is not set; .*HOOK_OLD has fewer/m,
  );
  expect(lines).toMatch(/^ok {2}webhook sentry {2,}its secret is set$/m);
  expect(lines).toMatch(/^ok {2}webhook sns {2,}topics: arn:aws:sns:/m);
  for (const value of [secret, 'too-short']) expect(lines).not.toContain(value);
});

it('packs check compares the recorded list of a server, and fills the settings into the call of the pack', async () => {
  const lists = parse(readFileSync(projectFile('cli/packs/toolLists.yaml'), 'utf8'));
  const tools: string[] = [...lists.bigquery.reads, ...lists.bigquery.changes];
  const calls: object[] = [];
  const server = await startListedServer(
    () => tools.map((name) => ({ name, description: '', inputSchema: { type: 'object' as const } })),
    undefined,
    (call) => calls.push(call),
  );
  onTestFinished(() => server.close());
  const bigquery = { transport: 'http', url: server.url, readOnly: lists.bigquery.reads };
  const folder = ownConfig({ servers: { bigquery }, tools: ['bigquery'] });
  const check = (project?: string) =>
    callCommand(['packs', 'check', '--config', folder], { ...NOTHING, GCP_PROJECT: project });
  expect(await check('shop-1')).toMatchObject({
    code: 0,
    stdout: [
      'bigquery     no difference: bigquery has the 7 tools of the pack',
      'bigquery     not in the pack, and not offered: execute_sql',
      'bigquery     not in the pack, and not offered: cancel_job',
    ],
  });
  expect(calls).toMatchObject([{ name: 'list_dataset_ids', arguments: { projectId: 'shop-1' } }]);
  const { code, stdout } = await check();
  expect(code).toBe(1);
  expect(stdout[0]).toMatch(/probe failed: environment variable GCP_PROJECT is not set; set it/);
  const examined = await callCommand(['doctor', '--config', folder], { ...NOTHING, GCP_PROJECT: undefined });
  expect(examined.stdout.join('\n')).toMatch(
    /^!! {2}configuration .*servers\.bigquery: BigQuery does not answer: list_dataset_ids gives: .* GCP_PROJECT is not set;/m,
  );
});
