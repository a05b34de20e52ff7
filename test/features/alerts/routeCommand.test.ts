// `route` as a user calls it: with a file, and with standard input.

import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { findExample } from '../../../local/examples.ts';
import { callCommand } from '../../support/callCommand.ts';
import { startCommand } from '../../support/cli.ts';

const { alertFile, configFolder } = findExample('chain');

it('route prints the chain of an alert and the reason, and exits with 0', async () => {
  const { code, stdout } = await callCommand(['route', alertFile], { INQUEST_CONFIG: configFolder });
  expect(code).toBe(0);
  expect(stdout).toContain(
    'chain      gke-workload: rule 1: source is "cloud-monitoring"; severity is "Error" (error); label resource_type is "k8s_container"; label namespace_name is "shop" (shop*)',
  );
  expect(stdout.slice(-2)).toEqual(['stage 2    respond: responder', 'summary    by gemini-3.8-flash']);
});

it('route --json prints the conditions that standard input did not meet', async () => {
  const command = startCommand(['route', '-', '--json', '--config', configFolder], {}, 'pipe');
  command.stdin?.end(readFileSync(findExample('crashloop').alertFile));
  expect(await command.ended).toMatchObject({ code: 0 });
  expect(JSON.parse(command.stdout.join('\n'))).toMatchObject({
    alert: { source: 'alertmanager' },
    chain: 'quick-look',
    routing: { by: 'default', rule: null },
    passed: [{ chain: 'gke-workload', rules: [expect.stringMatching(/^source is "alertmanager", not/)] }],
    stages: [{ name: 'triage', agents: ['triage'], synthesis: null }],
    investigated: true,
  });
});
