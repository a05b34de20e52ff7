import type { AddressInfo } from 'node:net';
import { getTestServer } from '@google-cloud/functions-framework/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type PubsubMessage, readPubsubEvent } from '../shared/core/kernel/pubsubEvent.ts';
import { createLogger } from '../shared/log.ts';
import { composeEventarcEvent, composePushBody } from '../test/support/pushEvents.ts';
import { registerTopicFunction } from './topicFunction.ts';

const TRACE = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const REQUEST_TRACE = '00-11111111111111111111111111111111-2222222222222222-01';
const received: PubsubMessage[] = [];
const logged: string[] = [];
const log = createLogger({}, { write: (line: string) => void logged.push(line) });

registerTopicFunction(
  'topicFunction',
  async (event) => {
    const reading = readPubsubEvent(event);
    if (!reading.ok) throw new Error(reading.failure.message);
    if (Buffer.from(reading.message.data).toString() === 'fail') throw new Error('refused for the test');
    received.push(reading.message);
  },
  log,
);
const server = getTestServer('topicFunction');
let url = '';

beforeAll(async () => {
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close().closeAllConnections());
beforeEach(() => {
  received.length = 0;
  logged.length = 0;
});

const post = (body: unknown, headers: Record<string, string> = { 'content-type': 'application/json' }) =>
  fetch(url, { method: 'POST', headers, body: typeof body === 'string' ? body : JSON.stringify(body) });

const message = { id: '42', data: 'pod is down', attributes: { chain: 'investigate' } };
const { data: eventData, ...eventContext } = composeEventarcEvent(message);
const binaryHeaders = Object.fromEntries(
  Object.entries(eventContext).map(([name, value]) => [
    name === 'datacontenttype' ? 'content-type' : `ce-${name}`,
    value,
  ]),
);

describe('a function of a topic', () => {
  it.each([
    ['a raw push', composePushBody(message), undefined],
    ['a CloudEvent in binary mode', eventData, binaryHeaders],
    [
      'a CloudEvent in structured mode',
      composeEventarcEvent(message),
      { 'content-type': 'application/cloudevents+json; charset=utf-8' },
    ],
  ])('handles %s and answers 204', async (_, body, headers) => {
    const response = await post({ deliveryAttempt: 3, ...(body as object) }, headers);
    expect(response.status).toBe(204);
    expect(received).toEqual([
      {
        messageId: '42',
        data: Buffer.from('pod is down'),
        attributes: { chain: 'investigate' },
        publishedAt: new Date('2026-11-05T10:20:30.123Z'),
        traceparent: null,
        deliveryAttempt: 'specversion' in (body as object) ? null : 3,
      },
    ]);
  });

  it('handles a push without data, and keeps the count of deliveries of a structured event', async () => {
    await post(composePushBody({ ...message, data: '' }));
    await post({
      ...composeEventarcEvent(message),
      data: { deliveryAttempt: 7, ...composePushBody(message) },
    });
    expect(received.map(({ data, deliveryAttempt }) => [data.length, deliveryAttempt])).toEqual([
      [0, null],
      [11, 7],
    ]);
  });

  it('takes the id of a binary CloudEvent from its header when the message has none', async () => {
    await post({ message: { data: '' } }, { ...binaryHeaders, 'ce-id': 'of-the-event' });
    expect(received[0]?.messageId).toBe('of-the-event');
  });

  it("prefers the trace of the message's attributes to the request's", async () => {
    const headers = { 'content-type': 'application/json', traceparent: REQUEST_TRACE };
    await post(composePushBody({ ...message, attributes: { traceparent: TRACE } }), headers);
    await post(composePushBody(message), headers);
    expect(received.map(({ traceparent }) => traceparent)).toEqual([TRACE, REQUEST_TRACE]);
  });

  it.each([
    ['JSON', '{"status":"firing"}', 'application/json'],
    ['text', 'pod is down', 'text/plain'],
    ['bytes', 'pod is down', 'application/octet-stream'],
    ['nothing', '', 'application/json'],
  ])(
    'answers 400 to an unwrapped push of %s, and logs how to set up the subscription',
    async (_, body, type) => {
      const response = await post(body, { 'content-type': type });
      expect(response.status).toBe(400);
      expect(received).toEqual([]);
      expect(logged.map((line) => JSON.parse(line) as object)).toEqual([
        expect.objectContaining({
          severity: 'ERROR',
          code: 'MESSAGE_MALFORMED',
          message: expect.stringContaining('--push-no-wrapper'),
        }),
      ]);
    },
  );

  it('answers 500 when the handler throws, with the error in the log and not in the answer', async () => {
    const printed = vi.spyOn(console, 'error').mockImplementation(() => {});
    const response = await post(composePushBody({ ...message, data: 'fail' }));
    expect([response.status, await response.text()]).toEqual([500, expect.not.stringContaining('refused')]);
    expect(printed.mock.calls.flat().join()).toContain('refused for the test');
    printed.mockRestore();
  });

  it.each(['GET', 'PUT', 'DELETE'])('answers 405 to %s', async (method) => {
    const response = await fetch(url, { method });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
    expect(received).toEqual([]);
  });
});
