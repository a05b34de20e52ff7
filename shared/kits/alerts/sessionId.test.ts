import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { iterationMessageSchema } from '../../core/schema/iterationMessage.ts';
import { createMasker } from '../../masking/masker.ts';
import { deriveAlertKey, deriveSessionId, deriveTraceparent, ID_DIGITS } from './sessionId.ts';

const data = Buffer.from('{"status":"firing"}');
const key = deriveAlertKey({ messageId: '42', data });
const publishedAt = new Date('2026-11-22T23:59:59.999Z');
const idOf = (title: string) => deriveSessionId({ title, publishedAt, key: '3f2a1c'.padEnd(64, '0') });

describe('the key of an alert', () => {
  it('is the same for every delivery of a message, and different for others', () => {
    expect(deriveAlertKey({ messageId: '42', data: Buffer.from(data) })).toBe(key);
    expect(deriveAlertKey({ messageId: '43', data })).not.toBe(key);
    // Message ids repeat when an emulator starts anew.
    expect(deriveAlertKey({ messageId: '42', data: Buffer.from('{}') })).not.toBe(key);
    // Nothing moves from the id to the data.
    expect(deriveAlertKey({ messageId: '4', data: Buffer.from(`2${data}`) })).not.toBe(key);
  });

  it('gives an alert without a trace one that is not sampled', () => {
    const message = { messageId: '42', data, traceparent: null };
    expect(deriveTraceparent(message)).toBe(`00-${key.slice(0, 32)}-${key.slice(32, 48)}-00`);
    expect(deriveTraceparent({ ...message, traceparent: 'its own' })).toBe('its own');
  });
});

describe('the id of a session', () => {
  it.each([
    ['checkout slow: p99', '2026-11-22-checkout-slow-p99-3f2a1c'],
    ['Prüfung für ＡＢＣ', '2026-11-22-prufung-fur-abc-3f2a1c'],
    ['  ../../etc/passwd\u202e\n', '2026-11-22-etc-passwd-3f2a1c'],
    ['', '2026-11-22-alert-3f2a1c'],
    ['支付服务', '2026-11-22-alert-3f2a1c'],
    ['KubePodCrashLooping in shop/checkout', '2026-11-22-kubepodcrashlooping-in-shop-3f2a1c'],
    ['x'.repeat(200), `2026-11-22-${'x'.repeat(32)}-3f2a1c`],
  ])('has the day and the words of the title: %j', (title, id) => {
    expect(idOf(title)).toBe(id);
  });

  it('holds neither a secret nor the mark in its place, whole or cut', () => {
    const secret = 'ghp_0123456789abcdefghijABCDEFGHIJ012345';
    const { text } = createMasker({ sessionKey: '0'.repeat(32) }).mask(`push with ${secret} fails`);
    expect(text).toContain('[masked:');
    expect(idOf(text)).toBe('2026-11-22-push-with-fails-3f2a1c');
    expect(idOf('push with [masked:github-tok')).toBe('2026-11-22-push-with-3f2a1c');
  });

  it('has more digits of the key where another session has the shorter id', () => {
    expect(ID_DIGITS.map((digits) => deriveSessionId({ title: 'a', publishedAt, key }, digits))).toEqual([
      `2026-11-22-a-${key.slice(0, 6)}`,
      `2026-11-22-a-${key.slice(0, 16)}`,
    ]);
  });

  it('is short, of small letters, digits and hyphens, whatever the title is, and fits a message', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (title) => {
        const sessionId = idOf(title);
        expect(sessionId).toMatch(/^2026-11-22-[a-z0-9]+(-[a-z0-9]+)*-3f2a1c$/);
        expect(sessionId.length).toBeLessThanOrEqual(50);
        const message = { schemaVersion: 1, sessionId, executionId: '01-a', iteration: 1 };
        expect(iterationMessageSchema.parse(message)).toEqual(message);
      }),
    );
  });
});
