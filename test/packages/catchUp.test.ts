// `catch-up` against a real Alertmanager: an alert that fired while nothing ran is published once, and its
// webhook reaches the session. The other sources are stand-ins at the wire, with the forms of their
// documentation.

import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { stringify } from 'yaml';
import { listFiring } from '../../cli/features/alertFates/catchUp/listFiring.ts';
import { findPrograms } from '../../local/monitoring/programs.ts';
import { startProcess, waitForAnswer } from '../../local/processes/childProcess.ts';
import { answersHttp, freePorts } from '../../local/processes/ports.ts';
import { readAlert } from '../../shared/alerts/index.ts';
import { runsMonitoring } from '../support/realParts.ts';

const never = new AbortController().signal;
const unmasked = {
  mask: (text: string) => ({ text, count: 0 }),
  maskJson: (value: unknown) => ({ value }),
};
const identityOf = (payload: unknown) => {
  const reading = readAlert(Buffer.from(JSON.stringify(payload)), unmasked);
  return reading.ok ? [reading.alert.source, reading.alert.identity, reading.alert.status] : reading.failure;
};

/** A server that answers GET by path or by path and query, and keeps the bodies that it is sent. */
async function startServer(answers: Record<string, unknown> = {}) {
  const bodies: unknown[] = [];
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      requests.push(`${request.headers.authorization} ${request.url}`);
      if (request.method === 'POST') bodies.push(JSON.parse(Buffer.concat(chunks).toString()));
      const { pathname, search } = new URL(request.url ?? '', 'http://x');
      const found = answers[`${pathname}${decodeURIComponent(search)}`] ?? answers[pathname];
      response.statusCode = request.method === 'POST' || found !== undefined ? 200 : 404;
      response.end(JSON.stringify(found ?? {}));
    });
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  onTestFinished(() => void server.close().closeAllConnections());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, bodies, requests };
}

describe.runIf(runsMonitoring)('with the Alertmanager of Debian', () => {
  it('lists each group as the webhook of the same Alertmanager sends it', async () => {
    const { temporaryFolder } = await import('../support/ownConfig.ts');
    const folder = temporaryFolder();
    const webhook = await startServer();
    const [port = 0] = await freePorts(1);
    const url = `http://127.0.0.1:${port}`;
    const inquest = { receiver: 'inquest', group_wait: '1s', group_interval: '1s' };
    const config = {
      route: {
        receiver: 'nobody',
        group_by: ['alertname'],
        routes: [
          { ...inquest, match: { team: 'db' }, group_by: ['alertname', 'namespace'], continue: true },
          {
            ...inquest,
            match_re: { service: 'shop|pay' },
            routes: [{ ...inquest, matchers: ['severity="page"'] }],
          },
          { ...inquest, matchers: ['team=~"we.*"', 'quote="a\\"b"'], group_by: ['...'] },
        ],
      },
      receivers: [{ name: 'nobody' }, { name: 'inquest', webhook_configs: [{ url: `${webhook.url}/hook` }] }],
    };
    writeFileSync(join(folder, 'alertmanager.yml'), stringify(config));
    const alertmanager = startProcess({
      name: 'alertmanager',
      command: findPrograms(process.env).alertmanager,
      args: [
        `--config.file=${join(folder, 'alertmanager.yml')}`,
        `--web.listen-address=127.0.0.1:${port}`,
        `--storage.path=${join(folder, 'alerts')}`,
        '--cluster.listen-address=',
      ],
      env: process.env,
      onLine: () => {},
    });
    onTestFinished(() => alertmanager.stop());
    await waitForAnswer(alertmanager, () => answersHttp(`${url}/-/ready`, 1_000), { timeoutMs: 60_000 });
    const alerts = [
      { alertname: 'Slow', namespace: 'shop', team: 'db', instance: '1' },
      { alertname: 'Slow', namespace: 'shop', team: 'db', instance: '2' },
      { alertname: 'Down', service: 'pay', severity: 'page' },
      { alertname: 'Full', team: 'web', quote: 'a"b' },
      { alertname: 'Unrouted' },
    ].map((labels) => ({ labels, annotations: { summary: 'Look.' } }));
    const headers = { 'content-type': 'application/json' };
    const sent = await fetch(`${url}/api/v2/alerts`, {
      method: 'POST',
      headers,
      body: JSON.stringify(alerts),
    });
    expect(sent.status).toBe(200);
    await expect.poll(() => webhook.bodies.length, { timeout: 60_000 }).toBeGreaterThanOrEqual(3);
    const source = { source: 'alertmanager', url, receiver: 'inquest' } as const;
    const found = await listFiring(source, never);
    const byKey = (payloads: object[]) =>
      payloads
        .map((payload) => payload as { groupKey: string; commonLabels: object; groupLabels: object })
        .map(({ groupKey, commonLabels, groupLabels }) => ({ groupKey, commonLabels, groupLabels }))
        .sort((a, b) => (a.groupKey < b.groupKey ? -1 : 1));
    expect(byKey(found.map(({ payload }) => payload))).toEqual(byKey(webhook.bodies as object[]));
    const identities = (payloads: unknown[]) => payloads.map((one) => JSON.stringify(identityOf(one))).sort();
    expect(identities(found.map(({ payload }) => payload))).toEqual(identities(webhook.bodies));
    // The payload, and so the key of its alert, is the same at the next call.
    expect(await listFiring(source, never)).toEqual(found);
  });
});

describe('sources that are stand-ins', () => {
  it('Grafana: a group is read as one of its webhook', async () => {
    const alert = (pod: string, startsAt: string, state = 'active') => ({
      labels: { alertname: 'Slow', grafana_folder: 'Shop', pod },
      annotations: { summary: 'Slow', pod },
      startsAt,
      endsAt: '2026-11-20T09:20:00.000Z',
      updatedAt: '2026-11-20T09:16:00.000Z',
      fingerprint: pod,
      receivers: [{ name: 'inquest' }],
      status: { state, inhibitedBy: [], silencedBy: [] },
    });
    const labels = { alertname: 'Slow', grafana_folder: 'Shop' };
    const [receiver, other] = [{ name: 'inquest' }, { name: 'other' }];
    const { url, requests } = await startServer({
      '/api/v1/provisioning/policies': { receiver: 'inquest', group_by: ['grafana_folder', 'alertname'] },
      '/api/alertmanager/grafana/api/v2/alerts/groups?active=true&silenced=false&inhibited=false': [
        {
          labels,
          receiver,
          alerts: [
            alert('b', '2026-11-20T09:14:03.123Z'),
            alert('a', '2026-11-20T09:15:00.000Z'),
            alert('c', '2026-11-20T09:16:00.000Z', 'suppressed'),
          ],
        },
        { labels, receiver, alerts: [alert('d', '2026-11-20T09:14:03.123Z', 'unprocessed')] },
        { labels, receiver: other, alerts: [alert('e', '2026-11-20T09:14:03.123Z')] },
      ],
    });
    const [found, ...rest] = await listFiring(
      { source: 'grafana', url: `${url}/`, receiver: 'inquest', token: 't' },
      never,
    );
    expect(rest).toEqual([]);
    const key = '{}:{alertname="Slow", grafana_folder="Shop"}';
    expect(identityOf(found?.payload)).toEqual(['grafana', key, 'firing']);
    // Only alerts that fire, in an order that does not change; the group started with its newest alert.
    expect(found).toMatchObject({
      payload: {
        alerts: [{ fingerprint: 'a' }, { fingerprint: 'b' }],
        commonLabels: labels,
        commonAnnotations: { summary: 'Slow' },
        orgId: 1,
      },
      startedAt: new Date('2026-11-20T09:15:00.000Z'),
      title: 'Slow',
    });
    expect(requests.every((request) => request.startsWith('Bearer t '))).toBe(true);
  });

  it('PagerDuty: an incident has the identity of its webhook, on all pages, and a payload that stays the same', async () => {
    let changes = 0;
    const incident = (id: string) => ({
      id,
      type: 'incident',
      title: 'Shop is down',
      status: 'triggered',
      urgency: 'high',
      created_at: '2026-11-20T09:14:03Z',
      last_status_change_at: `2026-11-20T09:14:0${++changes}Z`,
      updated_at: `2026-11-20T09:15:0${changes}Z`,
      alert_counts: { all: changes, triggered: changes, resolved: 0 },
    });
    const answers: Record<string, unknown> = {};
    const list = async () => {
      const page = (offset: number) => `/incidents?statuses[]=triggered&limit=100&offset=${offset}`;
      answers[page(0)] = { incidents: [incident('P1'), incident('P2')], more: true };
      answers[page(100)] = { incidents: [incident('P3')] };
      return listFiring({ source: 'pagerduty', url, token: 't' }, never);
    };
    const { url, requests } = await startServer(answers);
    const found = await list();
    expect(found.map(({ payload }) => identityOf(payload))).toEqual([
      ['pagerduty', 'P1', 'firing'],
      ['pagerduty', 'P2', 'firing'],
      ['pagerduty', 'P3', 'firing'],
    ]);
    expect(await list()).toEqual(found);
    expect(requests).toHaveLength(4);
  });

  it('a refused token and an answer that is no list are errors with the fix', async () => {
    const { url } = await startServer();
    const list = listFiring({ source: 'pagerduty', url, token: 't' }, never);
    await expect(list).rejects.toThrow('answered 404; check url in catch-up.yaml');
    await expect(
      listFiring({ source: 'grafana', url, receiver: 'inquest', token: 't' }, never),
    ).rejects.toThrow('/api/v1/provisioning/policies answered 404; check url in catch-up.yaml');
  });
});
