// The proofs of webhooks, at their limits.

import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { Problem } from '../http/problem.ts';
import type { UnverifiedRequest, VerifyWebhook } from '../http/webhook.ts';
import { identifyDelivery } from './deliveryId.ts';
import { checkAge, checkUnixAge } from './replayProtection.ts';
import { verifySecret } from './sharedSecret.ts';
import {
  verifyFlux,
  verifyGitlab,
  verifyGrafana,
  verifyHmac,
  verifyPagerDuty,
  verifySentry,
} from './signatures.ts';
import { composeSnsAlert, readSnsMessage, signedText } from './snsMessage.ts';
import { certificateUrl, confirmationUrl } from './snsUrl.ts';
import { verifySlack } from './verifySlack.ts';

const now = new Date('2026-11-05T10:00:00Z');
const seconds = now.getTime() / 1_000;
const BODY = Buffer.from('{"title":"Disk full"}');
const sign = (prefix = '', secret = 'new', algorithm = 'sha256') =>
  createHmac(algorithm, secret).update(prefix).update(BODY).digest('hex');
const request = (headers: Record<string, string>): UnverifiedRequest => ({
  headers: new Headers(headers),
  body: async () => BODY,
});

/** The answer to a request: `accepted`, or the code and the detail of its problem. */
async function answer(work: () => unknown): Promise<string> {
  try {
    await work();
    return 'accepted';
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return `${error.code} ${error.message}`;
  }
}

describe('the time of a request', () => {
  it.each([
    [300_000, undefined, 'accepted'],
    [300_001, undefined, 'SIGNATURE_INVALID here: is more than 5 minutes old'],
    [-300_000, undefined, 'accepted'],
    [-300_001, undefined, 'SIGNATURE_INVALID here: is more than 5 minutes ahead of our clock'],
    [3_600_000, 3_600_000, 'accepted'],
    [3_600_001, 3_600_000, 'SIGNATURE_INVALID here: is more than 60 minutes old'],
    [-300_001, 3_600_000, 'SIGNATURE_INVALID here: is more than 5 minutes ahead of our clock'],
  ])('%i ms before now, of at most %j, is %s', async (ageMs, maxAgeMs, expected) => {
    const sent = new Date(now.getTime() - ageMs);
    expect(await answer(() => checkAge(sent, now, 'here', maxAgeMs))).toBe(expected);
  });

  it.each([
    [`${seconds}`, 'accepted'],
    [`${seconds - 300}`, 'accepted'],
    [`${seconds - 301}`, 'SIGNATURE_INVALID header X-Time: is more than 5 minutes old'],
    [`${seconds}000000`, 'SIGNATURE_INVALID header X-Time: must be seconds since 1970'],
    [`-${seconds}`, 'SIGNATURE_INVALID header X-Time: must be seconds since 1970'],
    ['', 'SIGNATURE_INVALID header X-Time: must be seconds since 1970'],
  ])('%j is %s', async (text, expected) => {
    expect(await answer(() => checkUnixAge(text, now, 'X-Time'))).toBe(expected);
  });
});

describe('a proof', () => {
  const sha512 = verifyHmac({ header: 'X-Sig', algorithm: 'sha512' });
  const prefixed = verifyHmac({ header: 'X-Sig', hasPrefix: true });
  const bearer = (text: string) => ({ Authorization: text });
  const basic = (text: string) => bearer(`Basic ${btoa(text)}`);
  const inGrafana = 'X-Grafana-Alerting-Signature';
  const timeOf = (time: number | string) => ({ 'X-Grafana-Alerting-Timestamp': String(time) });
  const grafana = (time: number) => ({ [inGrafana]: sign(`${time}:`), ...timeOf(time) });
  const signed: VerifyWebhook = (one, settings, context) =>
    verifyGrafana(one, { ...settings, signsTime: true }, context);

  it.each<[string, VerifyWebhook, Record<string, string>, RegExp]>([
    ['PagerDuty', verifyPagerDuty, { 'X-PagerDuty-Signature': `v0=1, v1=${sign('', 'old')}` }, /^accepted/],
    [
      'PagerDuty',
      verifyPagerDuty,
      { 'X-PagerDuty-Signature': `v2=${sign()}` },
      /X-PagerDuty-Signature: is missing/,
    ],
    ['PagerDuty', verifyPagerDuty, { 'X-PagerDuty-Signature': `v1=${sign('', 'x')}` }, /does not match/],
    ['Sentry', verifySentry, { 'Sentry-Hook-Signature': sign() }, /^accepted/],
    [
      'Sentry',
      verifySentry,
      { 'Sentry-Hook-Signature': sign(), 'Sentry-Hook-Timestamp': '7' },
      /minutes old/,
    ],
    ['a list', sha512, { 'X-Sig': sign('', 'new', 'sha512') }, /^accepted/],
    ['a list', sha512, { 'X-Sig': sign() }, /must hold the 128 hexadecimal digits of an HMAC with SHA-512/],
    ['a prefix', prefixed, { 'X-Sig': `sha256=${sign()}` }, /^accepted/],
    ['a prefix', prefixed, { 'X-Sig': sign().toUpperCase() }, /must hold the 64 hexadecimal digits/],
    ['no prefix', verifyHmac({ header: 'X-Sig' }), { 'X-Sig': `sha256=${sign()}` }, /must hold the 64/],
    ['GitLab', verifyGitlab, { 'X-Gitlab-Token': ' old ' }, /^accepted/],
    ['GitLab', verifyGitlab, { 'X-Gitlab-Token': ' ' }, /is missing; enter the secret as Secret token/],
    ['GitLab', verifyGitlab, { 'X-Gitlab-Token': 'x' }, /the secret does not match/],
    ['Flux', verifyFlux, { 'X-Signature': `sha256=${sign()}` }, /^accepted/],
    ['Flux', verifyFlux, { 'X-Signature': sign('', 'x'), ...bearer('Bearer new') }, /does not match/],
    ['Flux', verifyFlux, bearer('Bearer new'), /^accepted/],
    ['Grafana', verifyGrafana, bearer('Bearer new'), /^accepted/],
    ['Grafana', verifyGrafana, { [inGrafana]: sign(), ...timeOf('x') }, /^accepted/],
    ['Grafana', verifyGrafana, grafana(seconds), /does not match/],
    ['Grafana with time', signed, grafana(seconds), /^accepted/],
    ['Grafana with time', signed, grafana(seconds - 301), /Timestamp: is more than 5 minutes old/],
    ['Grafana with time', signed, { ...grafana(seconds), ...timeOf(seconds - 1) }, /does not match/],
    ['Grafana with time', signed, { [inGrafana]: sign() }, /Timestamp: is missing/],
    ['Grafana with time', signed, bearer('Bearer new'), /^accepted/],
    ['a secret', verifySecret, bearer('bearer  old'), /^accepted/],
    ['a secret', verifySecret, basic('ada:new'), /^accepted/],
    ['a secret', verifySecret, basic('new'), /is missing/],
    ['a secret', verifySecret, basic('new:x'), /does not match/],
    ['a secret', verifySecret, bearer('new'), /is missing/],
    ['a secret', verifySecret, bearer('Digest new'), /is missing/],
  ])('of %s %# has its answer', async (_, verify, headers, expected) => {
    const settings = {
      secrets: ['new', 'old'],
      topics: [],
      signsTime: false,
    } as unknown as Parameters<VerifyWebhook>[1];
    const context = { now } as Parameters<VerifyWebhook>[2];
    expect(await answer(() => verify(request(headers), settings, context))).toMatch(expected);
  });

  it.each<[Record<string, string>, Record<string, string>, string | string[]]>([
    [{ 'X-Slack-Signature': `v0=${sign(`v0:${seconds}:`)}` }, { a: 'old', b: 'new', c: 'new' }, ['b', 'c']],
    [{ 'X-Slack-Signature': `v0=${sign(`v0:${seconds}:`)}` }, { a: 'old' }, 'does not match'],
    [{ 'X-Slack-Signature': sign(`v0:${seconds}:`) }, { a: 'new' }, 'must be v0= and 64'],
    [{}, { a: 'new' }, 'must be v0= and 64'],
    [{}, {}, 'buttons are off'],
  ])('of Slack %# names the destinations whose app signed', async (headers, secrets, expected) => {
    const sent = request({ 'X-Slack-Request-Timestamp': String(seconds), ...headers });
    if (typeof expected === 'string')
      expect(await answer(() => verifySlack(sent, secrets, now))).toContain(expected);
    else expect(await verifySlack(sent, secrets, now)).toEqual(expected);
  });
});

describe('a message of SNS', () => {
  const topic = 'arn:aws:sns:eu-west-1:123456789012:alarms';
  const common = {
    ...{ MessageId: 'm-1', TopicArn: topic, Message: 'Disk\nfull', Timestamp: '2026-11-05T10:00:00.000Z' },
    ...{
      SignatureVersion: '2',
      Signature: 'c2ln',
      SigningCertURL: 'https://sns.eu-west-1.amazonaws.com/c.pem',
    },
  };
  const message = (change: object) => readSnsMessage(Buffer.from(JSON.stringify({ ...common, ...change })));
  const confirmation = { Type: 'SubscriptionConfirmation', Token: 't', SubscribeURL: 'https://a.example/' };

  it('is signed by its fields in the order of their names', () => {
    expect(signedText(message({ Type: 'Notification', Subject: 'Alarm' }))).toBe(
      `Message\nDisk\nfull\nMessageId\nm-1\nSubject\nAlarm\nTimestamp\n${common.Timestamp}\nTopicArn\n${topic}\nType\nNotification\n`,
    );
    expect(signedText(message({ Type: 'Notification', Subject: null }))).not.toContain('Subject');
    expect(signedText(message(confirmation))).toBe(
      `Message\nDisk\nfull\nMessageId\nm-1\nSubscribeURL\nhttps://a.example/\nTimestamp\n${common.Timestamp}\nToken\nt\nTopicArn\n${topic}\nType\nSubscriptionConfirmation\n`,
    );
  });

  it('is an alert without the fields that are not signed', () => {
    const sent = message({ Type: 'Notification', Subject: 'Alarm', UnsubscribeURL: 'https://a.example/' });
    expect(JSON.parse(composeSnsAlert(sent).toString())).toEqual({
      ...{ Type: 'Notification', MessageId: 'm-1', TopicArn: topic, Subject: 'Alarm' },
      ...{ Message: 'Disk\nfull', Timestamp: common.Timestamp },
    });
  });

  it.each([
    ['raw', '{}', { 'x-amz-sns-rawdelivery': 'true' }, 'is a raw message without a signature'],
    ['no JSON', '{', {}, 'body: is not JSON'],
    [
      'of two lines',
      JSON.stringify({ ...common, Type: 'Notification', MessageId: 'a\nb' }),
      {},
      'body.MessageId: must be one line',
    ],
    [
      'of no topic',
      JSON.stringify({ ...common, Type: 'Notification', TopicArn: 'a' }),
      {},
      'body.TopicArn: must be the ARN',
    ],
  ])('is refused: %s', async (_, body, headers, expected) => {
    const read = () => readSnsMessage(Buffer.from(body), new Headers(headers as Record<string, string>));
    expect(await answer(read)).toContain(expected);
  });

  const host = 'https://sns.eu-west-1.amazonaws.com';
  const file = `/SimpleNotificationService-${'a'.repeat(32)}.pem`;
  const confirm = `${host}/?Action=ConfirmSubscription&TopicArn=${topic}&Token=t`;
  it.each([
    [certificateUrl, `${host}${file}`, 'accepted'],
    [certificateUrl, `${host}${file}?a=b`, 'is not the address of a certificate'],
    [certificateUrl, `${host}/a${file}`, 'is not the address of a certificate'],
    [certificateUrl, `http://sns.eu-west-1.amazonaws.com${file}`, `must be ${host}/…`],
    [certificateUrl, `https://sns.us-east-1.amazonaws.com${file}`, `must be ${host}/…`],
    [certificateUrl, `https://a@sns.eu-west-1.amazonaws.com${file}`, `must be ${host}/…`],
    [certificateUrl, `https://:b@sns.eu-west-1.amazonaws.com${file}`, `must be ${host}/…`],
    [certificateUrl, `${host}${file}#a`, `must be ${host}/…`],
    [certificateUrl, 'nowhere', `must be ${host}/…`],
    [confirmationUrl, confirm, 'accepted'],
    [confirmationUrl, confirm.replace('Confirm', 'Delete'), 'does not confirm a subscription'],
    [confirmationUrl, confirm.replace('alarms', 'other'), 'does not confirm a subscription'],
  ])('%# has an address that is %s', async (read, text, expected) => {
    expect(await answer(() => read(text, topic))).toContain(expected);
  });

  it('of China has its own host', () => {
    const china = topic.replace('arn:aws', 'arn:aws-cn').replace('eu-west-1', 'cn-north-1');
    expect(certificateUrl(`https://sns.cn-north-1.amazonaws.com.cn${file}`, china).pathname).toBe(file);
  });
});

describe('the delivery of a webhook', () => {
  const identify = (
    source: Parameters<typeof identifyDelivery>[0],
    body: object,
    headers: Record<string, string> = {},
    signsTime = false,
  ) =>
    identifyDelivery(
      source,
      { headers: new Headers(headers), body: Buffer.from(JSON.stringify(body)) } as never,
      { signsTime } as never,
    );
  const sent = { 'X-Grafana-Alerting-Signature': 'a', 'X-Grafana-Alerting-Timestamp': '1' };
  const later = { ...sent, 'X-Grafana-Alerting-Timestamp': '2' };

  it('is one by the id of PagerDuty, whatever else its body has', () => {
    const one = identify('pagerduty', { event: { id: 'e-1', a: 1 } });
    expect(one).toEqual(identify('pagerduty', { event: { id: 'e-1', a: 2 } }));
    expect(one?.windowMs).toBe(Number.POSITIVE_INFINITY);
    expect(one).not.toEqual(identify('pagerduty', { event: { id: 'e-2', a: 1 } }));
    expect(identify('pagerduty', { a: 1 })).not.toEqual(identify('pagerduty', { a: 2 }));
  });

  it('is one by the signed time of Grafana, or else by the body for five minutes', () => {
    expect(identify('grafana', {}, sent, true)?.id).not.toBe(identify('grafana', {}, later, true)?.id);
    expect(identify('grafana', {}, sent, true)?.windowMs).toBe(Number.POSITIVE_INFINITY);
    expect(identify('grafana', {}, sent)).toEqual(identify('grafana', {}, later));
    expect(identify('grafana', {}, sent)?.windowMs).toBe(300_000);
    expect(identify('grafana', {}, {}, true)?.windowMs).toBe(300_000);
  });

  it('is one by its body and source', () => {
    expect(identify('sentry', {})?.windowMs).toBe(Number.POSITIVE_INFINITY);
    expect(identify('generic', {})?.windowMs).toBe(300_000);
    expect(identify('generic', {})?.id).not.toBe(identify('generic', { a: 1 })?.id);
    expect(identify('generic', {})?.id).not.toBe(identify('alertmanager', {})?.id);
  });
});
