// Webhooks that are posted again: by a source that lost the answer, or by somebody who recorded them.

import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { SECRET_SOURCES } from '../../../shared/alerts/sources.ts';
import type { ApiDeps } from '../../../shared/api/http/route.ts';
import { createApi } from '../../../shared/lists/createApi.ts';
import { sessionType } from '../../../shared/lists/documents.ts';
import { grafanaAt, SENDERS, startWebhookBench } from '../../support/webhookBench.ts';
import { startSnsCloud, TOPIC } from './snsCloud.ts';

const SECRET = 'c0ffee00c0ffee00c0ffee00c0ffee00';
const MINUTE_MS = 60_000;

/** Two instances of the API with one database and one topic. */
async function startTwo(webhooks: object, fetch?: typeof globalThis.fetch) {
  let deps: ApiDeps | undefined;
  const api = await startWebhookBench({
    webhooks,
    env: { HOOK: SECRET },
    ...(fetch && { fetch }),
    bench: {
      access: (local, given) => {
        deps = given;
        return local;
      },
    },
  });
  const other = createApi(deps as ApiDeps, { access: () => Promise.reject(new Error('no login')) });
  const postToOther = async (source: string, body: Buffer | string, headers: Record<string, string> = {}) => {
    const response = await other.request(`http://inquest.example/v1/webhooks/${source}`, {
      method: 'POST',
      body: body as string,
      headers,
    });
    return { status: response.status, body: (await response.json()) as { alertKey?: string } };
  };
  const sessions = async () =>
    (await api.deps.store.list({ collection: 'sessions' }, sessionType)).map(({ value }) => value);
  return { ...api, postToOther, sessions, deps: { ...api.deps, api: deps as ApiDeps } };
}

const entryOf = (source: string) => ({ [source]: { secretEnv: 'HOOK' } });
/** A session of its own each time: nothing but the delivery tells copies of it. */
const PLAIN = Buffer.from('{"title":"Disk full"}');

describe.each(SECRET_SOURCES)('a webhook of %s', (source) => {
  const { headers } = SENDERS[source];

  it('that is posted again is answered alike and opens nothing, also on another instance', async () => {
    const api = await startTwo(entryOf(source));
    const proof = headers(PLAIN, SECRET);
    const first = await api.post(source, PLAIN, proof);
    expect(first.status).toBe(202);
    api.deps.clock.advance(4 * MINUTE_MS);
    const copies = [
      await api.post(source, PLAIN, proof),
      await api.postToOther(source, PLAIN, proof),
      // The header is not signed: it does not make the copy another request.
      await api.postToOther(source, PLAIN, { ...proof, 'idempotency-key': 'x' }),
    ];
    for (const { status, body } of copies)
      expect([status, body.alertKey]).toEqual([202, first.body.alertKey]);
    await api.drain();
    await api.post(source, PLAIN, proof);
    await api.drain();
    expect(await api.sessions()).toHaveLength(1);
  });

  it('of which copies come at the same time, or without an answer to the first one, opens one session', async () => {
    const api = await startTwo(entryOf(source));
    const proof = headers(PLAIN, SECRET);
    const { publisher } = api.deps.api;
    const { publish } = publisher;
    // As if the process died: the message is published, and its answer is never stored.
    publisher.publish = async (...message) => {
      await publish(...message);
      throw new Error('died');
    };
    expect((await api.post(source, PLAIN, proof)).status).toBe(500);
    publisher.publish = publish;
    api.deps.clock.advance(MINUTE_MS);
    const both = await Promise.all([api.post(source, PLAIN, proof), api.postToOther(source, PLAIN, proof)]);
    expect(both.map(({ status }) => status)).toEqual([202, 202]);
    expect(api.deps.publisher.published.length).toBeGreaterThan(1);
    await api.drain();
    const [session, ...more] = await api.sessions();
    expect(more).toEqual([]);
    const found = await api.ask(`/v1/alerts/${both[0].body.alertKey}`);
    expect(found.body.sessionId).toBe(session?.sessionId);
  });
});

describe('a webhook that a source repeats because a problem lasts', () => {
  it('is a further report after five minutes, and none before', async () => {
    const api = await startTwo(entryOf('alertmanager'));
    const { body, headers } = SENDERS.alertmanager;
    const proof = headers(body, SECRET);
    const reports = async () => {
      await api.drain();
      const [session, ...more] = await api.sessions();
      expect(more).toEqual([]);
      const answer = await api.ask(`/v1/sessions/${session?.sessionId}`);
      return answer.body.reports?.firing ?? 0;
    };
    await api.post('alertmanager', body, proof);
    const first = await reports();
    api.deps.clock.advance(5 * MINUTE_MS - 1);
    await api.postToOther('alertmanager', body, proof);
    expect(await reports()).toBe(first);
    api.deps.clock.advance(1);
    await api.postToOther('alertmanager', body, proof);
    expect(await reports()).toBe(first + 1);
    await api.post('alertmanager', body, proof);
    expect(await reports()).toBe(first + 1);
  });

  it.each(['pagerduty', 'sentry'] as const)('is none of %s, whose events are signed once', async (source) => {
    const api = await startTwo(entryOf(source));
    const { body, headers } = SENDERS[source];
    const proof = headers(body, SECRET);
    const first = await api.post(source, body, proof);
    api.deps.clock.advance(30 * 24 * 60 * MINUTE_MS);
    const again = await api.post(source, body, proof);
    expect([again.status, again.body.alertKey]).toEqual([202, first.body.alertKey]);
    expect(api.deps.publisher.published).toHaveLength(1);
  });
});

it('a message of SNS is known by its signed MessageId, whichever unsigned field is changed', async () => {
  const cloud = await startSnsCloud();
  const api = await startTwo({ sns: { topics: [TOPIC] } }, cloud.fetch);
  const message = cloud.sign({ Message: 'CPU is high' });
  const copies = [
    JSON.stringify(message),
    JSON.stringify({ ...message, UnsubscribeURL: 'https://example.com/' }),
    JSON.stringify(message, null, 2),
    JSON.stringify(Object.fromEntries(Object.entries(message).reverse())),
  ];
  const keys = new Set();
  for (const copy of copies) {
    for (const post of [api.post, api.postToOther]) {
      const answer = await post('sns', copy);
      expect(answer.status).toBe(200);
      keys.add(answer.body.alertKey);
    }
    api.deps.clock.advance(10 * MINUTE_MS);
    await api.drain();
  }
  expect(keys.size).toBe(1);
  expect(await api.sessions()).toHaveLength(1);
  // The same text in another message is another one.
  expect(
    (
      await api.post(
        'sns',
        JSON.stringify(cloud.sign({ Message: 'CPU is high', Timestamp: api.deps.clock.now().toISOString() })),
      )
    ).status,
  ).toBe(200);
  await api.drain();
  expect(await api.sessions()).toHaveLength(2);
});

it('a webhook is published though the database does not answer', async () => {
  const api = await startTwo(entryOf('generic'));
  const { store } = api.deps.api;
  store.get = () => Promise.reject(new Error('no answer'));
  expect((await api.post('generic', PLAIN, SENDERS.generic.headers(PLAIN, SECRET))).status).toBe(202);
  expect(api.deps.publisher.published).toHaveLength(1);
  expect(api.logged.join('')).toContain('published without deduplication');
});

describe('a request of Grafana', () => {
  const { body } = SENDERS.grafana;
  const hmac = (text: string) => createHmac('sha256', SECRET).update(text).digest('hex');

  it('whose signed time is moved into the body is refused, with and without a time in its header', async () => {
    const api = await startTwo(entryOf('grafana'));
    const sent = grafanaAt(api.deps.clock.now())(body, SECRET);
    const { 'X-Grafana-Alerting-Timestamp': time = '', 'X-Grafana-Alerting-Signature': signature = '' } =
      sent;
    expect((await api.post('grafana', body, sent)).status).toBe(202);
    api.deps.clock.advance(10 * MINUTE_MS);
    const now = String(Math.floor(api.deps.clock.now().getTime() / 1000));
    for (const name of ['X-Grafana-Alerting-Signature', 'X-Grafana-Alert-Signature'])
      for (const header of [
        {},
        { 'X-Grafana-Alerting-Timestamp': now },
        { 'X-Grafana-Alerting-Timestamp': '' },
      ])
        expect(
          await api.post('grafana', `${time}:${body}`, { [name]: signature, ...(header as object) }),
        ).toMatchObject({ status: 401, body: { code: 'SIGNATURE_INVALID' } });
    expect(api.deps.publisher.published).toHaveLength(1);
  });

  it('without a signed time is refused, unless the configuration states that the source signs none', async () => {
    const headers = { 'X-Grafana-Alerting-Signature': hmac(body.toString('utf8')) };
    const strict = await startTwo(entryOf('grafana'));
    expect(await strict.post('grafana', body, headers)).toMatchObject({
      status: 401,
      body: { detail: expect.stringContaining('signedTime: false') },
    });
    const lax = await startTwo({ grafana: { secretEnv: 'HOOK', signedTime: false } });
    expect((await lax.post('grafana', body, headers)).status).toBe(202);
    // A time that nobody looks at is no proof, and none that is signed is taken for one.
    const timed = grafanaAt(lax.deps.clock.now())(body, SECRET);
    expect((await lax.post('grafana', body, timed)).status).toBe(401);
  });
});

describe('the body of a webhook is not read', () => {
  const bodyOf = () => {
    const seen = { isRead: false };
    const stream = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          seen.isRead = true;
          controller.enqueue(PLAIN);
          controller.close();
        },
      },
      { highWaterMark: 0 },
    );
    return { seen, stream };
  };
  const digits = '0'.repeat(64);
  it.each<[string, string, Record<string, string>, number]>([
    ['without a signature', 'pagerduty', {}, 401],
    ['with a signature of another version', 'pagerduty', { 'X-PagerDuty-Signature': `v2=${digits}` }, 401],
    ['with a signature that is none', 'pagerduty', { 'X-PagerDuty-Signature': 'v1=abc' }, 401],
    ['without a signature', 'sentry', {}, 401],
    ['with a signature that is none', 'sentry', { 'Sentry-Hook-Signature': 'abc' }, 401],
    ['with an old time', 'sentry', { 'Sentry-Hook-Signature': digits, 'Sentry-Hook-Timestamp': '1' }, 401],
    ['without a proof', 'grafana', {}, 401],
    ['without its time', 'grafana', { 'X-Grafana-Alerting-Signature': digits }, 401],
    [
      'with an old time',
      'grafana',
      { 'X-Grafana-Alerting-Signature': digits, 'X-Grafana-Alerting-Timestamp': '1' },
      401,
    ],
    ['with another secret', 'generic', { 'X-Webhook-Secret': 'wrong' }, 401],
    ['of a source that is not configured', 'datadog', { 'X-Webhook-Secret': SECRET }, 404],
    ['that is too long by its header', 'sns', { 'content-length': '1100001' }, 413],
    [
      'that is too long by its header',
      'pagerduty',
      { 'X-PagerDuty-Signature': `v1=${digits}`, 'content-length': '99999999999' },
      413,
    ],
  ])('%s (%s %j)', async (_, source, headers, status) => {
    const api = await startTwo({
      ...entryOf('pagerduty'),
      ...entryOf('sentry'),
      ...entryOf('grafana'),
      ...entryOf('generic'),
      sns: { topics: [TOPIC] },
    });
    const { seen, stream } = bodyOf();
    const init = { method: 'POST', body: stream, headers, duplex: 'half' };
    const request = new Request(`http://inquest.example/v1/webhooks/${source}`, init as RequestInit);
    expect((await api.app.request(request)).status).toBe(status);
    expect(seen.isRead).toBe(false);
  });
});
