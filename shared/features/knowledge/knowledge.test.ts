// Parts of the knowledge base without a system: earlier sessions of an alert, traces, and calls of its tools.

import { describe, expect, it } from 'vitest';
import { SAMPLE_TIME, sampleAlert, sampleKnowledge, sampleSession } from '../../../test/support/samples.ts';
import type { Alert } from '../../alerts/schema/alert.ts';
import { createDocument, type Store } from '../../core/contract/store.ts';
import { RetryableError } from '../../core/errors.ts';
import { ACTION_TYPES } from '../../core/prompts/builtInTools.ts';
import type { Session } from '../../core/schema/session.ts';
import { knowledgeType, paths, sessionType } from '../../lists/documents.ts';
import { createLogger } from '../../log.ts';
import { createMaskers } from '../../masking/maskers.ts';
import { type Knowledge, type Origin, UNREVIEWED } from '../../search/knowledge.ts';
import { listTrigrams } from '../../search/trigrams.ts';
import { createMemoryStore } from '../../store/memory/memoryStore.ts';
import { ELICIT_FORM } from '../../text/elicit.ts';
import { runAction } from './action.ts';
import { forgetEntries, traceEntry } from './deleteKnowledge.ts';
import { SEEN_BEFORE } from './findSimilarSessions.ts';
import { runSearch } from './search.ts';

const masker = createMaskers({})('k');
const log = createLogger({ LOG_LEVEL: 'silent' });
const at = (minutes: number) => new Date(SAMPLE_TIME.getTime() + minutes * 60_000);
const clock = { now: () => SAMPLE_TIME, every: () => () => {}, after: () => () => {} };
const alert = sampleAlert({ title: 'Disk full', labels: { host: 'db-1' }, identity: 'same' });

/** An entry that the session of the key left, about the alert of the sample, with a confirmed text. */
function entry(key: string, session: Partial<Origin> = {}, changes: Partial<Knowledge> = {}): Knowledge {
  const title = changes.title ?? alert.title;
  const trust = { trust: 'confirmed' as const, textBy: 'ada' };
  const origin = { ...UNREVIEWED, sessionId: `s-${key}`, identity: null, shown: [], ...trust, ...session };
  return sampleKnowledge({
    key,
    kind: 'session',
    title,
    text: `Text of ${key}.`,
    links: [],
    labels: alert.labels,
    trigrams: listTrigrams(`${title}\nhost db-1`),
    expireAt: at(60),
    session: origin,
    ...changes,
  });
}

async function storeWith(entries: readonly Knowledge[]): Promise<Store> {
  const store = createMemoryStore(clock.now);
  for (const one of entries) {
    const path = paths.knowledgeEntry(one.tenantId, one.key);
    await store.commit([createDocument(path, knowledgeType, one)]);
  }
  return store;
}

describe('earlier sessions of an alert', () => {
  /** The ids of the sessions that agents see, and the sentences of the notice. */
  async function see(
    entries: readonly Knowledge[],
    changes: Partial<Alert> = {},
    userId: string | null = null,
    store?: Store,
  ) {
    const deps = { store: store ?? (await storeWith(entries)), clock, log };
    const admitted = { alert: { ...alert, ...changes }, masker, session: { tenantId: 'default', userId } };
    const added = await SEEN_BEFORE.addContext?.(admitted as never, {} as never, deps as never);
    const parts = added?.change.parts ?? {};
    return { part: parts.knowledge as { seenBefore: object[] } | undefined, notice: added?.notice };
  }
  const listSeenIds = (part?: { seenBefore: object[] }) =>
    (part?.seenBefore ?? []).map((one) => (one as { sessionId: string }).sessionId);

  it('are those of the same alert first, then the most similar, then the latest, three in all', async () => {
    const { part, notice } = await see([
      entry('similar', {}, { title: 'Disk fuller' }),
      entry('old', {}, { updatedAt: at(-9) }),
      entry('new', {}, { updatedAt: at(-1) }),
      entry('same', { identity: 'same' }, { title: 'Something else entirely', labels: {}, trigrams: [] }),
      entry('far', {}, { title: 'Certificate expires', labels: { a: 'b' } }),
    ]);
    expect(listSeenIds(part)).toEqual(['s-same', 's-new', 's-old']);
    expect(part?.seenBefore.slice(1, 2)).toEqual([
      {
        sessionId: 's-new',
        key: 'new',
        title: 'Disk full',
        text: 'Text of new.',
        endedAt: at(-1),
        isSame: false,
      },
    ]);
    expect(notice).toEqual({
      code: 'seen_before',
      subject: 's-same, s-new, s-old',
      content:
        'Seen before: s-same (the same alert), s-new (a similar one), s-old (a similar one). `inquest show` shows them.',
    });
  });

  it('that nobody confirmed are named for people if they are of the same alert, the latest first', async () => {
    const open = (key: string, minutes: number, changes: Partial<Origin> = {}) =>
      entry(key, { trust: 'unreviewed', identity: 'same', ...changes }, { updatedAt: at(minutes) });
    const { part, notice } = await see([
      open('a', -3),
      open('b', -1),
      open('refuted', 0, { trust: 'refuted' }),
      open('other', 0, { identity: 'another' }),
      open('c', -2),
      open('d', -4),
    ]);
    expect(part).toBeUndefined();
    expect(notice).toEqual({
      code: 'seen_before',
      subject: 's-b, s-c, s-a',
      content:
        'No person confirmed the sessions of the same alert s-b, s-c, s-a: agents do not see them. `inquest show` shows them.',
    });
  });

  it('are of the tenant and the user, and have not expired', async () => {
    const entries = [
      entry('shared'),
      entry('own', {}, { userId: 'ada', updatedAt: at(-1) }),
      entry('foreign', {}, { userId: 'bob' }),
      entry('tenant', {}, { tenantId: 'shop' }),
      entry('expired', {}, { expireAt: SAMPLE_TIME }),
    ];
    expect(listSeenIds((await see(entries, {}, 'ada')).part)).toEqual(['s-shared', 's-own']);
    expect(listSeenIds((await see(entries)).part)).toEqual(['s-shared']);
  });

  it('without an identity are only similar, and two alerts without one are not the same', async () => {
    const { part } = await see([entry('a')], { identity: null });
    expect(part?.seenBefore).toMatchObject([{ sessionId: 's-a', isSame: false }]);
    const none = await see([entry('b', { trust: 'unreviewed' })], { title: '', labels: {} });
    expect(none).toEqual({ part: undefined, notice: null });
  });

  it('have masked and cut texts', async () => {
    const { part } = await see([entry('a', {}, { text: `password=aB3dE6gH9 ${'x'.repeat(2_000)}` })]);
    const [{ text } = { text: '' }] = (part?.seenBefore ?? []) as { text: string }[];
    expect(text).toMatch(/^password=(?!aB3dE6gH9)/);
    expect(Buffer.byteLength(text)).toBeLessThan(1_600);
  });

  it('are none while the store cannot be searched, and a bug is not hidden', async () => {
    const failing = (error: Error) => ({ find: () => Promise.reject(error) }) as never;
    const unavailable = new RetryableError('STORE_UNAVAILABLE', 'no response');
    expect(await see([], {}, null, failing(unavailable))).toEqual({ part: undefined, notice: null });
    await expect(see([], {}, null, failing(new TypeError('a bug')))).rejects.toThrow('a bug');
  });
});

describe('the trace of an entry', () => {
  const entries = [
    entry('root'),
    entry('a', { shown: ['root'] }),
    entry('b', { shown: ['a', 'root'] }),
    entry('c', { shown: ['b', 'gone'] }),
    entry('expired', { shown: ['root'] }, { expireAt: SAMPLE_TIME }),
    entry('foreign', { shown: ['root'] }, { tenantId: 'shop' }),
    entry('beside'),
  ];
  const levels = (traced: readonly { entry: Knowledge; depth: number }[] = []) =>
    traced.map((one) => `${one.entry.key} ${one.depth}`).sort();

  it('has what its session was shown, and the sessions that were shown it, with their distance', async () => {
    const store = await storeWith(entries);
    const trace = await traceEntry('b', 'default', { store, clock });
    expect(trace?.entry.key).toBe('b');
    expect([levels(trace?.from), levels(trace?.descendants)]).toEqual([['a 1', 'root 1'], ['c 1']]);
    const root = await traceEntry('root', 'default', { store, clock });
    expect([levels(root?.from), levels(root?.descendants)]).toEqual([[], ['a 1', 'b 1', 'c 2']]);
    for (const key of ['gone', 'expired'])
      expect(await traceEntry(key, 'default', { store, clock })).toBeUndefined();
  });

  it('is removed with all that came from it, the farthest first', async () => {
    const store = await storeWith([...entries, entry('written', {}, { updatedBy: 'bob' })]);
    const by = { tenantId: 'default', by: 'ada' };
    expect(await forgetEntries({ by: 'bob' }, by, { store, clock } as never)).toEqual(['written']);
    const confirmed = entry('said', { reviewedBy: ['eve'] });
    await store.commit([
      createDocument(paths.knowledgeEntry('default', 'said'), knowledgeType, confirmed),
      createDocument(
        paths.knowledgeEntry('default', 'from-said'),
        knowledgeType,
        entry('from-said', { shown: ['said'] }),
      ),
    ]);
    expect(await forgetEntries({ by: 'eve' }, by, { store, clock } as never)).toEqual(['said', 'from-said']);
    expect(await forgetEntries({ by: 'eve' }, by, { store, clock } as never)).toEqual([]);
  });
});

/** A call of a tool in a session. */
async function open(session: Partial<Session> = {}) {
  const store = await storeWith([entry('a', {}, { kind: 'resource', session: null })]);
  const value = sampleSession(session);
  await store.commit([createDocument(paths.session(value.sessionId), sessionType, value)]);
  const held = { current: () => ({ sessionId: value.sessionId }) };
  const context = { masker, held, deps: { store, clock, log, stageFeatures: [] } } as never;
  const { signal } = new AbortController();
  const call = (args: object) => ({ callId: 'c', name: 'action', arguments: JSON.stringify(args) });
  const title = async () => (await store.get(paths.session(value.sessionId), sessionType))?.value.title;
  return {
    title,
    act: (args: object) => runAction(call(args), context, signal),
    search: (args: object) => runSearch(call(args), context, signal),
  };
}

describe('an action', () => {
  it.each<[object, string | RegExp]>([
    [{}, `"type" is missing; there are ${ACTION_TYPES.join(', ')}.`],
    [{ type: 'dance' }, `"dance" is no type of action; there are ${ACTION_TYPES.join(', ')}.`],
    [{ type: 'observation', payload: 'x' }, '"payload" must be an object.'],
    [
      { type: 'observation', payload: { a: 'x'.repeat(16_000) } },
      /^"payload" has 16008 bytes; 16000 at most/,
    ],
    [{ type: 'elicit', payload: {} }, ELICIT_FORM],
    [{ type: 'observation', payload: { session_name: ' ' } }, /^"session_name" must be a text of 1 to 120/],
    [{ type: 'observation', payload: { session_name: 'x'.repeat(121) } }, /^"session_name" must be a text/],
  ])('%# is refused with the fix', async (args, content) => {
    const { act, title } = await open();
    const expected = typeof content === 'string' ? content : expect.stringMatching(content);
    expect(await act(args)).toEqual({ content: expected, isError: true });
    expect(await title()).toBeNull();
  });

  it('is an event with its masked payload; an observation has its fields in the result, too', async () => {
    const { act } = await open();
    const { content, ...rest } = await act({
      type: 'observation',
      payload: { note: 'password=aB3dE6gH9', status: 'x' },
    });
    const note = expect.stringMatching(/^password=(?!aB3dE6gH9)/);
    expect(JSON.parse(content)).toEqual({
      note,
      _action_event: true,
      _metadata_event: true,
      action_type: 'observation',
      status: 'success',
      payload: { note, status: 'x' },
    });
    expect(rest).toEqual({
      isError: false,
      events: [
        {
          eventType: 'action',
          content: expect.stringMatching(/^observation: \{"note":"password=(?!aB3dE6gH9).*\}$/),
          metadata: { actionType: 'observation', payload: expect.stringMatching(/^\{"note":/) },
        },
      ],
    });
  });

  it('of another type has only its own fields, and a question the words for people', async () => {
    const { act } = await open();
    const [other = ''] = ACTION_TYPES.filter((type) => type !== 'observation' && type !== 'elicit');
    const empty = await act({ type: other });
    expect(JSON.parse(empty.content)).toEqual({
      _action_event: true,
      action_type: other,
      status: 'success',
      payload: {},
    });
    expect(empty.events).toEqual([{ eventType: 'action', content: other, metadata: { actionType: other } }]);
    const asked = await act({
      type: 'elicit',
      payload: { question: 'Since when?', options: ['now', 'before'] },
    });
    expect(JSON.parse(asked.content)).toMatchObject({
      action_type: 'elicit',
      note: expect.stringMatching(/^People see/),
    });
    expect(asked.events).toMatchObject([{ content: 'Since when?\nOptions: now · before' }]);
  });

  it.each<[string, Partial<Session>, string | null]>([
    ['that runs', {}, 'A name password=***'],
    ['that has ended', { status: 'completed' }, null],
    [
      'that answers a question',
      { status: 'completed', openStage: { stageId: '02', deadline: SAMPLE_TIME, cancelling: false } },
      'A name password=***',
    ],
  ])('names a session %s, on one line and masked', async (_, session, name) => {
    const { act, title } = await open(session);
    const payload = { session_name: ' A\n name  password=aB3dE6gH9 ' };
    expect((await act({ type: 'observation', payload })).isError).toBe(false);
    expect((await title())?.replace(/password=\S+/, 'password=***') ?? null).toBe(name);
    expect(String(await title())).not.toContain('aB3dE6gH9');
  });
});

describe('a search', () => {
  it.each<[object, RegExp]>([
    [{}, /^"query" must be a text\./],
    [{ query: 5 }, /^"query" must be a text\./],
    [{ query: 'LOOKUP a', limit: 0 }, /^"limit" must be a whole number from 1 to 50\.$/],
    [{ query: 'LOOKUP a', limit: 51 }, /^"limit" must be/],
    [{ query: 'LOOKUP a', limit: 1.5 }, /^"limit" must be/],
  ])('%j is refused with the fix', async (args, content) => {
    const { search } = await open();
    expect(await search(args)).toEqual({ content: expect.stringMatching(content), isError: true });
  });

  it.each([
    { query: 'LOOKUP a', limit: 1 },
    { input: 'LOOKUP a', limit: 50 },
  ])('%j has the keys of the entries that it shows', async (args) => {
    const { search } = await open();
    const found = await search(args);
    expect(found).toEqual({ content: expect.stringContaining('Text of a.'), isError: false, entries: ['a'] });
  });
});
