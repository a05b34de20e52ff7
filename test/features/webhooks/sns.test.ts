// The webhook of SNS: messages with real signatures, of a certificate that SNS serves over HTTP.

import type { RequestListener } from 'node:http';
import { describe, expect, it } from 'vitest';
import { createCertificate } from '../../support/certificate.ts';
import { startWebhookBench } from '../../support/webhookBench.ts';
import {
  CERTIFICATE_PATH,
  CERTIFICATE_URL,
  composeConfirmation,
  type SnsFields,
  startSnsCloud,
  TOPIC,
} from './snsCloud.ts';

const ALARM = JSON.stringify({
  AlarmName: 'checkout-5xx',
  NewStateValue: 'ALARM',
  NewStateReason: 'Threshold Crossed',
  AlarmArn: 'arn:aws:cloudwatch:eu-central-1:123456789012:alarm:checkout-5xx',
});
const OTHER_TOPIC = TOPIC.replace('alarms', 'others');

async function start(
  options: Parameters<typeof startSnsCloud>[0] & { topics?: string[]; entry?: object } = {},
) {
  const { topics = [TOPIC], entry = {} } = options;
  const cloud = await startSnsCloud(options);
  const webhooks = { sns: { topics, ...entry } };
  const api = await startWebhookBench({ webhooks, fetch: cloud.fetch });
  const post = (message: SnsFields | string, headers: Record<string, string> = {}) =>
    api.post('sns', typeof message === 'string' ? message : JSON.stringify(message), {
      'content-type': 'text/plain; charset=UTF-8',
      ...headers,
    });
  return { ...api, cloud, post };
}

const answering =
  (status: number, headers: Record<string, string> = {}, body = ''): RequestListener =>
  (_, response) => {
    response.writeHead(status, headers).end(body);
  };

describe('a notification', () => {
  it.each(['1', '2'] as const)(
    'with a signature of version %s is published, and answered with 200',
    async (version) => {
      const api = await start({ entry: { tenant: 'acme', chain: 'deep' } });
      const message = api.cloud.sign({ Subject: 'ALARM: "checkout-5xx"', Message: ALARM }, version);
      const unsubscribe = 'https://sns.eu-central-1.amazonaws.com/?Action=Unsubscribe';
      const answer = await api.post({ ...message, UnsubscribeURL: unsubscribe });
      expect(answer).toMatchObject({
        status: 200,
        body: { alert: { source: 'aws', title: 'checkout-5xx', status: 'firing' } },
      });
      const [published] = api.deps.publisher.published;
      expect(published).toMatchObject({ topic: 'alerts', attributes: { tenant: 'acme', chain: 'deep' } });
      const { Type, MessageId, TopicArn, Subject, Message, Timestamp } = message;
      expect(JSON.parse(String(published?.data))).toEqual({
        Type,
        MessageId,
        TopicArn,
        Subject,
        Message,
        Timestamp,
      });
    },
  );

  it('of text is read with its subject, one without a subject as well', async () => {
    const api = await start();
    const withSubject = await api.post(
      api.cloud.sign({ Subject: 'Disk full', Message: 'The disk is full.' }),
    );
    expect(withSubject).toMatchObject({ status: 200, body: { alert: { title: 'Disk full' } } });
    const without = { ...api.cloud.sign({ Message: 'The disk is full.' }), Subject: null };
    expect(await api.post(JSON.stringify(without))).toMatchObject({ status: 200 });
  });

  it('has its certificate fetched once, also when several come at the same time', async () => {
    const api = await start();
    const send = () => api.post(api.cloud.sign());
    const first = await Promise.all([send(), send(), send()]);
    expect([...first, await send()].map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(api.cloud.requests).toEqual([CERTIFICATE_URL.replace('https://', '')]);
  });

  it('of another topic is denied, and SNS is asked nothing', async () => {
    const api = await start();
    expect(await api.post(api.cloud.sign({ TopicArn: OTHER_TOPIC }))).toMatchObject({
      status: 403,
      body: { code: 'ACCESS_DENIED', detail: expect.stringContaining('webhooks.yaml') },
    });
    expect(api.cloud.requests).toEqual([]);
    expect(api.deps.publisher.published).toEqual([]);
  });

  it('of an allowed topic with the signature for a different one is refused', async () => {
    const api = await start();
    const message = api.cloud.sign({ TopicArn: OTHER_TOPIC });
    expect(await api.post({ ...message, TopicArn: TOPIC })).toMatchObject({ status: 401 });
    expect(api.deps.publisher.published).toEqual([]);
  });

  it('without a signature, or with a foreign one, is refused', async () => {
    const api = await start();
    const certificate = createCertificate({ commonName: 'sns.amazonaws.com' });
    const foreign = await startSnsCloud({ certificate });
    const { Signature: _, ...unsigned } = api.cloud.sign();
    for (const message of [unsigned, foreign.sign(), { ...api.cloud.sign(), Signature: 'EXAMPLE=' }])
      expect(await api.post(message as SnsFields)).toMatchObject({
        status: 401,
        body: { code: 'SIGNATURE_INVALID', detail: expect.stringMatching(/^body\.Signature: /) },
      });
    expect(api.deps.publisher.published).toEqual([]);
  });

  it('is refused when it is older than an hour, for which SNS tries to deliver it', async () => {
    const api = await start();
    const message = api.cloud.sign({ Timestamp: api.deps.clock.now().toISOString() });
    api.deps.clock.advance(3_599_000);
    expect(await api.post(message)).toMatchObject({ status: 200 });
    api.deps.clock.advance(2_000);
    expect(await api.post(message)).toMatchObject({
      status: 401,
      body: { detail: expect.stringMatching(/^body\.Timestamp: .*60 minutes/) },
    });
  });

  it.each<[string, string, Record<string, string>, RegExp]>([
    ['is no JSON', 'CPU is high', {}, /^body: is not JSON/],
    ['is raw', ALARM, { 'x-amz-sns-rawdelivery': 'true' }, /turn off raw message delivery/],
    ['is no message of SNS', ALARM, {}, /^body\.Type: /],
    ['is a list', '[]', {}, /^body/],
    ['lacks a field', JSON.stringify({ Type: 'Notification' }), {}, /^body\.MessageId: /],
  ])('that %s is refused with the remedy', async (_, text, headers, detail) => {
    const api = await start();
    expect(await api.post(text, headers)).toMatchObject({
      status: 400,
      body: { code: 'REQUEST_INVALID', detail: expect.stringMatching(detail) },
    });
    expect(api.cloud.requests).toEqual([]);
  });

  it('that is too large is refused', async () => {
    const api = await start();
    expect(await api.post('x'.repeat(1_200_000))).toMatchObject({ status: 413 });
  });
});

describe('the certificate', () => {
  it.each([
    'https://sns.eu-central-1.amazonaws.com.evil.example/SimpleNotificationService-0a.pem',
    'https://sns.us-east-1.amazonaws.com.evil.example/SimpleNotificationService-0a.pem',
    'https://evil.example/sns.eu-central-1.amazonaws.com/SimpleNotificationService-0a.pem',
    'https://sns.eu-central-1.amazonaws.com@evil.example/SimpleNotificationService-0a.pem',
    'https://user:pass@sns.eu-central-1.amazonaws.com/SimpleNotificationService-0a.pem',
    'https://sns.eu-central-1.amazonaws.com:8443/SimpleNotificationService-0a.pem',
    'https://sns.eu-central-1.amazonaws.com.cn/SimpleNotificationService-0a.pem',
    'https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-0a.pem',
    'https://bucket.s3.eu-central-1.amazonaws.com/SimpleNotificationService-0a.pem',
    'https://xsns.eu-central-1.amazonaws.com/SimpleNotificationService-0a.pem',
    'http://sns.eu-central-1.amazonaws.com/SimpleNotificationService-0a.pem',
    'https://sns.eu-central-1.amazonaws.com/?Action=GetTopicAttributes&x=.pem',
    'https://sns.eu-central-1.amazonaws.com/SimpleNotificationService-0a.pem?x=1',
    'https://sns.eu-central-1.amazonaws.com/../SimpleNotificationService-0a/x.pem',
    'file:///etc/SimpleNotificationService-0a.pem',
    'nothing',
  ])('at %s is not fetched', async (SigningCertURL) => {
    const api = await start();
    expect(await api.post(api.cloud.sign({ SigningCertURL }))).toMatchObject({
      status: 401,
      body: { code: 'SIGNATURE_INVALID', detail: expect.stringMatching(/^body\.SigningCertURL: /) },
    });
    expect(api.cloud.requests).toEqual([]);
  });

  it.each([
    ['arn:aws:sns:us-east-1:123456789012:alarms', 'sns.us-east-1.amazonaws.com', 'sns.amazonaws.com'],
    [
      'arn:aws:sns:af-south-1:123456789012:alarms',
      'sns.af-south-1.amazonaws.com',
      'sns-signing.af-south-1.amazonaws.com',
    ],
    [
      'arn:aws-cn:sns:cn-north-1:123456789012:alarms',
      'sns.cn-north-1.amazonaws.com.cn',
      'sns-cn-north-1.amazonaws.com.cn',
    ],
    [
      'arn:aws-us-gov:sns:us-gov-east-1:123456789012:alarms',
      'sns.us-gov-east-1.amazonaws.com',
      'sns-us-gov-west-1.amazonaws.com',
    ],
  ])('of %s is the one at %s, for %s', async (TopicArn, host, commonName) => {
    const api = await start({ topics: [TopicArn], certificate: createCertificate({ commonName }) });
    const SigningCertURL = `https://${host}${CERTIFICATE_PATH}`;
    expect(await api.post(api.cloud.sign({ TopicArn, SigningCertURL }))).toMatchObject({ status: 200 });
    expect(api.cloud.requests).toEqual([host + CERTIFICATE_PATH]);
  });

  const DAY_MS = 86_400_000;
  const daysFromNow = (days: number) => new Date(Date.now() + days * DAY_MS);
  it.each([
    ['is of somebody else', { commonName: 'evil.example' }],
    ['is of a name that begins like SNS', { commonName: 'sns.amazonaws.com.evil.example' }],
    ['is over', { commonName: 'sns.amazonaws.com', to: daysFromNow(-1) }],
    ['has not begun', { commonName: 'sns.amazonaws.com', from: daysFromNow(1) }],
    ['has a weak key', { commonName: 'sns.amazonaws.com', bits: 1024 }],
    ['has a key of another kind', { commonName: 'sns.amazonaws.com', type: 'ec' as const }],
  ])('that %s proves nothing', async (_, options) => {
    const api = await start({ certificate: createCertificate(options) });
    expect(await api.post(api.cloud.sign())).toMatchObject({
      status: 401,
      body: {
        code: 'SIGNATURE_INVALID',
        detail: expect.stringMatching(/^the certificate at body\.SigningCertURL /),
      },
    });
    expect(api.deps.publisher.published).toEqual([]);
  });

  it('that ends while it is kept proves nothing any more', async () => {
    const api = await start({
      certificate: createCertificate({ commonName: 'sns.amazonaws.com', to: daysFromNow(2) }),
    });
    expect(await api.post(api.cloud.sign())).toMatchObject({ status: 200 });
    api.deps.clock.advance(3 * DAY_MS);
    const later = api.cloud.sign({ Timestamp: api.deps.clock.now().toISOString() });
    expect(await api.post(later)).toMatchObject({ status: 401 });
  });

  it.each<[string, RequestListener, number]>([
    ['is not there', answering(404), 401],
    ['is elsewhere', answering(302, { location: 'http://127.0.0.1:1/cert.pem' }), 401],
    ['is no certificate', answering(200, {}, 'hello'), 401],
    ['has no end', answering(200, {}, 'x'.repeat(100_000)), 401],
    ['cannot be had now', answering(503), 503],
    ['is cut off', (_, response) => void response.destroy(), 503],
  ])('that %s is fetched again with the next message', async (_, answer, status) => {
    const api = await start({ answer });
    for (const count of [1, 2]) {
      const code = status === 401 ? 'SIGNATURE_INVALID' : 'SOURCE_UNAVAILABLE';
      expect(await api.post(api.cloud.sign())).toMatchObject({ status, body: { code } });
      expect(api.cloud.requests).toHaveLength(count);
    }
    expect(api.deps.publisher.published).toEqual([]);
  });

  it('is fetched however many forged messages wait for theirs, of which the oldest gives way', async () => {
    const certificate = createCertificate({ commonName: 'sns.amazonaws.com' });
    const waiting: (() => void)[] = [];
    const api = await start({
      certificate,
      answer: (request, response) => {
        if (request.url === CERTIFICATE_PATH) response.end(certificate.pem);
        else waiting.push(() => response.writeHead(404).end());
      },
    });
    const forge = (name: number) =>
      api.post(
        api.cloud.sign({
          SigningCertURL: CERTIFICATE_URL.replace(/-\w+\.pem/, `-${String(name).padStart(32, '0')}.pem`),
        }),
      );
    const forged = Array.from({ length: 64 }, (_, name) => forge(name));
    await expect.poll(() => waiting.length).toBe(64);
    expect(await api.post(api.cloud.sign())).toMatchObject({ status: 200 });
    expect(await forged[0]).toMatchObject({ status: 503, body: { code: 'SOURCE_UNAVAILABLE' } });
    for (const answer of waiting) answer();
    const statuses = (await Promise.all(forged)).map(({ status }) => status);
    expect(statuses).toEqual([503, ...Array(63).fill(401)]);
    expect(api.deps.publisher.published).toHaveLength(1);
  });

  it('stays known, however many others of SNS are named by messages that they do not prove', async () => {
    const [certificate, old] = [
      createCertificate({ commonName: 'sns.amazonaws.com' }),
      createCertificate({ commonName: 'sns.amazonaws.com' }),
    ];
    const api = await start({
      certificate,
      answer: ({ url }, response) => void response.end(url === CERTIFICATE_PATH ? certificate.pem : old.pem),
    });
    expect(await api.post(api.cloud.sign())).toMatchObject({ status: 200 });
    for (let name = 0; name < 12; name++) {
      const SigningCertURL = CERTIFICATE_URL.replace(/-\w+\.pem/, `-${String(name).padStart(32, '0')}.pem`);
      expect(await api.post(api.cloud.sign({ SigningCertURL }))).toMatchObject({ status: 401 });
    }
    const before = api.cloud.requests.length;
    expect(await api.post(api.cloud.sign())).toMatchObject({ status: 200 });
    expect(api.cloud.requests).toHaveLength(before);
  });

  it('with an unusual name is fetched from few addresses at the same time', async () => {
    const waiting: (() => void)[] = [];
    const api = await start({
      answer: (_, response) => void waiting.push(() => response.writeHead(404).end()),
    });
    const send = (name: number) =>
      api.post(api.cloud.sign({ SigningCertURL: CERTIFICATE_URL.replace(/-\w+\.pem/, `-${name}.pem`) }));
    const first = [1, 2, 3, 4].map(send);
    await expect.poll(() => waiting.length).toBe(4);
    expect(await send(5)).toMatchObject({ status: 503, body: { code: 'SOURCE_UNAVAILABLE' } });
    for (const answer of waiting) answer();
    expect((await Promise.all(first)).map(({ status }) => status)).toEqual([401, 401, 401, 401]);
  });
});

describe('a subscription', () => {
  const Type = 'SubscriptionConfirmation';

  it('to a topic of the configuration is confirmed', async () => {
    const api = await start();
    expect(await api.post(api.cloud.sign({ Type, Message: 'You have chosen to subscribe' }))).toMatchObject({
      status: 200,
      body: { subscription: 'confirmed', topicArn: TOPIC },
    });
    expect(api.cloud.requests).toEqual(
      [CERTIFICATE_URL, composeConfirmation(TOPIC)].map((url) => url.slice(8)),
    );
    expect(api.deps.publisher.published).toEqual([]);
    const log = api.logged.join('');
    expect(log).toContain('a subscription is confirmed');
    expect(log).not.toContain('a1b2c3');
  });

  it('to any other topic is not', async () => {
    const api = await start();
    expect(await api.post(api.cloud.sign({ Type, TopicArn: OTHER_TOPIC }))).toMatchObject({ status: 403 });
    expect(api.cloud.requests).toEqual([]);
  });

  it.each([
    'https://sns.us-east-1.amazonaws.com.evil.example/?Action=ConfirmSubscription',
    composeConfirmation(TOPIC).replace('https://', 'https://user:pass@'),
    composeConfirmation(TOPIC).replace('https:', 'http:'),
    composeConfirmation(TOPIC).replace('amazonaws.com', 'amazonaws.com:8443'),
    composeConfirmation(TOPIC).replace('ConfirmSubscription', 'Unsubscribe'),
    composeConfirmation(OTHER_TOPIC),
    'http://169.254.169.254/latest/meta-data',
  ])('that is confirmed at %s is not visited, though it is signed', async (SubscribeURL) => {
    const api = await start();
    expect(await api.post(api.cloud.sign({ Type, SubscribeURL }))).toMatchObject({
      status: 401,
      body: { detail: expect.stringMatching(/^body\.SubscribeURL: /) },
    });
    expect(api.cloud.requests).toEqual([CERTIFICATE_URL.slice(8)]);
  });

  it.each<[string, number, Record<string, string>]>([
    ['a redirect', 302, { location: 'http://127.0.0.1:1/' }],
    ['a failure', 500, {}],
    ['an expired token', 400, {}],
  ])('that SNS answers with %s is asked for again, and nothing is followed', async (_, status, headers) => {
    const certificate = createCertificate({ commonName: 'sns.amazonaws.com' });
    const api = await start({
      certificate,
      answer: (request, response) => {
        if (request.url?.endsWith('.pem')) response.end(certificate.pem);
        else response.writeHead(status, headers).end();
      },
    });
    expect(await api.post(api.cloud.sign({ Type }))).toMatchObject({
      status: 503,
      body: { code: 'SOURCE_UNAVAILABLE', detail: expect.stringContaining(`status ${status}`) },
    });
    expect(api.cloud.requests).toHaveLength(2);
  });

  it('that was ended is acknowledged and logged, and not started again', async () => {
    const api = await start();
    expect(await api.post(api.cloud.sign({ Type: 'UnsubscribeConfirmation' }))).toMatchObject({
      status: 200,
      body: { subscription: 'ended', topicArn: TOPIC },
    });
    expect(api.cloud.requests).toEqual([CERTIFICATE_URL.slice(8)]);
    expect(api.logged.join('')).toContain('a subscription has ended');
  });
});
