import { describe, expect, it } from 'vitest';
import { payloadOf } from '../../test/alerts/payloads.ts';
import { createMasker } from '../masking/masker.ts';
import { MAX_ALERT_BYTES } from './decodeAlert.ts';
import { readAlert } from './index.ts';
import { decodeBase64, removeEnvelopes } from './removeEnvelopes.ts';

const masker = createMasker({});
const alert = JSON.parse(payloadOf('pagerduty.webhook.firing.json').toString());
const base64 = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64');

function read(body: unknown, attributes = {}) {
  const data = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  const reading = readAlert(data, masker, { attributes });
  if (!reading.ok) throw new Error(reading.failure.message);
  return reading;
}

const push = {
  message: {
    data: base64(alert),
    messageId: '1',
    attributes: { env: 'prod' },
    publishTime: '2026-11-20T09:14:03Z',
  },
  subscription: 'projects/p/subscriptions/s',
  deliveryAttempt: 2,
};

describe('an alert is read in', () => {
  it.each<[string, unknown, string[]]>([
    ['a push message', push, ['base64', 'Pub/Sub message']],
    [
      'a push message without its subscription and its id',
      { message: { data: base64(alert) } },
      ['base64', 'Pub/Sub message'],
    ],
    [
      'a push message with an ordering key and nothing else',
      { message: { data: base64(alert), orderingKey: 'k' } },
      ['base64', 'Pub/Sub message'],
    ],
    [
      'a push message without its id',
      { message: { data: base64(alert), attributes: {} }, subscription: 's' },
      ['base64', 'Pub/Sub message'],
    ],
    [
      'a message without the envelope of a push',
      { messageId: '1', data: base64(alert) },
      ['base64', 'Pub/Sub message'],
    ],
    ['a message whose data is no base64', { message: { data: alert } }, ['Pub/Sub message']],
    [
      'a message of a pull',
      { receivedMessages: [{ ackId: 'a', message: push.message }] },
      ['base64', 'Pub/Sub pull', 'Pub/Sub message'],
    ],
    ['a CloudEvent', { specversion: '1.0', id: '1', type: 't', source: 's', data: alert }, ['CloudEvent']],
    [
      'a CloudEvent in base64',
      { specversion: '1.0', id: '1', type: 't', source: 's', data_base64: base64(alert) },
      ['base64', 'CloudEvent'],
    ],
    [
      'a CloudEvent with a push message',
      { specversion: '1.0', id: '1', type: 't', source: 's', data: push },
      ['base64', 'CloudEvent', 'Pub/Sub message'],
    ],
    [
      'a request of a gateway',
      { headers: { 'X-PagerDuty-Signature': 'v1=0' }, body: JSON.stringify(alert) },
      ['HTTP request', 'JSON in text'],
    ],
    [
      'a request in base64',
      { headers: {}, body: base64(alert), isBase64Encoded: true },
      ['base64', 'HTTP request'],
    ],
    ['JSON in a JSON string', JSON.stringify(JSON.stringify(alert)), ['JSON in text']],
    ['base64', base64(alert), ['base64']],
    ['base64 of base64 with a line break', base64(`${base64(alert)}\n`), ['base64']],
    ['base64 in a JSON string', JSON.stringify(base64(alert)), ['base64']],
    ['base64 in lines', base64(alert).replace(/.{64}/g, '$&\n'), ['base64']],
    ['base64 of a push message', base64(push), ['base64', 'Pub/Sub message']],
    ['a field of a form', `payload=${encodeURIComponent(JSON.stringify(alert))}`, ['form field payload']],
    [
      'a list of one record of SQS',
      { Records: [{ eventSource: 'aws:sqs', body: JSON.stringify(alert) }] },
      ['list of one record', 'SQS message', 'JSON in text'],
    ],
    [
      'an answer of SQS',
      { Messages: [{ MD5OfBody: 'x', Body: JSON.stringify(alert) }] },
      ['list of one record', 'SQS message', 'JSON in text'],
    ],
    [
      'a record of SQS without its source',
      { receiptHandle: 'r', body: JSON.stringify(alert) },
      ['SQS message', 'JSON in text'],
    ],
    [
      'a notification of SNS',
      { Type: 'Notification', TopicArn: 't', Message: JSON.stringify(alert) },
      ['SNS notification'],
    ],
  ])('%s', (_, body, envelopes) => {
    const reading = read(body);
    expect(reading.alert).toMatchObject({ source: 'pagerduty', identity: 'PGR0VU2' });
    expect(reading.trace.envelopes).toEqual(envelopes);
  });

  it('text in a push message, whose first line is the title', () => {
    const text = { ...push, message: { ...push.message, data: base64('Disk of db-7 is full\nsince noon') } };
    expect(read(text).alert.title).toBe('Disk of db-7 is full');
    expect(read(text).body).toContain('since noon');
  });

  it('records of several alerts, each by the adapter of its source', () => {
    const Records = ['firing', 'resolved'].map((status) => ({
      eventSource: 'aws:sqs',
      body: payloadOf(`aws.sns.${status}.json`).toString(),
    }));
    expect(read({ Records }).alert).toMatchObject({
      source: 'aws',
      title: 'checkout-5xx (1 firing, 1 resolved)',
      status: 'firing',
      members: [{ status: 'firing' }, { status: 'resolved' }],
    });
  });
});

describe('text that was in base64', () => {
  it('stands decoded in the body, and is read the same again', () => {
    const { alert: first, body } = read(push);
    expect(JSON.parse(body)).toEqual({ ...push, message: { ...push.message, data: alert } });
    const again = read(body).alert;
    expect(again).toEqual({ ...first, bodyBytes: again.bodyBytes });
  });

  it('is masked', () => {
    const secret = `ghp_${'a1B2'.repeat(9)}`;
    const { body, alert: masked } = read({
      ...push,
      message: { ...push.message, data: base64({ title: secret }) },
    });
    expect(body + masked.title).not.toContain(secret);
    expect(masked.masked).toBe(1);
  });

  it.each([
    ['a word', { message: { data: 'disk' } }],
    ['a message that is no base64', { message: { data: '%%%', messageId: '1' } }],
    ['text with control characters', { message: { data: base64('Disk\u0001full'), messageId: '1' } }],
    [
      'bytes that are no text',
      { message: { data: Buffer.of(1, 0xff, 0xfe, 0).toString('base64'), messageId: '1' } },
    ],
  ])('stays unchanged: %s', (_, body) => {
    expect(JSON.parse(read(body).body)).toEqual(body);
  });
});

describe('envelopes', () => {
  it.each<[string, unknown]>([
    ['a message beside other fields', { message: { data: 'x' }, title: 'Disk' }],
    ['two messages of a pull', { receivedMessages: [{ message: { data: 'x' } }, { message: {} }] }],
    ['`data` beside other fields', { data: { title: 'Disk' }, status: 'firing' }],
    ['`data` that is a word', { data: 'disk' }],
    ['a CloudEvent without a type', { specversion: '1.0', source: 's', data: { title: 'Disk' } }],
    ['headers without a body', { headers: { a: 'b' }, title: 'Disk' }],
    ['an alert with headers and body', { headers: {}, body: '{}', alerts: [] }],
    ['`Sns` without a source of events', { Sns: { Message: 'x' } }],
    ['a body without a field of SQS', { body: '{"title":"Disk"}' }],
    ['a Body without a field of SQS', { Body: '{"title":"Disk"}' }],
    ['two records', { Records: [{ a: 1 }, { a: 2 }] }],
    ['a notification of SNS with text', { TopicArn: 't', Message: 'Disk full' }],
    ['a confirmation of SNS', { TopicArn: 't', Message: '{}', Type: 'SubscriptionConfirmation' }],
    ['a form with two fields', `payload=${encodeURIComponent('{}')}&a=b`],
    ['a form of broken characters', 'payload=%E0%A4%A'],
  ])('are none: %s', (_, payload) => {
    expect(removeEnvelopes(payload)).toEqual({ payload, attributes: {}, envelopes: [] });
  });

  it('are none around an object of more than 200 keys', () => {
    const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, 1]));
    const wrap = (count: number) => ({ headers: {}, body: '{"a":1}', ...keys(count - 2) });
    expect(removeEnvelopes(wrap(200)).envelopes).toEqual(['HTTP request', 'JSON in text']);
    expect(removeEnvelopes(wrap(201)).envelopes).toEqual([]);
  });

  it('give their attributes and headers, the innermost first', () => {
    const request = { headers: { 'Sentry-Hook-Resource': 'issue', env: 'inner' }, body: '{}' };
    const envelope = {
      message: { data: request, messageId: '1', attributes: { env: 'outer', a: '1' } },
      subscription: 's',
    };
    expect(removeEnvelopes(envelope, { b: '2' }).attributes).toEqual({
      b: '2',
      env: 'inner',
      a: '1',
      'sentry-hook-resource': 'issue',
    });
  });

  it('are not taken off without end', () => {
    let nested: unknown = alert;
    for (let depth = 0; depth < 50; depth++)
      nested = { specversion: '1.0', type: 't', source: 's', data: nested };
    expect(removeEnvelopes(nested).envelopes).toHaveLength(8);
    let text = JSON.stringify(alert);
    for (let depth = 0; depth < 50 && text.length < MAX_ALERT_BYTES / 2; depth++) text = base64(text);
    expect(read(text).alert.title).toBeDefined();
  });

  it('keep at most 100 attributes', () => {
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`a${n}`, 'x']));
    expect(
      Object.keys(removeEnvelopes({ headers: many, body: '{}' }, { first: '1' }).attributes),
    ).toHaveLength(100);
  });
});

describe('base64 where no envelope announces it', () => {
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  const alert = JSON.stringify({ title: 'Disk full', password: 'zebra-mountain-77' });

  it.each<[string, string]>([
    ['in `data`', JSON.stringify({ data: base64(alert) })],
    ['in `data` with attributes', JSON.stringify({ data: base64(alert), attributes: { a: 'b' } })],
    ['in base64', base64(base64(alert))],
    ['in base64 in a message', JSON.stringify({ message: { data: base64(base64(alert)), messageId: '1' } })],
    ['in `data` in base64', base64(JSON.stringify({ data: base64(alert) }))],
  ])('%s is decoded before it is masked', (_, body) => {
    const reading = readAlert(Buffer.from(body), createMasker({}));
    if (!reading.ok) throw new Error(reading.failure.message);
    expect(reading.alert.title).toBe('Disk full');
    expect(reading.body).toContain('Disk full');
    expect(reading.body).not.toContain('zebra-mountain-77');
  });

  it('is not looked for in single words', () => {
    const body = { title: 'Disk', data: 'diskfailureondb7x' };
    expect(decodeBase64(body, JSON.stringify(body))).toBeUndefined();
  });
});
