// Changes that become known while a session is open: the notice, and the tool that searches for them.

import { expect, it } from 'vitest';
import {
  SAMPLE_TIME,
  sampleAgent,
  sampleAlert,
  sampleAlertPart,
  sampleSession,
} from '../../../test/support/samples.ts';
import { CHANGE_EVENTS, type Change } from '../../changes/change.ts';
import { listChangeScopes, scopeOn } from '../../changes/scopes.ts';
import { createDocument, type Store } from '../../core/contract/store.ts';
import { RetryableError } from '../../core/errors.ts';
import { unreachableTools } from '../../core/iteration/prepare/connectTools.ts';
import type { Session } from '../../core/schema/session.ts';
import { changeType, paths, sessionType, timelineEventType } from '../../lists/documents.ts';
import { createMemoryStore } from '../../store/memory/memoryStore.ts';
import { noteLateChange } from './noteLateChange.ts';
import { CHANGE_SEARCH } from './searchTool.ts';

const { sessionId } = sampleSession();
const RESOURCE = 'k8s:prod/shop/Deployment/checkout';
const hours = (count: number) => new Date(SAMPLE_TIME.getTime() + count * 3_600_000);

/** A deployment some hours after the start of the alert. */
function change(at: number, changes: Partial<Change> = {}): Change {
  const time = hours(at);
  return {
    title: 'checkout 2',
    tenantId: 'default',
    key: `at ${at}`,
    source: 'argocd',
    kind: 'deploy',
    status: 'done',
    resource: RESOURCE,
    actor: 'ada',
    before: null,
    after: null,
    url: null,
    at: time,
    receivedAt: time,
    count: 1,
    scopes: listChangeScopes(changes.resource ?? RESOURCE).map((scope) => scopeOn(time, scope)),
    rate: { count: 1, days: 14 },
    expireAt: hours(900),
    ...changes,
  };
}

async function start(session: Partial<Session> = {}, known: readonly Change[] = []) {
  const store = createMemoryStore(() => hours(1));
  const parts = {
    ...sampleAlertPart(sampleAlert({ startedAt: SAMPLE_TIME })).parts,
    changes: { scopes: [RESOURCE] },
  } as Session['parts'];
  const value = sampleSession({ parts, ...session });
  await store.commit([createDocument(paths.session(sessionId), sessionType, value)]);
  for (const [index, one] of known.entries())
    await store.commit([createDocument(paths.change(`change-${index}`), changeType, one)]);
  const clock = { now: () => hours(1), every: () => () => {}, after: () => () => {} };
  const note = (one: Change) => noteLateChange('the-id', one, { store, clock });
  const notices = async () =>
    (await store.list({ collection: paths.timeline(sessionId) }, timelineEventType)).map(
      ({ value: one }) => one,
    );
  return { store, clock, note, notices };
}

it('a change near an open session is noted in it, with its distance and its author', async () => {
  const { note, notices } = await start();
  await note(change(-2));
  await note(change(0.5, { actor: null }));
  const { expireAt, currentStageId } = sampleSession();
  const event = {
    eventType: 'notice',
    sessionId,
    stageId: currentStageId,
    executionId: CHANGE_EVENTS,
    parentExecutionId: null,
    iteration: null,
    status: 'completed',
    metadata: { code: 'late_change', subject: 'the-id' },
    expireAt,
    createdAt: hours(1),
  };
  const known = `A change became known after this session was opened: deploy of ${RESOURCE}`;
  expect(await notices()).toEqual([
    { ...event, sequenceNumber: 1, content: `${known}, 2.0 h before the alert: "checkout 2" by ada.` },
    { ...event, sequenceNumber: 2, content: `${known}, 30 min after the alert: "checkout 2".` },
  ]);
});

it.each<[string, Partial<Session>, Change, number]>([
  ['from a day before the alert', {}, change(-24), 1],
  ['from earlier', {}, change(-24.001), 0],
  ['of another tenant', {}, change(-1, { tenantId: 'shop' }), 0],
  ['elsewhere', {}, change(-1, { resource: 'k8s:prod/money/Deployment/ledger' }), 0],
  ['of a session that has ended', { status: 'completed' }, change(-1), 0],
])('a change %s', async (_, session, one, count) => {
  const { note, notices } = await start(session);
  await note(one);
  expect(await notices()).toHaveLength(count);
});

it('a session has at most 20 notices, also of changes that are noted at the same time', async () => {
  const { note, notices } = await start();
  for (let count = 0; count < 18; count++) await note(change(-1));
  await Promise.all([note(change(-1)), note(change(-1)), note(change(-1))]);
  expect((await notices()).map(({ sequenceNumber }) => sequenceNumber)).toEqual(
    Array.from({ length: 20 }, (_, index) => index + 1),
  );
});

/** What the tool answers an agent that lists it. */
async function search(
  args: object,
  known: readonly Change[] = [],
  { session = {}, purpose = 'ask', changes = {} as Partial<Store> } = {},
) {
  const { store, clock } = await start(session, known);
  const held = { current: () => ({ sessionId }) };
  const agent = sampleAgent({ tools: ['search_changes'] });
  const context = { held, agent, deps: { store: { ...store, ...changes }, clock } } as never;
  const base = unreachableTools(new Error('down')) as never;
  const tools = CHANGE_SEARCH.offerTools?.(base, context, { purpose } as never);
  const call = { callId: 'c', name: 'search_changes', arguments: JSON.stringify(args) };
  const mask = async (text: string) => ({ text, count: 0 });
  const { signal } = new AbortController();
  const options = { signal, mask, maxResultBytes: 64_000 } as never;
  return { tools, answer: () => tools?.execute(call, options) };
}
const KNOWN = [
  change(-30),
  change(-3, { title: 'Roll out Checkout', resource: 'k8s:prod/shop/Deployment/checkout' }),
  change(-2, { title: 'Scale ledger', resource: 'k8s:prod/money/Deployment/ledger' }),
  change(0.5, { title: 'Too late for a cause' }),
  change(2, { title: 'Not yet' }),
];

it.each<[object, string[], string?]>([
  [{}, ['Too late for a cause', 'Roll out Checkout', 'Scale ledger']],
  [{ words: 'roll  OUT' }, ['Roll out Checkout']],
  [{ words: 'roll money' }, []],
  [{ resource: 'ledger' }, ['Scale ledger']],
  [
    { hours: 48, limit: 2, resource: RESOURCE },
    ['Too late for a cause', 'Roll out Checkout'],
    '1 more changes are not shown.',
  ],
])('a search with %j finds %j', async (args, titles, more) => {
  const { answer } = await search(args, KNOWN);
  const result = await answer();
  expect(result).toMatchObject({ isError: false, yields: 'change' });
  const lines = (result?.content ?? '').split('\n');
  const found = lines.flatMap((line) => /^\d+\. .*?"(.*?)"/.exec(line)?.[1] ?? []);
  expect([...found].sort()).toEqual([...titles].sort());
  expect(lines.filter((line) => /^\d+\. /.test(line)).map((line) => line.split('.')[0])).toEqual(
    titles.map((_, index) => String(index + 1)),
  );
  expect(lines.slice(found.length, -1)).toEqual(
    found.length === 0
      ? ['No change is recorded in the 24 hours before the alert.']
      : more === undefined
        ? []
        : [more],
  );
  expect(lines.at(-1)).toMatch(/^Sources connected: none\./);
});

it.each<[object, RegExp]>([
  [{ hours: 0 }, /^"hours" must be a whole number from 1 to 312\.$/],
  [{ hours: 313 }, /^"hours" must be/],
  [{ hours: 1.5 }, /^"hours" must be/],
  [{ limit: 0 }, /^"limit" must be a whole number from 1 to 50\.$/],
  [{ limit: 51 }, /^"limit" must be/],
  [{ words: 5 }, /^"resource" and "words" must be texts\.$/],
  [{ resource: 5 }, /^"resource" and "words" must be texts\.$/],
])('a search with %j is refused with the fix', async (args, content) => {
  const { answer } = await search(args);
  expect(await answer()).toMatchObject({ content: expect.stringMatching(content), isError: true });
});

it('a search that fails is no answer, and one for a summary is not offered', async () => {
  const find = () => Promise.reject(new RetryableError('STORE_UNAVAILABLE', 'no response'));
  const { answer } = await search({}, [], { changes: { find } });
  expect(await answer()).toMatchObject({
    content: 'Changes could not be searched: no response',
    isError: true,
    noAnswer: true,
  });
  const names = async (purpose: string) => {
    const { tools } = await search({}, [], { purpose });
    return tools?.list().map(({ name }) => name);
  };
  expect([await names('ask'), await names('run'), await names('probe')]).toEqual([
    ['search_changes'],
    ['search_changes'],
    [],
  ]);
});
