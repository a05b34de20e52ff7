// The knowledge base in an investigation: `search`, `action`, resources, and later sessions.

import { describe, expect, it } from 'vitest';
import { putDocument, type Store } from '../../../shared/core/contract/store.ts';
import { RetryableError } from '../../../shared/core/errors.ts';
import { CRASH_POINTS } from '../../../shared/core/kernel/crashPoints.ts';
import { readPart } from '../../../shared/core/schema/parts.ts';
import { addWork } from '../../../shared/kits/work/addWork.ts';
import { knowledgeType, paths, sessionType } from '../../../shared/lists/documents.ts';
import { entryTrigrams } from '../../../shared/search/entryText.ts';
import type { Knowledge } from '../../../shared/search/knowledge.ts';
import type { Review } from '../../../shared/search/review.ts';
import { seenPart } from '../../../shared/search/seenSession.ts';
import { sessionReference } from '../../../shared/text/sessionReference.ts';
import { dieAt } from '../../support/dieAt.ts';
import { expectNoGaps } from '../../support/expectations.ts';
import {
  type Bench,
  type BenchOptions,
  type Investigation,
  opened,
  startBench,
} from '../../support/harness.ts';
import { sampleKnowledge } from '../../support/samples.ts';

type BenchDeps = Bench['deps'];

const SECRET = 'zebra mountain 77 quartz';
const done = { text: '**Root cause**: the disk is full.\n\n**Fix**: delete old logs.' };
const calls = (name: string, ...args: object[]) => ({
  toolCalls: args.map((one) => ({ name, args: one })),
});
const options = (turns: object[], more: Partial<BenchOptions> = {}) =>
  ({
    inMemory: true,
    knownSecrets: [SECRET],
    agent: { tools: ['search', 'action'] },
    script: { conversations: [{ turns }] },
    ...more,
  }) as BenchOptions;

async function add(store: Store, key: string, overrides: Partial<Knowledge> = {}): Promise<void> {
  const entry = sampleKnowledge({ key, title: key, text: '', labels: {}, links: [], ...overrides });
  const full = { ...entry, trigrams: entryTrigrams(entry) };
  await store.commit([putDocument(paths.knowledgeEntry('default', key), knowledgeType, full)]);
}

/** Rates the analysis of a session. */
async function review(deps: BenchDeps, sessionId: string, rating: Review['rating']): Promise<void> {
  const given: Review = { rating, cause: null, action: null, missed: null };
  const work = { kind: 'review', text: null, review: given, by: 'ada', seen: null } as const;
  expect(await addWork(sessionId, work, deps)).toMatchObject({ kind: 'added' });
}

/** The results of all calls, as the model gets them. */
function resultsOf({ messages }: Pick<Investigation, 'messages'>) {
  return messages.flatMap(({ blocks }) =>
    blocks.flatMap((block) => (block.blockType === 'tool_result' ? [block] : [])),
  );
}

describe('search', () => {
  it('answers the model with entries, masked, cut and framed, under its bare name', async () => {
    const queries = ['LOOKUP ledger', 'SEARCH full disk', 'LOOKUP nothing', 'SELECT 1'];
    const turns = [calls('search', ...queries.map((query) => ({ query }))), done];
    const bench = await opened(
      options(turns, { agent: { tools: ['search'], limits: { toolResultBytes: 2_000 } } }),
    );
    await add(bench.deps.store, 'ledger', { text: `Password is ${SECRET}.\n${'long '.repeat(1_000)}` });
    const embedding = await bench.deps.embed?.('the disk is full', 'document');
    await add(bench.deps.store, 'disks', { text: 'A full disk.', embedding: embedding?.vector ?? null });
    await bench.drain();
    const run = await bench.read(bench.sessionId);
    const [ledger, disks, nothing, refused] = resultsOf(run);
    expect(ledger).toMatchObject({ toolName: 'search', isError: false, stored: { id: expect.anything() } });
    expect(ledger?.textContent).toContain('[masked:known');
    expect(Buffer.byteLength(ledger?.textContent ?? '')).toBeLessThan(2_100);
    expect(disks?.textContent).toMatch(
      /^1 entry, the nearest first.*\n- disks \(resource\): disks, 0\.\d\d\n {2}A full disk/,
    );
    expect(nothing).toMatchObject({ isError: false });
    expect(nothing?.textContent).toContain(
      'Not found: nothing. FUZZY finds entries by similar words. Queries:',
    );
    expect(refused).toMatchObject({ isError: true });
    expect(refused?.textContent).toContain('Unknown verb "SELECT"');
    const [first, last] = bench.gemini.requests.map((request) => JSON.stringify(request.body));
    expect(first).toContain('"name":"search"');
    expect(last).toContain('source=\\"tool search\\"');
    expect(JSON.stringify(run)).not.toContain(SECRET);
    expectNoGaps(run);
  });

  it('is not there for agents that do not list it', async () => {
    const bench = await opened(
      options([calls('search', { query: 'LOOKUP a' }), done], { agent: { tools: [] } }),
    );
    await bench.drain();
    const run = await bench.read(bench.sessionId);
    expect(bench.gemini.requests.map((request) => JSON.stringify(request.body)).join()).not.toContain(
      'knowledge base',
    );
    expect(resultsOf(run).every(({ isError }) => isError)).toBe(true);
  });

  it('that a death cut off is asked again', async () => {
    const bench = await opened(options([calls('search', { query: 'LOOKUP ledger' }), done]));
    await add(bench.deps.store, 'ledger', { text: 'A database.' });
    await dieAt(CRASH_POINTS.duringTool, bench.deps, (process) => bench.deliverNext(process));
    bench.revive();
    await bench.drain();
    const run = await bench.read(bench.sessionId);
    expect(resultsOf(run).map(({ textContent }) => textContent)).toEqual([
      'ledger (resource): ledger\n\nA database.',
    ]);
    expectNoGaps(run);
  });

  it('sees the entries of the session’s user, and of no other', async () => {
    const bench = await opened(options([calls('search', { query: 'LOOKUP mine, theirs' }), done]));
    await add(bench.deps.store, 'mine', { userId: 'anna' });
    await add(bench.deps.store, 'theirs', { userId: 'bert' });
    const stored = await bench.deps.store.get(paths.session(bench.sessionId), sessionType);
    if (stored === undefined) throw new Error('no session');
    await bench.deps.store.commit([
      putDocument(stored.path, sessionType, { ...stored.value, userId: 'anna' }),
    ]);
    await bench.drain();
    const [result] = resultsOf(await bench.read(bench.sessionId));
    expect(result?.textContent).toBe('mine (resource): mine\n\nNot found: theirs.');
  });
});

describe('action', () => {
  it('records an event and names the session, also after a death, once', async () => {
    const payload = { session_name: 'Disk  full', confidence: 0.8, status: 'hidden' };
    const bench = await opened(options([calls('action', { type: 'observation', payload }), done]));
    await dieAt(CRASH_POINTS.afterTool, bench.deps, (process) => bench.deliverNext(process));
    bench.revive();
    await bench.drain();
    const run = await bench.read(bench.sessionId);
    const actions = run.timeline.filter(({ eventType }) => eventType === 'action');
    expect(actions).toMatchObject([
      { metadata: { actionType: 'observation', payload: expect.stringContaining('"confidence":0.8') } },
    ]);
    expect(run.session.title).toBe('Disk full');
    const [result] = resultsOf(run);
    expect(JSON.parse(result?.textContent ?? '')).toMatchObject({
      _action_event: true,
      _metadata_event: true,
      action_type: 'observation',
      status: 'success',
      confidence: 0.8,
      payload: { status: 'hidden' },
    });
    expectNoGaps(run);
  });

  it.each([
    [{ type: 'elicit', payload: { question: 'Who?' } }, false, 'People see the question now.'],
    [{ type: 'elicit', payload: { text: 'Who?' } }, true, '"payload" of elicit needs "question"'],
    [{ type: 'elicit', payload: { question: 'Who?', options: [1] } }, true, 'can have "options"'],
    [{ type: 'trigger_save' }, false, '"payload":{}'],
    [{ type: 'explode' }, true, '"explode" is no type of action; there are observation, elicit'],
    [{}, true, '"type" is missing'],
    [{ type: 'elicit', payload: 'x' }, true, '"payload" must be'],
    [{ type: 'elicit', payload: { text: 'x'.repeat(16_000) } }, true, '16000 at most'],
    [{ type: 'observation', payload: { session_name: 'x'.repeat(121) } }, true, '"session_name" must be'],
  ])('%j is answered', async (args, isError, text) => {
    const bench = await opened(options([calls('action', args), done]));
    await bench.drain();
    const run = await bench.read(bench.sessionId);
    const [result] = resultsOf(run);
    expect(result?.isError).toBe(isError);
    expect(result?.textContent).toContain(text);
    expect(run.timeline.filter(({ eventType }) => eventType === 'action')).toHaveLength(isError ? 0 : 1);
    expect(run.session.title).toBeNull();
  });
});

describe('resources', () => {
  const resources = ['Ledger', 'nothing'];
  const run = async (turns: object[], die = false) => {
    const agent = { tools: ['search'], resources };
    const bench = await opened(options(turns, { agent }));
    await add(bench.deps.store, 'ledger', { text: `Ask ${SECRET}. ${'long '.repeat(10_000)}` });
    if (die) {
      await dieAt(CRASH_POINTS.duringModelCall, bench.deps, (process) => bench.deliverNext(process));
      bench.revive();
    }
    await bench.drain();
    const all = await bench.read(bench.sessionId);
    const told = all.messages.filter(({ blocks }) => JSON.stringify(blocks).includes('resource ledger'));
    return { ...all, told, gemini: bench.gemini };
  };

  it('stand in the conversation before the first request, framed, masked and cut, with a note of missing ones', async () => {
    const { told, gemini, messages } = await run([calls('search', { query: 'LOOKUP x' }), done]);
    expect(told).toHaveLength(1);
    const text = JSON.stringify(told[0]?.blocks);
    expect(text).toContain('source=\\"resource ledger\\"');
    expect(text).toContain('[masked:known');
    expect(text).toContain('left out');
    expect(text).toContain('Not in the knowledge base, or not confirmed by a person: nothing.');
    expect(text.length).toBeLessThan(18_000);
    expect(JSON.stringify(gemini.requests[0]?.body)).toContain('resource ledger');
    expect(JSON.stringify(messages)).not.toContain(SECRET);
  });

  it('stand there once, also after a death', async () => {
    const all = await run([done], true);
    expect(all.told).toHaveLength(1);
    expectNoGaps(all);
  });
});

describe('the findings of a session', () => {
  const alert = (name: string, more: object = {}) => ({
    title: name,
    labels: { namespace: 'shop', pod: 'web-1' },
    ...more,
  });

  async function two(first: object, second: object, more: Partial<BenchOptions> = {}) {
    const bench = await startBench(
      options([], { script: { conversations: [{ turns: [done] }] }, agent: { tools: [] }, ...more }),
    );
    const before = await bench.publishAlert(first);
    await bench.drain();
    await review(bench.deps, before, 'right');
    // What fires a week after it was resolved is another incident.
    if ('fingerprint' in first) await bench.publishAlert({ ...first, status: 'resolved' });
    bench.deps.clock.advance(7 * 24 * 3600 * 1000);
    const after = await bench.publishAlert(second, {}, bench.deps.clock.now().toISOString());
    await bench.drain();
    const entry = await bench.deps.store.get(
      paths.knowledgeEntry('default', `session-${before}`),
      knowledgeType,
    );
    return { bench, before, entry: entry?.value, run: await bench.read(after) };
  }

  it('is an entry with cause, fix, identity and labels, and no masked value', async () => {
    const first = alert('DiskFull', { identity: 'disk-1', description: `password: ${SECRET}` });
    const { entry, before } = await two({ ...first, labels: { node: 'n1', key: SECRET } }, alert('Other'));
    expect(entry).toMatchObject({ kind: 'session', title: 'DiskFull', labels: { node: 'n1' }, userId: null });
    expect(entry?.session?.sessionId).toBe(before);
    expect(entry?.text).toContain('What was wrong: DiskFull');
    expect(entry?.text).toContain('Outcome: completed');
    expect(entry?.text).toContain('Cause: the disk is full.');
    expect(entry?.text).toContain('Fix: delete old logs.');
    expect(JSON.stringify(entry)).not.toContain('[masked:');
    expect(entry?.expireAt?.getTime()).toBeGreaterThan(entry?.updatedAt.getTime() ?? Number.NaN);
  });

  it.each([
    [
      'the same identity',
      { fingerprint: 'f-1' },
      { fingerprint: 'f-1', title: 'Quite another text' },
      'the same alert',
    ],
    ['a similar title and labels', {}, {}, 'a similar one'],
  ])(
    'is given to the next investigation of an alert with %s after a person confirmed it',
    async (_, one, other, how) => {
      const { run, before } = await two(alert('DiskFull', one), alert('DiskFull', other));
      const notices = run.timeline.filter(
        ({ metadata }) => 'code' in metadata && metadata.code === 'seen_before',
      );
      expect(notices).toMatchObject([
        { content: expect.stringContaining(`${before} (${how})`), metadata: { subject: before } },
      ]);
      const first = JSON.stringify(run.messages.find(({ role }) => role === 'user')?.blocks);
      expect(first).toContain('source=\\"earlier sessions\\"');
      expect(first).toContain(`entry session-${sessionReference(before)} of the knowledge base`);
      expect(first).toContain('Component: not named.');
      expectNoGaps(run);
    },
  );

  it('is not mentioned for an alert that is not like it', async () => {
    const { run } = await two(alert('DiskFull'), { title: 'Certificate expires', labels: { host: 'a' } });
    expect(readPart(seenPart, run.session)).toBeUndefined();
    expect(run.timeline.map(({ executionId }) => executionId)).not.toContain('session');
  });

  it('is there as soon as the session has ended, whatever dies', async () => {
    const bench = await opened(options([done], { agent: { tools: [] } }));
    await dieAt(CRASH_POINTS.stageAfterCommit, bench.deps, (process) => bench.deliverNext(process));
    const found = await bench.deps.store.find(
      { collection: paths.knowledge, equal: { kind: 'session' }, limit: 10 },
      knowledgeType,
    );
    expect(found.map(({ value }) => value.session?.sessionId)).toEqual([bench.sessionId]);
    expect((await bench.read(bench.sessionId)).session.status).toBe('completed');
  });

  it('is skipped where the store cannot be searched, and the alert is investigated all the same', async () => {
    const bench = await startBench(options([done], { agent: { tools: [] } }));
    bench.deps.store.find = () => {
      throw new RetryableError('STORE_UNAVAILABLE', 'an index is missing');
    };
    const sessionId = await bench.publishAlert(alert('DiskFull'));
    await bench.drain();
    expect((await bench.read(sessionId)).session.status).toBe('completed');
  });
});
