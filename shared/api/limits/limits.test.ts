// The limits of one instance, and what a refused request is told.

import { describe, expect, it } from 'vitest';
import { createTestClock } from '../../../test/support/testClock.ts';
import { type InquestError, RetryableError, TerminalError } from '../../core/errors.ts';
import { alertAttributes } from '../http/alertAttributes.ts';
import { findFirstDay } from '../http/lastDays.ts';
import { notSteered } from '../http/notSteered.ts';
import { isForLog, Problem, parseProblemBody, problemDetails } from '../http/problem.ts';
import { AddressGate } from './addressRateLimit.ts';
import { ExpiringSet } from './expiringSet.ts';
import { countRequest, perMinute, tooMany } from './rateLimit.ts';
import { OpenStreams, whenSent } from './streamLimit.ts';

const refusal = async (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => (error instanceof Problem ? error.message : String(error)),
  );

it('a set forgets its entries after their time, and the oldest above its size', () => {
  const clock = createTestClock();
  const set = new ExpiringSet({ max: 2, ms: 1_000, now: () => clock.now() });
  for (const key of ['a', 'b', 'a', 'c']) set.add(key);
  expect(['a', 'b', 'c'].map((key) => set.has(key))).toEqual([true, false, true]);
  set.delete('c');
  expect(set.has('c')).toBe(false);
  clock.advance(999);
  expect(set.has('a')).toBe(true);
  clock.advance(1);
  expect(set.has('a')).toBe(false);
});

describe('open streams', () => {
  const caller = (name: string) => ({ tenantId: 't', name, userId: name, role: 'admin' }) as const;

  it('are limited for a caller and for all, and each is released once', () => {
    const streams = new OpenStreams({ streamsPerCaller: 2, streamsPerInstance: 3 });
    const first = streams.open(caller('ada'));
    streams.open(caller('ada'));
    expect(() => streams.open(caller('ada'))).toThrow('you have 2 open streams, the maximum');
    streams.open(caller('bob'));
    expect(() => streams.open(caller('eve'))).toThrow('this instance has 3 open streams');
    first();
    first();
    streams.open(caller('ada'));
    expect(() => streams.open(caller('eve'))).toThrow('this instance has 3 open streams');
  });

  it('are released when a response was sent, or has no body', async () => {
    let released = 0;
    const release = () => {
      released += 1;
    };
    expect(whenSent(new Response(null), release).body).toBeNull();
    expect(released).toBe(1);
    const response = whenSent(new Response('text', { status: 201 }), release);
    expect(released).toBe(1);
    expect([response.status, await response.text(), released]).toEqual([201, 'text', 2]);
  });
});

describe('requests of a minute', () => {
  it('are counted for each key, and the refusal has the seconds to wait', async () => {
    const limiter = perMinute(2);
    for (const key of ['a', 'a', 'b'])
      expect(await refusal(countRequest(limiter, key, 'wait'))).toBeUndefined();
    expect(await refusal(countRequest(limiter, 'a', 'wait'))).toBe('wait');
    expect([0, 1, 1_000, 1_001].map((ms) => tooMany('wait', ms).retryAfter)).toEqual([1, 1, 1, 2]);
  });

  it('of an address count until a caller is proved, and refused ones of callers do not', async () => {
    const gate = new AddressGate({ unauthenticatedPerMinute: 1 });
    const entry = await gate.enter('a');
    expect(await refusal(gate.enter('a'))).toMatch(/from this address/);
    await entry.refund();
    await (await gate.enter('a')).prove();
    expect(await refusal(gate.enter('a'))).toBeUndefined();
    expect(await refusal(gate.enter('a'))).toMatch(/from this address/);
  });

  it('of all addresses are ten times as many, without those of known callers', async () => {
    const gate = new AddressGate({ unauthenticatedPerMinute: 1 });
    await (await gate.enter('known')).prove();
    for (let n = 0; n < 10; n++) await gate.enter(`a${n}`);
    expect(await refusal(gate.enter('new'))).toMatch(/^too many requests have no valid login/);
    expect(await refusal(gate.enter('known'))).toBeUndefined();
  });
});

describe('the attributes of an alert', () => {
  const read = (text: string | undefined) => alertAttributes({ req: { header: () => text } } as never);
  const names = (count: number) =>
    JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, n) => [`a${n}`, ''])));

  it('are none without the header, and at most 50', () => {
    expect(read(undefined)).toEqual({});
    expect(read('{"env":"prod"}')).toEqual({ env: 'prod' });
    expect(Object.keys(read(names(50)))).toHaveLength(50);
    expect(() => read(names(51))).toThrow('has more than 50 attributes');
  });

  it.each([
    ['env=prod', 'must be a JSON object of texts'],
    ['{"a":1}', 'must be a JSON object of texts'],
    ['{"":"a"}', 'a name has at least one character'],
    ['{"a b":"a"}', 'no blank and no equals sign'],
    ['{"a=b":"a"}', 'no blank and no equals sign'],
    ['{"GoogId":"a"}', 'names that start with goog'],
    ['{"tenant":"a"}', 'must not set tenant, user, chain'],
    [JSON.stringify({ ['ä'.repeat(128)]: '' }), undefined],
    [JSON.stringify({ ['ä'.repeat(129)]: '' }), 'a name has at most 256 bytes'],
    [JSON.stringify({ a: 'ä'.repeat(512) }), undefined],
    [JSON.stringify({ a: 'ä'.repeat(513) }), 'a value has at most 1024 bytes'],
  ])('%# have the fault %j', (text, fault) => {
    if (fault === undefined) expect(() => read(text)).not.toThrow();
    else expect(() => read(text)).toThrow(fault);
  });
});

describe('a problem', () => {
  const mask = (text: string) => text.replaceAll('secret', '***');

  it.each<[unknown, object, boolean]>([
    [
      new Problem('REQUEST_INVALID', 'a secret', { errors: [{ field: 'secret', message: 'secret' }] }),
      { status: 400, detail: 'a ***', errors: [{ field: '***', message: '***' }] },
      false,
    ],
    [
      new Problem('SESSION_STATE', 'a', { remedy: 'startSession' }),
      { status: 409, code: 'SESSION_STATE', remedy: 'startSession' },
      false,
    ],
    [
      new RetryableError('STORE_UNAVAILABLE', 'a'),
      { status: 503, detail: expect.stringMatching(/^a \S/) },
      true,
    ],
    [new RetryableError('SCHEMA_TOO_NEW', 'a'), { status: 409, detail: 'a' }, true],
    [new TerminalError('DOCUMENT_INVALID', 'a'), { status: 409, detail: 'a' }, true],
    [new Problem('API_BUSY', 'a'), { status: 503 }, false],
    [
      new Error('a secret'),
      { status: 500, code: 'INTERNAL', detail: 'The log of `api` has the reason.' },
      true,
    ],
    [
      new TerminalError('MODEL_REFUSED' as InquestError['code'], 'a'),
      { status: 500, code: 'MODEL_REFUSED' },
      true,
    ],
  ])('%# is told without secrets', (error, expected, isLogged) => {
    const details = problemDetails(error, mask);
    expect(details).toMatchObject(expected);
    expect('errors' in details).toBe('errors' in expected);
    expect('remedy' in details).toBe('remedy' in expected);
    expect(isForLog(details)).toBe(isLogged);
  });

  it('is read back from its body', () => {
    const remedy = 'startSession' as const;
    const problem = new Problem('SESSION_STATE', 'a', { remedy });
    expect(parseProblemBody(JSON.stringify(problemDetails(problem, mask)))).toMatchObject({
      ...{ code: 'SESSION_STATE', message: 'a', remedy },
    });
    expect(parseProblemBody('{"code":"NOSUCH","detail":"a"}').code).toBe('REQUEST_INVALID');
  });

  it.each([
    [{ kind: 'unknown_session' }, 'SESSION_UNKNOWN', undefined, /s-1/],
    [{ kind: 'is_chat' }, 'SESSION_STATE', 'cancelSession', /is a chat/],
    [{ kind: 'not_running', status: 'deferred' }, 'SESSION_STATE', 'startSession', /is deferred/],
    [{ kind: 'not_running', status: 'cancelling' }, 'SESSION_STATE', undefined, /being cancelled: why/],
    [
      { kind: 'not_running', status: 'completed' },
      'SESSION_STATE',
      undefined,
      /has ended \(completed\): why/,
    ],
  ])('of steering %j is %s', (outcome, code, remedy, text) => {
    const problem = notSteered('s-1', outcome as never, 'why');
    expect([problem.code, problem.remedy]).toEqual([code, remedy]);
    expect(problem.message).toMatch(text);
  });

  it('a period of days includes today', () => {
    const now = new Date('2026-11-05T23:59:00Z');
    expect([1, 7].map((days) => findFirstDay(days, now))).toEqual(['2026-11-05', '2026-10-30']);
  });
});
