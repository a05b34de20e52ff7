// `catch-up` through a running system's API: a lost alert is published once, in any number of runs.

import { writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { stringify } from 'yaml';
import { readSessionAlert } from '../../../shared/alerts/schema/alert.ts';
import { alertKeyType, paths, sessionType } from '../../../shared/lists/documents.ts';
import { startApiBench } from '../../support/apiBench.ts';
import { callCommand } from '../../support/callCommand.ts';
import { temporaryFolder } from '../../support/ownConfig.ts';
import { PUBLISH_TIME } from '../../support/pushEvents.ts';
import { serveApi } from '../../support/serveApi.ts';
import { createGoogleStandIn } from '../../worlds/google/standInGoogle.ts';

const script = { conversations: [{ turns: [{ text: 'Done.' }] }] };

/** A stand-in of PagerDuty with these incidents. */
const startPagerDuty = (incidents: object[]): Promise<string> =>
  startSource((request, response) => {
    response.statusCode = request.headers.authorization === 'Token token=secret-1' ? 200 : 401;
    response.end(JSON.stringify({ incidents, more: false }));
  });

async function startSource(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
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
    incident('P3'),
    { ...incident('P0'), created_at: '2020-01-01T00:00:00Z' },
  ];
  const config = temporaryFolder();
  const source = { source: 'pagerduty', url: await startPagerDuty(incidents), token: `\${PAGER_TOKEN}` };
  writeFileSync(join(config, 'catch-up.yaml'), stringify({ sources: { pager: source } }));
  const { url } = await serveApi(bench);
  const catchUp = (...more: string[]) =>
    callCommand(['catch-up', '--url', url, '--config', config, '--since', since, ...more], {
      PAGER_TOKEN: 'secret-1',
    });

  // The second incident's webhook came, by a slow clock; the third's before it last fired.
  const webhook = async (id: string, minutes: number) => {
    const data = { ...incident(id), html_url: `https://x.example/${id}` };
    const event = { id: `e-${id}`, event_type: 'incident.triggered', occurred_at: created_at, data };
    await bench.publishAlert({ event }, {}, new Date(now.getTime() - minutes * 60_000).toISOString());
    await bench.drain();
  };
  await webhook('P2', 14);
  await webhook('P3', 16);

  const dry = await catchUp('--dry-run');
  expect(dry.code).toBe(0);
  expect(dry.stdout).toEqual([
    `pager  missing  Down P1, fires since ${created_at}`,
    `pager  missing  Down P3, fires since ${created_at}`,
    'pager: 1 arrived before, 2 are missing, 1 fire for longer',
  ]);
  expect((await catchUp()).stdout.at(-1)).toBe('pager: 1 arrived before, 2 published, 1 fire for longer');
  expect((await catchUp()).stdout.at(-1)).toBe('pager: 1 arrived before, 2 published, 1 fire for longer');
  await bench.drain();
  expect((await catchUp()).stdout).toEqual(['pager: 3 arrived before, 0 published, 1 fire for longer']);
  await bench.drain();
  const sessions = await bench.deps.store.list({ collection: paths.sessions }, sessionType);
  expect(sessions.map(({ value }) => readSessionAlert(value)?.identity).sort()).toEqual(['P1', 'P2', 'P3']);
  // Both copies were deliveries of one alert; one that fires later is another.
  const fatesOfP1 = async () => {
    const keys = await bench.deps.store.list({ collection: paths.alertKeys }, alertKeyType);
    return keys.filter(({ value }) => value.title.includes('P1')).map(({ value }) => value.fate?.outcome);
  };
  expect(await fatesOfP1()).toEqual(['opened']);
  incidents[0] = { ...incident('P1'), created_at: new Date(now.getTime() + 6 * 60_000).toISOString() };
  expect((await catchUp()).stdout.at(-1)).toBe('pager: 2 arrived before, 1 published, 1 fire for longer');
  await bench.drain();
  expect((await fatesOfP1()).sort()).toEqual(['joined', 'opened']);
});

it('names the variable that is not set, and the source that refuses the token, and exits with 1', async () => {
  const bench = await startApiBench({ script, inMemory: true });
  const config = temporaryFolder();
  const source = { source: 'pagerduty', url: await startPagerDuty([]), token: `\${PAGER_TOKEN}` };
  writeFileSync(join(config, 'catch-up.yaml'), stringify({ sources: { pager: source } }));
  const args = ['catch-up', '--url', (await serveApi(bench)).url, '--config', config];
  const unset = await callCommand(args, { PAGER_TOKEN: undefined });
  expect(unset).toMatchObject({ code: 1, stderr: [expect.stringContaining('PAGER_TOKEN is not set')] });
  const refused = await callCommand(args, { PAGER_TOKEN: 'wrong' });
  expect(refused).toMatchObject({ code: 1, stderr: [expect.stringContaining('answered 401: set a token')] });
});

it.each<[string, RequestListener, RegExp]>([
  [
    'a redirect, which could take the token to another host',
    ({ url }, response) =>
      response.writeHead(url === '/x' ? 200 : 307, { location: '/x' }).end('{"incidents":[]}'),
    /^pager: http:\/\/127.0.0.1:\d+\/incidents cannot be read: /,
  ],
  [
    'an answer without JSON',
    (_, response) => response.end('<html>'),
    /\/incidents answered no JSON; check url in catch-up.yaml$/,
  ],
  [
    'more than 50 MB',
    (_, response) => response.end(Buffer.alloc(50_000_001, ' ')),
    /cannot be read: .*answered more than 50000000 bytes$/,
  ],
])('a source is refused that answers %s', async (_, answer, message) => {
  const bench = await startApiBench({ script, inMemory: true });
  const config = temporaryFolder();
  const source = { source: 'pagerduty', url: await startSource(answer), token: 't' };
  writeFileSync(join(config, 'catch-up.yaml'), stringify({ sources: { pager: source } }));
  const run = await callCommand(['catch-up', '--url', (await serveApi(bench)).url, '--config', config]);
  expect(run).toMatchObject({ code: 1, stderr: [expect.stringMatching(message)] });
});

it('an address without https:// is refused, unless it is on this machine', async () => {
  const config = temporaryFolder();
  const source = { source: 'pagerduty', url: 'http://pager.example.com', token: 't' };
  writeFileSync(join(config, 'catch-up.yaml'), stringify({ sources: { pager: source } }));
  const { code, stderr } = await callCommand(['catch-up', '--config', config]);
  expect([code, stderr.join('\n')]).toEqual([
    1,
    expect.stringMatching(/catch-up.yaml:4.*must be an address with https:/),
  ]);
});

/** An alert in the form of https://cloud.google.com/monitoring/api/ref_v3/rest/v3/projects.alerts. */
const monitoringAlert = (id: string, openTime: string, severity?: string) => ({
  name: `projects/415104041262/alerts/${id}`,
  state: 'OPEN',
  openTime,
  resource: { type: 'cloud_run_revision', labels: { service_name: 'checkout' } },
  metadata: { systemLabels: { region: 'europe-west1' }, userLabels: { team: 'payments' } },
  metric: { type: 'run.googleapis.com/request_count', labels: { response_code_class: '5xx' } },
  policy: {
    name: 'projects/shop-prod/alertPolicies/7',
    displayName: `Errors ${id}`,
    userLabels: { tier: '1' },
    severity,
  },
});

/** A stand-in of Cloud Monitoring that answers one alert a page. */
async function startMonitoring(alerts: object[]) {
  await createGoogleStandIn();
  const requests: string[] = [];
  let isRefusing = false;
  const url = await startSource((request, response) => {
    const address = new URL(request.url ?? '', 'http://localhost');
    requests.push(`${request.headers.authorization} ${address.pathname} ${address.searchParams}`);
    if (isRefusing) {
      const error = {
        code: 403,
        message: 'The caller does not have permission',
        status: 'PERMISSION_DENIED',
      };
      response.writeHead(403).end(JSON.stringify({ error }));
      return;
    }
    const page = Number(address.searchParams.get('pageToken') ?? 0);
    const nextPageToken = page + 1 < alerts.length ? String(page + 1) : '';
    response.end(
      JSON.stringify({ alerts: alerts.slice(page, page + 1), nextPageToken, totalSize: alerts.length }),
    );
  });
  return {
    url,
    requests,
    refuse() {
      isRefusing = true;
    },
  };
}

it('publishes the open alerts of all pages of Cloud Monitoring, which its notifications then join', async () => {
  const bench = await startApiBench({ script, inMemory: true });
  const now = new Date(PUBLISH_TIME);
  const opened = new Date(now.getTime() - 10 * 60_000);
  const openTime = opened.toISOString().replace('Z', '000000Z');
  const monitoring = await startMonitoring([
    monitoringAlert('0.a1', openTime, 'ERROR'),
    monitoringAlert('0.a2', openTime),
  ]);
  const config = temporaryFolder();
  const source = { source: 'cloud-monitoring', project: 'shop-prod', url: `${monitoring.url}/` };
  writeFileSync(join(config, 'catch-up.yaml'), stringify({ sources: { google: source } }));
  const since = `${Math.ceil((Date.now() - now.getTime()) / 3_600_000) + 1}h`;
  const { url } = await serveApi(bench);
  const catchUp = () => callCommand(['catch-up', '--url', url, '--config', config, '--since', since]);

  expect((await catchUp()).stdout.at(-1)).toBe('google: 0 arrived before, 2 published, 0 fire for longer');
  expect(monitoring.requests).toEqual([
    'Bearer stand-in-token /v3/projects/shop-prod/alerts filter=state%3D%22OPEN%22&pageSize=1000',
    'Bearer stand-in-token /v3/projects/shop-prod/alerts filter=state%3D%22OPEN%22&pageSize=1000&pageToken=1',
  ]);
  await bench.drain();
  // A repeated notification of the same incident, as Pub/Sub delivers it.
  const incident = { incident_id: '0.a1', state: 'open', started_at: Math.floor(opened.getTime() / 1000) };
  const policy = { policy_name: 'Errors 0.a1', scoping_project_id: 'shop-prod' };
  await bench.publishAlert({ version: '1.2', incident: { ...incident, ...policy } }, {}, now.toISOString());
  await bench.drain();
  const sessions = await bench.deps.store.list({ collection: paths.sessions }, sessionType);
  expect(
    sessions
      .map(({ value }) => readSessionAlert(value))
      .sort((a, b) => ((a?.title ?? '') < (b?.title ?? '') ? -1 : 1)),
  ).toMatchObject(
    ['0.a1', '0.a2'].map((id, index) => ({
      identity: expect.stringContaining(id),
      title: expect.stringContaining(`Errors ${id}`),
      severity: ['Error', null][index],
      startedAt: new Date(Math.floor(opened.getTime() / 1000) * 1000),
      url: `https://console.cloud.google.com/monitoring/alerting/alerts/${id}?project=shop-prod`,
      labels: {
        project_id: 'shop-prod',
        resource_type: 'cloud_run_revision',
        metric_type: 'run.googleapis.com/request_count',
        service_name: 'checkout',
        response_code_class: '5xx',
        team: 'payments',
        tier: '1',
      },
    })),
  );
  expect((await catchUp()).stdout).toEqual(['google: 2 arrived before, 0 published, 0 fire for longer']);
  monitoring.refuse();
  expect(await catchUp()).toMatchObject({
    code: 1,
    stderr: [
      expect.stringMatching(/^google: .*PERMISSION_DENIED; give the caller roles\/monitoring\.alertViewer/),
    ],
  });
});

it('names the address and the field of an answer of another form, in words', async () => {
  const config = temporaryFolder();
  const url = await startPagerDuty([{ id: 7, created_at: PUBLISH_TIME }]);
  const source = { source: 'pagerduty', url, token: `\${PAGER_TOKEN}` };
  writeFileSync(join(config, 'catch-up.yaml'), stringify({ sources: { pager: source } }));
  const { url: api } = await serveApi(await startApiBench({ script, inMemory: true }));
  const { stdout, stderr } = await callCommand(['catch-up', '--url', api, '--config', config], {
    PAGER_TOKEN: 'secret-1',
  });
  expect([...stdout, ...stderr].join('\n')).toContain(
    `${url}/incidents: incidents.0.id: must be text, not a number; put it in quotes`,
  );
});
