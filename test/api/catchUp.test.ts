// `catch-up` through the API of a running system: an alert that did not arrive is published once, however often the command runs.

import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { serve } from '@hono/node-server';
import { expect, it, onTestFinished } from 'vitest';
import { stringify } from 'yaml';
import { alertFateType, paths, sessionType } from '../../shared/schema/documents.ts';
import { startApiBench } from '../support/apiBench.ts';
import { callCommand } from '../support/callCommand.ts';
import { temporaryFolder } from '../support/ownConfig.ts';
import { PUBLISH_TIME } from '../support/pushEvents.ts';

const script = { conversations: [{ turns: [{ text: 'Done.' }] }] };

/** A stand-in of PagerDuty with these incidents. */
async function startPagerDuty(incidents: object[]): Promise<string> {
  const server = createServer((request, response) => {
    response.statusCode = request.headers.authorization === 'Token token=secret-1' ? 200 : 401;
    response.end(JSON.stringify({ incidents, more: false }));
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  onTestFinished(() => void server.close().closeAllConnections());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

it('publishes an alert once, also before the first copy is handled, and none that arrived by its webhook', async () => {
  const bench = await startApiBench({ script, inMemory: true });
  const now = new Date(PUBLISH_TIME);
  const created_at = new Date(now.getTime() - 10 * 60_000).toISOString();
  // The bench publishes at a fixed time, and the command has the clock of this machine.
  const since = `${Math.ceil((Date.now() - now.getTime()) / 3_600_000) + 1}h`;
  const incident = (id: string) => ({
    id,
    type: 'incident',
    title: `Down ${id}`,
    status: 'triggered',
    created_at,
  });
  const incidents = [
    incident('P1'),
    incident('P2'),
    { ...incident('P0'), created_at: '2020-01-01T00:00:00Z' },
  ];
  const config = temporaryFolder();
  const source = { source: 'pagerduty', url: await startPagerDuty(incidents), token: `\${PAGER_TOKEN}` };
  writeFileSync(join(config, 'catch-up.yaml'), stringify({ sources: { pager: source } }));
  const address = Promise.withResolvers<string>();
  const server = serve({ fetch: bench.app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) =>
    address.resolve(`http://127.0.0.1:${port}`),
  );
  onTestFinished(() => void server.close());
  const url = await address.promise;
  const catchUp = (...more: string[]) =>
    callCommand(['catch-up', '--url', url, '--config', config, '--since', since, ...more], {
      PAGER_TOKEN: 'secret-1',
    });

  // The webhook of the second incident came through.
  const data = { ...incident('P2'), html_url: 'https://x.example/P2' };
  const event = { id: 'e', event_type: 'incident.triggered', occurred_at: created_at, data };
  await bench.publishAlert({ event }, {}, now.toISOString());
  await bench.drain();

  const dry = await catchUp('--dry-run');
  expect(dry.code).toBe(0);
  expect(dry.stdout).toEqual([
    `pager  missing  Down P1, fires since ${created_at}`,
    'pager: 1 arrived before, 1 are missing, 1 fire for longer',
  ]);
  expect((await catchUp()).stdout.at(-1)).toBe('pager: 1 arrived before, 1 published, 1 fire for longer');
  expect((await catchUp()).stdout.at(-1)).toBe('pager: 1 arrived before, 1 published, 1 fire for longer');
  await bench.drain();
  expect((await catchUp()).stdout).toEqual(['pager: 2 arrived before, 0 published, 1 fire for longer']);
  await bench.drain();
  const sessions = await bench.deps.store.list({ collection: paths.sessions }, sessionType);
  expect(sessions.map(({ value }) => value.alert?.identity).sort()).toEqual(['P1', 'P2']);
  const fates = await bench.deps.store.list({ collection: paths.alertFates }, alertFateType);
  expect(fates.filter(({ value }) => value.title.includes('P1')).map(({ value }) => value.outcome)).toContain(
    'opened',
  );
});

it('names the variable that is not set, and the source that refuses the token, and exits with 1', async () => {
  const bench = await startApiBench({ script, inMemory: true });
  const config = temporaryFolder();
  const source = { source: 'pagerduty', url: await startPagerDuty([]), token: `\${PAGER_TOKEN}` };
  writeFileSync(join(config, 'catch-up.yaml'), stringify({ sources: { pager: source } }));
  const address = Promise.withResolvers<string>();
  const server = serve({ fetch: bench.app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) =>
    address.resolve(`http://127.0.0.1:${port}`),
  );
  onTestFinished(() => void server.close());
  const args = ['catch-up', '--url', await address.promise, '--config', config];
  const unset = await callCommand(args, { PAGER_TOKEN: undefined });
  expect(unset).toMatchObject({ code: 1, stderr: [expect.stringContaining('PAGER_TOKEN is not set')] });
  const refused = await callCommand(args, { PAGER_TOKEN: 'wrong' });
  expect(refused).toMatchObject({ code: 1, stderr: [expect.stringContaining('answered 401: set a token')] });
});
