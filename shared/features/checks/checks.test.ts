// Requests of checks: what asks for them, when they are published, and how they become sessions.

import { expect, it } from 'vitest';
import { SAMPLE_TIME, sampleAlertKey, sampleSession } from '../../../test/support/samples.ts';
import { checkPart } from '../../alerts/schema/sessionCheck.ts';
import { createDocument } from '../../core/contract/store.ts';
import { RetryableError, TerminalError } from '../../core/errors.ts';
import type { PubsubMessage } from '../../core/kernel/pubsubEvent.ts';
import { NO_PARTS, withPart } from '../../core/schema/parts.ts';
import type { Session } from '../../core/schema/session.ts';
import { alertKeyType, checkType, paths, scheduleStateType, sessionType } from '../../lists/documents.ts';
import { createLogger } from '../../log.ts';
import { createMaskers } from '../../masking/maskers.ts';
import { createMemoryPublisher } from '../../store/memory/memoryPublisher.ts';
import { createMemoryStore } from '../../store/memory/memoryStore.ts';
import { composeState } from '../../wiring/composeState.ts';
import { changeSchedule, type ScheduleAct } from './changeSchedule.ts';
import type { Check } from './check.ts';
import { checkChange } from './checkChange.ts';
import { alertKeyOfCheck } from './checkRequest.ts';
import { newState } from './decideSchedule.ts';
import { checkTaker } from './handleCheck.ts';
import { takeCheck } from './openCheck.ts';
import { CHECKS } from './publishChecks.ts';
import { requestCheck } from './requestCheck.ts';
import { endOfCheck, isCheckRunning } from './runningCheck.ts';

const MINUTE = 60_000;
const at = (minutes: number) => new Date(SAMPLE_TIME.getTime() + minutes * MINUTE);
const { sessionId } = sampleSession();
const check = (changes: Partial<Check> = {}): Check => ({
  checkId: 'pods.1',
  tenantId: 'default',
  userId: null,
  schedule: 'pods',
  slot: SAMPLE_TIME,
  content: null,
  previousId: null,
  requestedBy: null,
  state: 'waiting',
  sessionId: null,
  reason: null,
  attempts: 0,
  dueAt: SAMPLE_TIME,
  createdAt: SAMPLE_TIME,
  expireAt: at(90 * 24 * 60),
  ...changes,
});
const schedule = {
  cron: '*/10 * * * *',
  timezone: 'UTC',
  tenant: 'default',
  startWithin: 3 * MINUTE,
  question: 'Is all well?',
  labels: { team: 'shop' },
  onlyIf: 'changed' as const,
};

async function start(checks: Partial<Check>[] = [], session?: Partial<Session>) {
  let now = SAMPLE_TIME;
  const store = createMemoryStore(() => now);
  for (const one of checks.map(check))
    await store.commit([createDocument(paths.check(one.checkId), checkType, one)]);
  if (session !== undefined)
    await store.commit([createDocument(paths.session(sessionId), sessionType, sampleSession(session))]);
  const publisher = createMemoryPublisher();
  const clock = { now: () => now, every: () => () => {}, after: () => () => {} };
  const log = createLogger({ LOG_LEVEL: 'silent' });
  const deps = composeState({ store, publisher, clock, log, maskerFor: createMaskers({}) });
  const stored = async (id = 'pods.1') => (await store.get(paths.check(id), checkType))?.value;
  const published = () => publisher.published.map(({ attributes }) => attributes.inquestCheck);
  return { deps, store, stored, published, setTime: (time: Date) => (now = time) };
}

it('a due request is published again every two minutes, 20 times, and then refused', async () => {
  const { deps, stored, published, setTime } = await start([{}, { checkId: 'later', dueAt: at(41) }]);
  for (let minute = 0; minute <= 40; minute++) {
    setTime(at(minute));
    expect(await CHECKS.run(deps)).toEqual({
      started: minute % 2 === 0 && minute < 40 ? 1 : 0,
      failures: [],
    });
    if (minute === 0) expect(await stored()).toEqual(check({ attempts: 1, dueAt: at(2) }));
  }
  expect(published()).toEqual(Array.from({ length: 20 }, () => 'pods.1'));
  const reason = 'no session was opened after 20 messages';
  expect(await stored()).toEqual(check({ attempts: 20, state: 'refused', reason, dueAt: null }));
  expect((await stored('later'))?.attempts).toBe(0);
});

it('a due request whose session was opened is settled without another message', async () => {
  const { deps, store, stored, published } = await start([{}]);
  const key = createDocument(paths.alertKey(alertKeyOfCheck('pods.1')), alertKeyType, sampleAlertKey());
  await store.commit([key]);
  expect(await CHECKS.run(deps)).toEqual({ started: 0, failures: [] });
  expect(await stored()).toEqual(check({ state: 'opened', sessionId, dueAt: null }));
  expect(published()).toEqual([]);
});

const run = (result: 'healthy' | null, previous: 'failed' | null = null) =>
  withPart(checkPart, NO_PARTS, {
    checkId: 'pods.1',
    schedule: 'pods',
    slot: SAMPLE_TIME,
    question: null,
    previous,
    delivers: 'always',
    result,
  }).parts;
const opened = { state: 'opened', sessionId, dueAt: null } as const;

it.each<[string, Partial<Check>[], Partial<Session> | undefined, [boolean, string | null]]>([
  ['was deleted', [], undefined, [false, null]],
  ['was refused', [{ state: 'refused', dueAt: null }], undefined, [false, null]],
  ['waits for its session', [{}], undefined, [true, null]],
  ['lost its session', [opened], undefined, [false, null]],
  ['is running', [opened], { parts: run(null) }, [true, null]],
  ['was healthy', [opened], { status: 'completed', parts: run('healthy') }, [false, 'healthy']],
  ['stated no result', [opened], { status: 'completed', parts: run(null) }, [false, 'attention']],
  ['failed', [opened], { status: 'failed', parts: run(null) }, [false, 'failed']],
  ['was cancelled', [opened], { status: 'cancelled', parts: run(null, 'failed') }, [false, 'failed']],
  ['has a session without a check', [opened], { status: 'completed' }, [false, null]],
])('a check that %s', async (_, checks, session, expected) => {
  const { deps } = await start(checks, session);
  expect([await isCheckRunning('pods.1', deps), await endOfCheck('pods.1', deps)]).toEqual(expected);
  expect(await endOfCheck(null, deps)).toBeNull();
});

const change = {
  tenantId: 'default',
  key: 'k',
  kind: 'deploy',
  status: 'done' as const,
  resource: 'k8s:prod/shop/Deployment/api',
  title: 'api 2',
  source: 'argocd',
  at: SAMPLE_TIME,
};
const rule = {
  kinds: ['deploy'],
  resources: ['k8s:prod/shop/*'],
  after: 10 * MINUTE,
  question: 'Is it well?',
};

it('a change that is done requests each check of its kind and resource once', async () => {
  const { deps, store } = await start();
  const all = {
    slow: { ...rule, chain: 'quick' },
    flags: { ...rule, kinds: ['flag'] },
    other: { ...rule, resources: ['k8s:staging/*'] },
  } as never;
  for (let times = 0; times < 2; times++) await checkChange(change as never, all, deps);
  const found = await store.list({ collection: 'checks' }, checkType);
  expect(found.map(({ value }) => value)).toEqual([
    check({
      checkId: expect.stringMatching(/^change\.[0-9a-f]{32}$/),
      schedule: null,
      slot: at(10),
      content: {
        title: 'Check after api 2',
        question: 'Is it well?',
        labels: { resource: change.resource, source: 'argocd' },
        chain: 'quick',
      },
      requestedBy: 'afterChanges.slow',
      dueAt: at(10),
      expireAt: at(10 + 90 * 24 * 60),
    }),
  ]);
});

it.each([
  ['that is not done', { status: 'started' }, 0, 0],
  ['that is reported an hour after its check was due', {}, 70, 1],
  ['that is reported later', {}, 70.001, 0],
])('a change %s requests %#', async (_, fields, minutes, count) => {
  const { deps, store, setTime } = await start();
  setTime(at(minutes));
  await checkChange({ ...change, ...fields } as never, { rule } as never, deps);
  expect(await store.list({ collection: 'checks' }, checkType)).toHaveLength(count);
});

const message = (inquestCheck?: string) =>
  ({
    messageId: 'm',
    deliveryAttempt: 2,
    traceparent: 'the trace',
    publishedAt: at(5),
    data: Buffer.from('{}'),
    attributes: { ...(inquestCheck !== undefined && { inquestCheck }) },
  }) as never;

it.each<[string, string | undefined, Partial<Check>, null | undefined]>([
  ['names none', undefined, {}, undefined],
  ['names one that does not exist', 'other', {}, null],
  ['names a path', '../pods.1', {}, null],
  ['names one that is settled', 'pods.1', { state: 'opened', sessionId, dueAt: null }, null],
])('a message that %s opens no check', async (_, name, changes, expected) => {
  const { deps } = await start([changes]);
  expect(await takeCheck(message(name), { schedules: { pods: schedule } } as never, deps)).toBe(expected);
});

it.each<[string, object, Partial<Check>, object, object, object]>([
  [
    'of a schedule',
    { ...schedule, chain: 'quick' },
    { userId: 'u', previousId: 'before' },
    { title: 'Check pods', status: 'firing', labels: { team: 'shop' } },
    { chain: 'quick' },
    { question: 'Is all well?', schedule: 'pods', delivers: 'changed' },
  ],
  [
    'of a schedule with an alert of its own',
    { ...schedule, alert: { a: 1 }, question: undefined, title: 'Pods' },
    {},
    { a: 1 },
    {},
    { question: null, schedule: 'pods', delivers: 'changed' },
  ],
  [
    'with content of its own',
    schedule,
    {
      schedule: null,
      content: { title: 'A', question: 'password=aB3dE6gH9 ok?', labels: { b: 'c' }, chain: null },
    },
    { title: 'A', status: 'firing', labels: { b: 'c' } },
    {},
    {
      question: expect.stringMatching(/^password=(?!aB3dE6gH9)\S+ ok\?$/),
      schedule: null,
      delivers: 'always',
    },
  ],
])('a check %s is opened with its content', async (_, pods, changes, body, attributes, part) => {
  const { deps } = await start([changes]);
  const taken = await takeCheck(message('pods.1'), { schedules: { pods } } as never, deps);
  const { data, ...opening } = taken?.opening.message ?? ({} as Partial<PubsubMessage>);
  expect(JSON.parse(String(data))).toEqual(body);
  expect(opening).toEqual({
    messageId: 'm',
    deliveryAttempt: 2,
    traceparent: 'the trace',
    publishedAt: SAMPLE_TIME,
    attributes: expect.objectContaining(attributes),
    key: alertKeyOfCheck('pods.1'),
  });
  expect('chain' in (opening.attributes ?? {})).toBe('chain' in attributes);
  const masker = deps.maskerFor('k');
  const added = await taken?.opening.feature.addContext?.({ masker } as never, {} as never, deps as never);
  const value = { checkId: 'pods.1', slot: SAMPLE_TIME, previous: null, result: null, ...part };
  expect(added).toEqual({ change: { kind: 'check', parts: { check: value } }, notice: null });
});

it('a check whose schedule was removed is an error of the configuration', async () => {
  const { deps } = await start([{}]);
  for (const schedules of [undefined, {}])
    await expect(takeCheck(message('pods.1'), { schedules } as never, deps)).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
    });
});

/** The kinds of the outcomes of acts of `ada`, a minute apart, and the state that is stored. */
async function act(acts: readonly ScheduleAct[], { name = 'pods', tenantId = 'default' } = {}) {
  const bench = await start();
  const kinds: string[] = [];
  for (const [index, one] of acts.entries()) {
    bench.setTime(at(index));
    const outcome = await changeSchedule(
      { name, act: one, by: 'ada', tenantId },
      { pods: schedule },
      bench.deps,
    );
    kinds.push(outcome.kind);
  }
  const state = (await bench.store.get(paths.scheduleState('pods'), scheduleStateType))?.value;
  return { ...bench, kinds, state };
}

it('a schedule is paused and resumed once, and times of a pause are handled', async () => {
  const { kinds, state } = await act(['resume', 'pause', 'pause']);
  expect([kinds, state?.paused]).toEqual([['unchanged', 'changed', 'unchanged'], { by: 'ada', at: at(1) }]);
  const resumed = await act(['pause', 'resume']);
  expect(resumed.kinds).toEqual(['changed', 'changed']);
  const first = newState('pods', schedule, SAMPLE_TIME);
  expect(resumed.state).toEqual({ ...first, paused: null, handledUntil: resumed.state?.handledUntil });
  for (const wrong of [{ name: 'toString' }, { tenantId: 'other' }])
    expect((await act(['pause'], wrong)).kinds).toEqual(['unknown']);
});

it('a person runs a schedule, but not while its run before is not over', async () => {
  const { kinds, state, stored, published } = await act(['run', 'run']);
  const checkId = `pods.${SAMPLE_TIME.toISOString().replace(/[:.]/g, '-')}`;
  expect(kinds).toEqual(['requested', 'busy']);
  expect(published()).toEqual([checkId]);
  expect(state).toMatchObject({
    checkId,
    recent: [{ slot: SAMPLE_TIME, outcome: 'requested', checkId, by: 'ada' }],
  });
  const expireAt = at(90 * 24 * 60);
  expect(await stored(checkId)).toEqual(check({ checkId, requestedBy: 'ada', expireAt }));
});

/** Takes a message that names a check of a schedule, and opens its session with `ingest`. */
async function take(name: string | undefined, ingest: () => Promise<object>, changes: Partial<Check> = {}) {
  const bench = await start([changes]);
  const seen: unknown[][] = [];
  const taker = checkTaker(
    ['a feature'] as never,
    (async (...given: unknown[]) => {
      seen.push(given);
      return ingest();
    }) as never,
  );
  const config = { schedules: { pods: schedule }, triage: 'rules', ownServices: ['x'], other: 1 };
  const taken = taker(message(name), config as never, bench.deps as never);
  return { taken: await taken.catch((error: Error) => error.message), seen, check: await bench.stored() };
}

it('a message opens the session of its check without triage, also about Inquest itself', async () => {
  const { taken, seen, check: stored } = await take('pods.1', async () => ({ sessionId }));
  expect(taken).toBe(true);
  expect(stored).toEqual(check({ state: 'opened', sessionId, dueAt: null }));
  expect(seen).toMatchObject([
    [{ key: alertKeyOfCheck('pods.1') }, { ownServices: [], other: 1 }, {}, ['a feature', {}]],
  ]);
  expect(seen[0]?.[1]).not.toHaveProperty('triage');
});

it.each<[string | undefined, Partial<Check>, boolean]>([
  [undefined, {}, false],
  ['other', {}, true],
  ['pods.1', { state: 'refused', reason: 'no', dueAt: null }, true],
])('the message %s with %j opens nothing: taken %s', async (name, changes, taken) => {
  const outcome = await take(name, async () => ({ sessionId }), changes);
  expect([outcome.taken, outcome.seen, outcome.check]).toEqual([taken, [], check(changes)]);
});

it('a check that is refused notes why, and one that can be opened later waits', async () => {
  const fail = (error: Error) => take('pods.1', () => Promise.reject(error));
  const refused = await fail(new TerminalError('CONFIG_INVALID', 'no such chain'));
  expect([refused.taken, refused.check]).toEqual([
    'no such chain',
    check({ state: 'refused', reason: 'no such chain', dueAt: null }),
  ]);
  const later = await fail(new RetryableError('STORE_UNAVAILABLE', 'no response'));
  expect([later.taken, later.check]).toEqual(['no response', check()]);
});

it('a program requests a check once for its key, and one that starts at once is published', async () => {
  const { deps, published } = await start();
  const content = { title: 'A', question: 'Ok?', labels: {}, chain: null };
  const request = (changes: object = {}) =>
    requestCheck(
      { tenantId: 'default', userId: 'u', by: 'ci', key: 'k', afterMs: MINUTE, content, ...changes },
      deps,
    );
  const first = await request();
  const expected = {
    checkId: expect.stringMatching(/^check\.[0-9a-f]{12}$/),
    userId: 'u',
    schedule: null,
    slot: at(1),
    content,
    requestedBy: 'ci',
    dueAt: at(1),
    expireAt: at(1 + 90 * 24 * 60),
  };
  expect(first).toEqual({ kind: 'requested', check: check(expected as never) });
  expect(await request({ by: 'other', afterMs: 0 })).toEqual({ ...first, kind: 'existing' });
  expect(await request({ content: { ...content, title: 'B' } })).toEqual({ kind: 'key_reused' });
  expect(published()).toEqual([]);
  const others = [await request({ tenantId: 'shop', afterMs: 0 }), await request({ key: 'l' })];
  expect(others.map(({ kind }) => kind)).toEqual(['requested', 'requested']);
  expect(published()).toEqual([expect.stringMatching(/^check\./)]);
});
