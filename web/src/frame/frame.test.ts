// The words of the frame: announcements, parts that are away, the reader, and the connection.

import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { isSignedOut } from '../api/client.ts';
import { isClockWrong, serverNow, setServerNow, tick } from '../api/clock.ts';
import { readExample } from '../api/exampleAlert.ts';
import { awaitAlertSession } from '../api/sentAlert.ts';
import { isOffline } from '../session/state/offline.ts';
import { connection } from './connection.ts';
import { canAct, isOff, me, readMe } from './currentUser.ts';
import { healthWords } from './healthWords.ts';

function useFakeTime(): void {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
}

function answer(...answers: (object | number)[]) {
  const asked: string[] = [];
  vi.stubGlobal('fetch', async (path: string) => {
    asked.push(path);
    const next = answers.length > 1 ? answers.shift() : answers[0];
    return typeof next === 'number'
      ? Response.json({ code: 'X', detail: `status ${next}` }, { status: next })
      : Response.json(next);
  });
  onTestFinished(() => void vi.unstubAllGlobals());
  return asked;
}

it('announcements are ten seconds apart, and only the latest of those that wait is made', async () => {
  // Its time of the last announcement is that of other tests.
  vi.resetModules();
  const { announce, announcement } = await import('./announce.ts');
  useFakeTime();
  announce('one');
  expect(announcement.value).toBe('one');
  vi.advanceTimersByTime(4_000);
  announce('two');
  announce('three');
  vi.advanceTimersByTime(5_999);
  expect(announcement.value).toBe('one');
  vi.advanceTimersByTime(1);
  expect(announcement.value).toBe('three');
  vi.advanceTimersByTime(10_000);
  announce('four');
  expect(announcement.value).toBe('four');
});

describe('parts that are away', () => {
  const none = { servers: [], models: [], lateSweep: null, lateCanary: null };
  const model = { code: 'MODEL_UNAVAILABLE', since: null, agents: 1 };
  const sweep = { since: null, agents: 0, sessions: 0, messages: 0, checks: 0 };
  it.each([
    [{}, '', undefined],
    [{ lateCanary: undefined }, '', undefined],
    [
      { models: [model] },
      'models: The model does not answer 1 agent (MODEL_UNAVAILABLE): they wait for it.',
      undefined,
    ],
    [
      { models: [{ code: 'QUOTA_REACHED', since: '1', agents: 2 }] },
      'models: 2 agents wait for a quota of a model or a server.',
      '1',
    ],
    [
      { models: [{ code: 'QUOTA_REACHED', since: '1', agents: 1 }] },
      'models: 1 agent waits for a quota of a model or a server.',
      '1',
    ],
    [
      { servers: [{ name: 'k', agents: 1 }] },
      'servers: The tool server k cannot be reached: 1 agent works without its tools.',
      undefined,
    ],
    [
      { servers: [{ name: 'k', agents: 2 }] },
      'servers: The tool server k cannot be reached: 2 agents work without its tools.',
      undefined,
    ],
    [
      { lateSweep: { ...sweep, since: '2', agents: 1, checks: 3 } },
      'state: 1 agent, 3 scheduled checks cannot continue: the run of every minute that continues interrupted work has not completed.',
      '2',
    ],
    [
      { lateSweep: { ...sweep, sessions: 2, messages: 1 } },
      'state: 2 sessions, 1 message cannot continue: the run of every minute that continues interrupted work has not completed.',
      undefined,
    ],
    [{ lateCanary: '3' }, 'state: The hourly test alert does not arrive: alerts can be waiting.', '3'],
  ])('are named: %j', (health, text, since) => {
    const words = healthWords({ ...none, ...health } as Parameters<typeof healthWords>[0]);
    expect(words.map((one) => `${one.section}: ${one.text}`).join()).toBe(text);
    expect(words[0]?.since).toBe(since);
  });
});

describe('the reader', () => {
  it('can act unless they only view, and sees no part that is off', async () => {
    expect([canAct.value, isOff('chat')]).toEqual([true, false]);
    onTestFinished(() => {
      me.value = undefined;
    });
    for (const [read, acts, off] of [
      [{ role: 'viewer', off: ['chat'] }, false, true],
      [{ role: 'operator' }, true, false],
    ] as const) {
      answer(read);
      readMe();
      await expect.poll(() => me.value).toEqual(read);
      expect([canAct.value, isOff('chat')]).toEqual([acts, off]);
    }
    const asked = answer(404);
    readMe();
    await expect.poll(() => asked).toHaveLength(1);
    expect(me.value).toEqual({ role: 'operator' });
  });

  it('is offline only while the connection is lost', () => {
    onTestFinished(() => {
      connection.value = undefined;
    });
    expect(isOffline.value).toBe(false);
    connection.value = { kind: 'live' };
    expect(isOffline.value).toBe(false);
    connection.value = { kind: 'lost', retryAt: 0, retry: () => {} };
    expect(isOffline.value).toBe(true);
  });

  it('must sign in again after status 401, until another answer', async () => {
    answer(401, { role: 'viewer' });
    onTestFinished(() => {
      me.value = undefined;
    });
    readMe();
    await expect.poll(() => isSignedOut.value).toBe(true);
    readMe();
    await expect.poll(() => isSignedOut.value).toBe(false);
  });
});

it('the clock is that of the server, and a difference of two minutes is noticed', () => {
  useFakeTime();
  const now = Date.now();
  for (const [ahead, isWrong] of [
    [120_000, false],
    [120_001, true],
    [-120_001, true],
    [0, false],
  ] as const) {
    setServerNow(new Date(now + ahead).toISOString());
    expect([tick.value, isClockWrong.value]).toEqual([now + ahead, isWrong]);
  }
  setServerNow(new Date(now + 5_000).toISOString());
  vi.advanceTimersByTime(250);
  expect(serverNow()).toBe(now + 5_250);
  setServerNow(new Date(now).toISOString());
  vi.advanceTimersByTime(250);
  expect(serverNow()).toBe(now + 250);
});

it('an example alert is that of the configuration, or one of Alertmanager', async () => {
  answer({ text: 'mine' });
  expect(await readExample()).toEqual({ text: 'mine', isOwn: true });
  for (const none of [{ text: null }, 404]) {
    answer(none);
    const { text, isOwn } = await readExample();
    expect([JSON.parse(text).alerts[0].labels.alertname, isOwn]).toEqual(['ExampleCrashLooping', false]);
  }
});

describe('the session of an alert', () => {
  const sent = { alertKey: 'key', messageId: '7' };
  const find = async (...answers: (object | number)[]) => {
    const asked = answer(...answers);
    useFakeTime();
    const found = awaitAlertSession(sent, new AbortController().signal).catch(({ message }) => message);
    await vi.advanceTimersByTimeAsync(61_000);
    return { asked, found: await found };
  };
  it.each([
    [
      { outcome: 'opened', sessionId: 's' },
      { sessionId: 's', isJoined: false },
    ],
    [
      { outcome: 'joined', sessionId: 's' },
      { sessionId: 's', isJoined: true },
    ],
    [{ outcome: 'dropped', reason: 'a rule' }, 'The alert was sent, but not investigated: a rule'],
    [{ outcome: 'dropped' }, 'The alert was sent, but not investigated: no reason is stored'],
    [403, 'The alert was sent, but its session cannot be read: status 403'],
  ])('is found at the first outcome: %j', async (outcome, result) => {
    const { asked, found } = await find(outcome);
    expect([asked.length, found]).toEqual([1, result]);
  });
  it('is waited for while it is not there, and a dropped alert is searched for at times', async () => {
    const { asked, found } = await find(404, 429, 404, 404, { outcome: 'opened', sessionId: 's' });
    expect(found).toMatchObject({ sessionId: 's' });
    expect(asked.map((path) => path.includes('messageId=7'))).toEqual([false, false, false, true, false]);
  });
  it('is waited for during errors of the server', async () => {
    const { found } = await find(500, 500, 500, 500, { outcome: 'opened', sessionId: 's' });
    expect(found).toMatchObject({ sessionId: 's' });
  });
  it('is not waited for longer than a minute', async () => {
    const { asked, found } = await find(404);
    expect(found).toBe('The alert was sent, but has no session yet. The list of sessions shows it later.');
    expect(asked.length).toBe(60);
  });
  it('is nothing to a page that was left', async () => {
    const asked = answer(404);
    useFakeTime();
    const left = new AbortController();
    const found = awaitAlertSession(sent, left.signal);
    await vi.advanceTimersByTimeAsync(1_500);
    left.abort();
    await vi.advanceTimersByTimeAsync(1_000);
    expect([await found, asked.length]).toEqual([undefined, 2]);
    expect(await awaitAlertSession(sent, left.signal)).toBeUndefined();
  });
});
