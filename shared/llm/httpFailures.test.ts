import { describe, expect, it } from 'vitest';
import { connectionCode, durationMs, isFailedStatus, kindOfStatus, listCauses } from './httpFailures.ts';

describe('a status', () => {
  it.each([
    [400, 'bad_request'],
    [401, 'credentials'],
    [402, 'quota'],
    [403, 'credentials'],
    [404, 'unknown_model'],
    [408, 'unavailable'],
    [409, 'unavailable'],
    [413, 'bad_request'],
    [422, 'bad_request'],
    [429, 'rate_limit'],
    [499, 'bad_request'],
    [500, 'unavailable'],
    [529, 'unavailable'],
  ])('%i means %s', (status, kind) => {
    expect(kindOfStatus(status)).toBe(kind);
  });

  it('of a failure is a number from 400 to 599', () => {
    expect([399, 400, 599, 600, '503', undefined].map(isFailedStatus)).toEqual([
      false,
      true,
      true,
      false,
      false,
      false,
    ]);
  });
});

describe('the causes of an error', () => {
  const coded = (code: unknown, cause?: unknown) => Object.assign(new Error('x', { cause }), { code });

  it('are followed outermost first, and no further than five', () => {
    const inner = coded('ECONNREFUSED');
    expect(listCauses(new Error('x', { cause: inner }))).toHaveLength(2);
    const circle = new Error('x');
    circle.cause = circle;
    expect(listCauses(circle)).toHaveLength(5);
    expect(listCauses('text')).toEqual([]);
  });

  it('name a broken connection by the first code that counts', () => {
    const chain = listCauses(coded('ERR_INVALID_URL', coded(7, coded('ECONNREFUSED'))));
    expect(connectionCode(chain, /^E/)).toBe('ERR_INVALID_URL');
    expect(connectionCode(chain, /^E(?!RR_)/)).toBe('ECONNREFUSED');
    expect(connectionCode(chain, /^UND_/)).toBeUndefined();
  });
});

describe('a duration', () => {
  it.each([
    ['48.9s', 48_900],
    ['1h2m3s', 3_723_000],
    ['250ms', 250],
    ['0.0001s', 1],
    ['soon', undefined],
  ])('%s is %s ms', (text, expected) => {
    expect(durationMs(text)).toBe(expected);
  });
});
