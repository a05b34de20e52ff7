// Webhooks of sources that share a secret with us, as they really send them.

import { describe, expect, it } from 'vitest';
import { SECRET_SOURCES, type SecretSource } from '../../../shared/alerts/sources.ts';
import { grafanaAt, SENDERS, sentryAt, startWebhookBench } from '../../support/webhookBench.ts';

const SECRET = 'c0ffee00c0ffee00c0ffee00c0ffee00';
const OLD = 'decaf000decaf000decaf000decaf000';
const start = (source: SecretSource, entry: object = {}, env: Record<string, string> = { HOOK: SECRET }) =>
  startWebhookBench({ webhooks: { [source]: { secretEnv: 'HOOK', ...entry } }, env });

const SIGNERS = SECRET_SOURCES.filter((source) => SENDERS[source].signs);
const changed = (body: Buffer): Buffer => Buffer.from(body.toString('utf8').replace('{', '{ '));

it.each(['nagios', 'zabbix', 'Grafana'])(
  'a webhook of %s, which has no route, names webhooks.yaml, from any host',
  async (source) => {
    const api = await start('generic');
    expect(
      await api.post(source as SecretSource, Buffer.from('{}'), { host: 'alerts.example.com' }),
    ).toMatchObject({
      status: 404,
      body: {
        code: 'NOT_FOUND',
        detail: `there are no webhooks of "${source}"; send them to /v1/webhooks/generic, and add generic to webhooks.yaml of the configuration`,
      },
    });
  },
);

describe.each(SECRET_SOURCES)('a webhook of %s', (source) => {
  const { body, headers, reads } = SENDERS[source];

  it('that proves itself is published as it came, from any host, and answered like an alert', async () => {
    const api = await start(source);
    const answer = await api.post(source, body, headers(body, SECRET));
    expect(answer).toMatchObject({
      status: 202,
      body: { alertKey: expect.stringMatching(/^[0-9a-f]{64}$/), alert: { source: reads, status: 'firing' } },
    });
    expect(api.deps.publisher.published).toMatchObject([{ topic: 'alerts', attributes: {} }]);
    expect(api.deps.publisher.published[0]?.data.equals(body)).toBe(true);
  });

  it.each<[string, (secret: string) => Record<string, string>]>([
    ['another secret', () => headers(body, OLD)],
    ['nothing', () => ({})],
    ['an empty secret', () => headers(body, '')],
    ['a longer secret', (secret) => headers(body, `${secret}0`)],
  ])('with %s is refused, and nothing is published', async (_, wrong) => {
    const api = await start(source);
    expect(await api.post(source, body, wrong(SECRET))).toMatchObject({
      status: 401,
      body: { status: 401, code: 'SIGNATURE_INVALID', detail: expect.stringMatching(/^header [\w-]+: /) },
    });
    expect(api.deps.publisher.published).toEqual([]);
  });

  it('proves itself with any of the secrets that are set, so that they can be rotated', async () => {
    const env = { NEW: SECRET, OLD };
    const api = await start(source, { secretEnv: ['NEW', 'UNSET', 'OLD'] }, env);
    for (const secret of [SECRET, OLD])
      expect(await api.post(source, body, headers(body, secret))).toMatchObject({ status: 202 });
    expect(await api.post(source, body, headers(body, ''))).toMatchObject({ status: 401 });
  });

  it('belongs to the tenant and the chain of the configuration, whatever its content', async () => {
    const api = await start(source, { tenant: 'acme', chain: 'deep' });
    const claims = { 'x-tenant-id': 'other', 'x-user-id': 'anna', ...headers(body, SECRET) };
    expect(await api.post(source, body, claims)).toMatchObject({ status: 202 });
    expect(api.deps.publisher.published).toMatchObject([{ attributes: { tenant: 'acme', chain: 'deep' } }]);
    expect(api.deps.publisher.published[0]?.attributes).not.toHaveProperty('user');
    const query = await api.post(`${source}?chain=other`, body, headers(body, SECRET));
    expect(query).toMatchObject({ status: 400, body: { code: 'REQUEST_INVALID' } });
  });

  it('that is not configured, or has no secret, gets an answer that names the missing setting', async () => {
    const other = source === 'generic' ? 'grafana' : 'generic';
    const unknown = await start(other);
    expect(await unknown.post(source, body, headers(body, SECRET))).toMatchObject({
      status: 404,
      body: { code: 'NOT_FOUND', detail: expect.stringContaining(`add ${source} to webhooks.yaml`) },
    });
    for (const env of [{}, { HOOK: '' }, { HOOK: 'short' }]) {
      const unset = await start(source, {}, env as Record<string, string>);
      for (const secret of ['', 'short', 'undefined'])
        expect(await unset.post(source, body, headers(body, secret))).toMatchObject({
          status: 403,
          body: {
            code: 'ACCESS_DENIED',
            detail: expect.stringContaining(`secretEnv of ${source} in webhooks.yaml`),
          },
        });
      expect(unset.logged.join('')).toMatch(
        /webhook [\w-]+: environment variable HOOK (?:is not set|has fewer)/,
      );
      expect(unset.deps.publisher.published).toEqual([]);
    }
  });

  it.each([
    ['no alert', 'null', 400, 'ALERT_INVALID'],
    ['empty', '', 400, 'ALERT_EMPTY'],
    ['broken JSON', '{"title":', 400, 'ALERT_INVALID'],
    ['too large an alert', 'x'.repeat(1_060_000), 413, 'ALERT_TOO_LARGE'],
    ['too large a request', 'x'.repeat(1_200_000), 413, 'REQUEST_TOO_LARGE'],
  ])('that is %s is refused as such, once it is proved', async (_, text, status, code) => {
    const api = await start(source);
    const answer = await api.post(source, text, headers(Buffer.from(text), SECRET));
    expect(answer).toMatchObject({ status, body: { status, code } });
    expect(api.deps.publisher.published).toEqual([]);
  });

  it('leaves nothing of its body, its secret or its signature in the log', async () => {
    const api = await start(source);
    const good = headers(body, SECRET);
    const bad = headers(body, OLD);
    await api.post(source, body, good);
    await api.post(source, body, bad);
    const log = api.logged.join('');
    expect(log).toContain('a webhook was refused');
    const credentials = [...Object.values(good), ...Object.values(bad)].filter((text) => text.length > 10);
    const words = (body.toString('utf8').match(/[\w-]{12,}/g) ?? []).filter((word) => word !== source);
    for (const text of [SECRET, OLD, ...credentials, ...words]) expect(log).not.toContain(text);
  });
});

describe('a signature', () => {
  it.each(SIGNERS)('of %s is of every byte of the body', async (source) => {
    const { body, headers } = SENDERS[source];
    const api = await start(source);
    expect(await api.post(source, changed(body), headers(body, SECRET))).toMatchObject({
      status: 401,
      body: { code: 'SIGNATURE_INVALID' },
    });
    expect(api.deps.publisher.published).toEqual([]);
  });

  it('of PagerDuty can be any of several, of which other versions do not count', async () => {
    const { body, headers } = SENDERS.pagerduty;
    const api = await start('pagerduty');
    const [ours, theirs] = [SECRET, OLD].map(
      (secret) => headers(body, secret)['X-PagerDuty-Signature'] ?? '',
    );
    const send = (header: string) => api.post('pagerduty', body, { 'X-PagerDuty-Signature': header });
    for (const header of [`${theirs},${ours}`, `${theirs}, ${ours}`, `v2=x,${ours},${theirs}`])
      expect(await send(header)).toMatchObject({ status: 202 });
    for (const header of [`${theirs},${theirs}`, ours?.replace('v1=', 'v2='), ours?.replace('v1=', ''), ','])
      expect(await send(header ?? '')).toMatchObject({ status: 401 });
  });

  it('of Grafana has the name that its documentation has, or the one of its code', async () => {
    const { body, headers } = SENDERS.grafana;
    const api = await start('grafana');
    const { 'X-Grafana-Alerting-Signature': signature = '', ...time } = headers(body, SECRET);
    const signed = { ...time, 'X-Grafana-Alert-Signature': signature };
    expect(await api.post('grafana', body, signed)).toMatchObject({ status: 202 });
  });

  it('of Grafana that is wrong is not made good by the secret beside it', async () => {
    const { body, headers } = SENDERS.grafana;
    const api = await start('grafana');
    const both = { ...headers(body, OLD), authorization: `Bearer ${SECRET}` };
    expect(await api.post('grafana', body, both)).toMatchObject({ status: 401 });
    expect(await api.post('grafana', body, { authorization: `Bearer ${SECRET}` })).toMatchObject({
      status: 202,
    });
  });
});

describe('a secret that is sent', () => {
  it.each<[string, Record<string, string>]>([
    ['as a bearer', { authorization: `Bearer ${SECRET}` }],
    ['as the password of basic authentication', { authorization: `Basic ${btoa(`anyone:${SECRET}`)}` }],
    ['as a header of its own', { 'X-Webhook-Secret': SECRET }],
  ])('%s is taken of every source that signs nothing', async (_, headers) => {
    for (const source of SECRET_SOURCES.filter((one) => !SIGNERS.includes(one))) {
      const api = await start(source);
      expect(await api.post(source, SENDERS[source].body, headers)).toMatchObject({ status: 202 });
    }
  });

  it.each<[string, Record<string, string>]>([
    ['without a scheme', { authorization: SECRET }],
    ['with another scheme', { authorization: `Digest ${SECRET}` }],
    ['as the name of basic authentication', { authorization: `Basic ${btoa(`${SECRET}:`)}` }],
    ['in other letters', { authorization: `Bearer ${SECRET.toUpperCase()}` }],
    ['as a list', { 'X-Webhook-Secret': `${OLD}, ${SECRET}` }],
  ])('%s is not', async (_, headers) => {
    const api = await start('generic');
    expect(await api.post('generic', SENDERS.generic.body, headers)).toMatchObject({ status: 401 });
  });

  it('is the one without the line break that its file ended with', async () => {
    const api = await start('generic', {}, { HOOK: `${SECRET}\n` });
    expect(await api.post('generic', SENDERS.generic.body, { 'X-Webhook-Secret': SECRET })).toMatchObject({
      status: 202,
    });
  });
});

describe('a request that is sent again', () => {
  it.each([
    ['grafana', grafanaAt],
    ['sentry', sentryAt],
  ] as const)(
    'of %s is refused after five minutes, and when it comes from the future',
    async (source, at) => {
      const { body } = SENDERS[source];
      const api = await start(source);
      const now = api.deps.clock.now();
      const sent = (ms: number) => at(new Date(now.getTime() + ms))(body, SECRET);
      for (const ms of [0, -299_000, 299_000])
        expect(await api.post(source, body, sent(ms))).toMatchObject({ status: 202 });
      for (const ms of [-302_000, 302_000, -86_400_000])
        expect(await api.post(source, body, sent(ms))).toMatchObject({
          status: 401,
          body: { detail: expect.stringContaining('5 minutes') },
        });
    },
  );

  it('of Grafana is refused without its time, with a different one, and with an invalid one', async () => {
    const { body } = SENDERS.grafana;
    const api = await start('grafana');
    const { 'X-Grafana-Alerting-Signature': signature = '', ...time } = grafanaAt(api.deps.clock.now())(
      body,
      SECRET,
    );
    const send = (headers: Record<string, string>) =>
      api.post('grafana', body, { 'X-Grafana-Alerting-Signature': signature, ...headers });
    const [sent = ''] = Object.values(time);
    expect(await send({ 'X-Grafana-Alerting-Timestamp': sent })).toMatchObject({ status: 202 });
    for (const other of [
      {},
      ...[String(Number(sent) + 1), '', 'now'].map((text) => ({ 'X-Grafana-Alerting-Timestamp': text })),
    ])
      expect(await send(other)).toMatchObject({ status: 401 });
  });

  it('with an Idempotency-Key gives its answer only to a caller who proves the same identity', async () => {
    const { body, headers } = SENDERS.pagerduty;
    const api = await start('pagerduty');
    const key = { 'idempotency-key': 'a' };
    const first = await api.post('pagerduty', body, { ...key, ...headers(body, SECRET) });
    expect(await api.post('pagerduty', body, key)).toMatchObject({ status: 401 });
    const again = await api.post('pagerduty', body, { ...key, ...headers(body, SECRET) });
    expect(again.body).toEqual(first.body);
    expect(api.deps.publisher.published).toHaveLength(1);
  });
});

it('an alert of a webhook opens a session in its tenant, which no other tenant sees', async () => {
  const api = await startWebhookBench({
    webhooks: { alertmanager: { secretEnv: 'HOOK', tenant: 'acme' } },
    env: { HOOK: SECRET },
    bench: { script: { conversations: [{ turns: [{ text: 'The disk is full.' }] }] } },
  });
  const { body, headers } = SENDERS.alertmanager;
  const sent = await api.post('alertmanager', body, headers(body, SECRET));
  await api.drain();
  const asTenant = (tenant: string) => ({ headers: { 'x-tenant-id': tenant } });
  const found = await api.ask(`/v1/alerts/${sent.body.alertKey}`, asTenant('acme'));
  const path = `/v1/sessions/${found.body.sessionId}`;
  expect(await api.ask(path, asTenant('acme'))).toMatchObject({ status: 200, body: { status: 'completed' } });
  expect(await api.ask(path, asTenant('default'))).toMatchObject({ status: 404 });
});

it('a request that is no webhook still needs the local host, also below the same address', async () => {
  const api = await start('grafana');
  // A source without a configuration is like the others: what it sends names the fix.
  expect(await api.post('nosuch', '{}')).toMatchObject({
    status: 404,
    body: { detail: expect.stringContaining('webhooks.yaml') },
  });
  const below = await api.post('grafana/more', '{}');
  expect(below).toMatchObject({ status: 403, body: { code: 'ACCESS_DENIED' } });
  const get = await api.ask('/v1/webhooks/grafana');
  expect(get).toMatchObject({ status: 405, body: { detail: expect.stringContaining('POST') } });
});
