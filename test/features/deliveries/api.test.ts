// The messages about a session over the API: states, errors with their fix, and messages that are sent again.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startGithub } from '../../../local/destinations/github.fixture.ts';
import { createDestinations } from '../../../shared/destinations/createDestinations.ts';
import type { ApiRole } from '../../../shared/schema/apiRole.ts';
import { startApiBench } from '../../support/apiBench.ts';
import { callCommand } from '../../support/callCommand.ts';
import { temporaryFolder } from '../../support/ownConfig.ts';
import { serveApi } from '../../support/serveApi.ts';

it('lists messages with the last error, and sends a failed one again', async () => {
  const tokens = { good: { canWrite: false } };
  const github = await startGithub({ repository: 'shop/incidents', tokens });
  onTestFinished(() => github.stop());
  const settings = { token: 'good', repository: 'shop/incidents', apiUrl: github.url };
  const api = await startApiBench({
    script: { conversations: [{ turns: [{ text: 'The disk of db-1 is full.' }] }] },
    notify: () => [{ to: 'issues', when: ['opened', 'ended', 'failed'], digestMs: null }],
    access: (local) => async (headers, address) => {
      const role = headers['x-role'] as ApiRole | undefined;
      const caller = await local(headers, address);
      return { ...caller, role: role ?? caller.role };
    },
    destinations: createDestinations({
      issues: { kind: 'github', tenants: ['default'], onDoubt: 'repeat', settings },
    }),
  });
  const sessionId = await api.publishAlert({ title: 'Checkout is slow', severity: 'critical' });
  await api.deliverNext();
  // The result is later than the start, and its id is before it.
  api.deps.clock.advance(1_000);
  await api.drain();
  const path = `/v1/sessions/${sessionId}/deliveries`;
  const stateOf = async () => {
    const { body } = await api.ask(path);
    const found = body.deliveries.find(({ event }: { event: string }) => event === 'ended');
    return { state: found.state, code: found.failure?.code, attempts: found.attempts };
  };
  expect(await stateOf()).toEqual({ state: 'failed', code: 'missing_permission', attempts: 1 });
  expect((await api.ask(`/v1/sessions/${sessionId}`)).body.destinations).toEqual(['issues']);

  const { url } = await serveApi(api);
  const listed = await callCommand(['deliveries', sessionId, '--url', url]);
  expect(listed.stderr).toEqual([]);
  expect(listed.stdout).toEqual([
    expect.stringMatching(/^failed {3}issues\.opened\.1 /),
    expect.stringMatching(/^skipped {2}issues\.details\.1 /),
    expect.stringMatching(/^failed {3}issues\.ended\.1 {2}.* {2}missing_permission: The token cannot/),
  ]);
  const shown = await callCommand(['deliveries', sessionId, '--url', url, '--json']);
  expect(JSON.parse(shown.stdout[2] ?? '')).toMatchObject({ state: 'failed', destination: 'issues' });

  const config = temporaryFolder();
  const issues = { kind: 'github', ...settings };
  writeFileSync(join(config, 'destinations.yaml'), JSON.stringify({ destinations: { issues } }));
  const preview = (id: string) =>
    callCommand(['notify', 'preview', id, '--to', 'issues'], {
      INQUEST_CONFIG: config,
      GOOGLE_CLOUD_PROJECT: api.projectId,
    });
  const requests = github.requests.length;
  const previewed = await preview(sessionId);
  expect(previewed).toMatchObject({ code: 0, stderr: [] });
  expect(previewed.stdout.join('\n')).toContain('**State unknown**: Checkout is slow');
  expect((await preview('last')).stdout).toEqual(previewed.stdout);
  expect(await preview('other')).toMatchObject({
    code: 2,
    stderr: [expect.stringContaining('there is no session other')],
  });
  expect(github.requests).toHaveLength(requests);

  tokens.good.canWrite = true;
  const denied: [Record<string, string>, number][] = [
    [{ 'x-role': 'viewer' }, 403],
    [{ 'x-tenant-id': 'acme' }, 404],
  ];
  for (const [headers, status] of denied) {
    const answer = await api.ask(`${path}/issues.ended.1/send-again`, { body: {}, headers });
    expect(answer.status).toBe(status);
  }
  expect((await stateOf()).state).toBe('failed');
  const again = (id: string) => callCommand(['deliveries', sessionId, '--again', id, '--url', url]);
  expect(await again('issues.ended.1')).toMatchObject({
    code: 0,
    stdout: ['issues.ended.1 is pending'],
  });
  await api.drain();
  expect(await stateOf()).toEqual({ state: 'sent', code: undefined, attempts: 1 });
  expect(github.issues).toHaveLength(1);
  const refused = await api.ask(`${path}/issues.ended.1/send-again`, { body: {} });
  expect(refused).toMatchObject({ status: 409, body: { code: 'SESSION_STATE' } });
  expect(await again('issues.details.1')).toMatchObject({
    code: 1,
    stderr: [expect.stringContaining('only failed and unknown ones are sent again')],
  });
  expect(await again('../x')).toMatchObject({
    code: 2,
    stderr: [expect.stringContaining('--again ../x: must be the id of a message')],
  });
  expect((await api.ask(`${path}/issues.ended.7/send-again`, { body: {} })).status).toBe(404);
  expect((await api.ask('/v1/sessions/other/deliveries')).body.code).toBe('SESSION_UNKNOWN');
});
