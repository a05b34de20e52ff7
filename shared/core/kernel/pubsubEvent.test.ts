import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { composeEventarcEvent, composePushBody, PUBLISH_TIME } from '../../../test/support/pushEvents.ts';
import { readPubsubEvent } from './pubsubEvent.ts';

const TRACE = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const message = { id: '42', data: '{"status":"firing"}', attributes: { chain: 'investigate' } };

/** The message of an event that is one. */
function read(event: unknown) {
  const reading = readPubsubEvent(event);
  if (!reading.ok) throw new Error(reading.failure.message);
  return { ...reading.message, data: Buffer.from(reading.message.data).toString() };
}
/** What is wrong with an event that is none. */
function fault(event: unknown): string {
  const reading = readPubsubEvent(event);
  if (reading.ok) throw new Error('it was accepted');
  expect(reading.failure.code).toBe('MESSAGE_MALFORMED');
  return reading.failure.message;
}

describe('readPubsubEvent', () => {
  const expected = {
    messageId: '42',
    data: message.data,
    attributes: message.attributes,
    publishedAt: new Date(PUBLISH_TIME),
    traceparent: null,
    deliveryAttempt: null,
  };

  it.each([
    ["Eventarc's CloudEvent", composeEventarcEvent(message)],
    ['raw push', composePushBody(message)],
  ])('reads %s', (_, event) => {
    expect(read(event)).toEqual(expected);
  });

  it('reads raw push without data', () => {
    expect(read(composePushBody({ ...message, data: '' }))).toEqual({ ...expected, data: '' });
  });

  it.each([
    [{ publishTime: '2026-11-05T10:20:30Z' }, new Date('2026-11-05T10:20:30Z')],
    [{ publish_time: '2026-11-05T10:20:30.123456789Z' }, new Date('2026-11-05T10:20:30.123Z')],
    [{ publishTime: 'yesterday' }, null],
    [{ publishTime: 7 }, null],
    [{}, null],
  ])('reads when it was published, if the event has it: %j', (times, publishedAt) => {
    expect(read({ message: { messageId: '1', ...times } }).publishedAt).toEqual(publishedAt);
  });

  it('reads an id in its older spelling, or that of the event', () => {
    expect(read({ message: { message_id: '7', data: '' } }).messageId).toBe('7');
    expect(read({ id: '8', data: { message: { data: '' } } }).messageId).toBe('8');
  });

  it('reads data in both alphabets of base64, with or without padding', () => {
    for (const data of ['Pz8/', 'Pz8_', 'YQ==', 'YQ']) {
      expect(read({ message: { messageId: '1', data } }).data).toBe(Buffer.from(data, 'base64').toString());
    }
  });

  it.each([
    [{ deliveryAttempt: 3 }, 3],
    [{}, null],
    [{ deliveryAttempt: 0 }, null],
    [{ deliveryAttempt: 'many' }, null],
  ])('reads the count of deliveries beside the message: %j', (count, expectedCount) => {
    const body = { ...composePushBody(message), ...count };
    expect(read(body).deliveryAttempt).toBe(expectedCount);
    expect(read({ ...composeEventarcEvent(message), data: body }).deliveryAttempt).toBe(expectedCount);
  });

  it('reads attributes that are absent or null as none', () => {
    expect(read({ message: { messageId: '1' } }).attributes).toEqual({});
    expect(read({ message: { messageId: '1', attributes: null } }).attributes).toEqual({});
  });

  it('takes the first valid trace of the attributes and the event', () => {
    const withAttribute = { ...message, attributes: { traceparent: TRACE } };
    expect(read(composeEventarcEvent(withAttribute)).traceparent).toBe(TRACE);
    const other = TRACE.replace('0af7', '1bf7');
    expect(read({ ...composeEventarcEvent(withAttribute), traceparent: other }).traceparent).toBe(TRACE);
    expect(read({ ...composeEventarcEvent(message), traceparent: other }).traceparent).toBe(other);
    const withInvalid = composeEventarcEvent({ ...message, attributes: { traceparent: 'x\ny' } });
    expect(read(withInvalid).traceparent).toBeNull();
    expect(read({ ...withInvalid, traceparent: other }).traceparent).toBe(other);
  });

  it.each<[unknown, string]>([
    [undefined, 'data: '],
    [null, 'data: '],
    ['text', 'data: '],
    [[], 'data: '],
    [{}, 'data: '],
    [{ id: '1', data: {} }, 'message: '],
    [{ message: 7 }, 'message: '],
    [{ message: { messageId: 7 } }, 'message.messageId: '],
    [{ message: { data: 'YQ==' } }, 'message.messageId: missing'],
    [{ message: { messageId: '1', data: 7 } }, 'message.data: '],
    [{ message: { messageId: '1', data: '{}' } }, 'message.data: not base64'],
    [{ message: { messageId: '1', attributes: { a: 1 } } }, 'message.attributes.a: '],
  ])('names the fault of %j', (event, detail) => {
    expect(fault(event)).toContain(`not a Pub/Sub message: ${detail}`);
  });

  it('never throws, whatever it is given', () => {
    const near = fc.record(
      {
        id: fc.anything(),
        data: fc.anything(),
        traceparent: fc.anything(),
        message: fc.oneof(
          fc.anything(),
          fc.record(
            {
              data: fc.anything(),
              messageId: fc.anything(),
              message_id: fc.anything(),
              attributes: fc.anything(),
            },
            { requiredKeys: [] },
          ),
        ),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.oneof(fc.anything(), near), (event) => {
        const reading = readPubsubEvent(event);
        expect(reading.ok ? reading.message.messageId : reading.failure.message).not.toBe('');
      }),
    );
  });
});
