// What people did about a session, over HTTP: entries, their state, who may add them, and their events.

import { describe, expect, it } from 'vitest';
import { paths, timelineEventType, workType } from '../../../shared/lists/documents.ts';
import { startApiBench } from '../../support/apiBench.ts';

const SECRET = 'q7RkT2mZx9Lw4VbN8sYc';
const script = { conversations: Array(3).fill({ turns: [{ text: 'The disk is full of logs.' }] }) };

async function start() {
  const api = await startApiBench({ script, knownSecrets: [SECRET] });
  const sessionId = await api.investigate();
  const path = `/v1/sessions/${sessionId}/work`;
  const add = (body: object, headers: Record<string, string> = {}) => api.ask(path, { body, headers });
  return { api, sessionId, path, add };
}

describe('the work on a session', () => {
  it('is claimed, noted and resolved after its end, each with an event, masked, until the session expires', async () => {
    const { api, sessionId, path, add } = await start();
    expect((await add({ kind: 'claim' }, { 'x-user-id': 'ada' })).body).toMatchObject({
      entry: { number: 1, kind: 'claim', by: 'ada' },
      claimedBy: 'ada',
    });
    expect((await add({ kind: 'note', text: `the key is ${SECRET}` })).status).toBe(201);
    const resolved = await add({ kind: 'resolve', text: 'rolled back', seen: 2 }, { 'x-user-id': 'ben' });
    expect(resolved.body).toMatchObject({ claimedBy: null, resolved: { by: 'ben' } });
    const { body } = await api.ask(path);
    expect(body.entries.map(({ kind }: { kind: string }) => kind)).toEqual(['claim', 'note', 'resolve']);
    expect(JSON.stringify(body)).not.toContain(SECRET);
    const { timeline } = await api.read(sessionId);
    const events = timeline.filter(({ executionId }) => executionId === 'work');
    expect(events.map(({ content }) => content)).toEqual([
      'ada works on it.',
      expect.stringMatching(/^Note of local: the key is \[masked/),
      'ben resolved it: rolled back',
    ]);
    const stored = await api.deps.store.get(paths.work(sessionId, 2), workType);
    const event = await api.deps.store.get(paths.event(sessionId, 'work', 2), timelineEventType);
    const { session } = await api.read(sessionId);
    expect(stored?.value.expireAt).toEqual(session.expireAt);
    expect(event?.value.expireAt).toEqual(session.expireAt);
  });

  it('has the newest review of each person', async () => {
    const { add } = await start();
    await add({ kind: 'review', review: { rating: 'right' } }, { 'x-user-id': 'ada' });
    const cause = { component: 'checkout', mechanism: 'memory' };
    const review = { rating: 'wrong', cause, missed: 'the release' };
    const second = await add({ kind: 'review', review }, { 'x-user-id': 'ben' });
    expect(second.body).toMatchObject({ isDisputed: true, reviews: [{ by: 'ben' }, { by: 'ada' }] });
    expect(second.body.entry.review).toEqual({
      rating: 'wrong',
      action: null,
      missed: 'the release',
      cause: { ...cause, text: null },
    });
    const third = await add({ kind: 'review', review: { rating: 'right' } }, { 'x-user-id': 'ben' });
    expect(third.body.isDisputed).toBe(false);
  });

  it('keeps every entry of people who add them at the same time', async () => {
    const { api, path, add } = await start();
    const added = await Promise.all([1, 2, 3].map((n) => add({ kind: 'note', text: `note ${n}` })));
    expect(added.map(({ status }) => status)).toEqual([201, 201, 201]);
    const { body } = await api.ask(path);
    expect(body.entries.map(({ number }: { number: number }) => number)).toEqual([1, 2, 3]);
    expect(new Set(body.entries.map(({ text }: { text: string }) => text)).size).toBe(3);
  });

  it('refuses an entry that was made without the newest ones, and entries without their parts', async () => {
    const { api, path, add } = await start();
    await add({ kind: 'claim' }, { 'x-user-id': 'ada' });
    const late = await add({ kind: 'claim', seen: 0 }, { 'x-user-id': 'ben' });
    expect([late.status, late.body.code]).toEqual([409, 'SESSION_STATE']);
    for (const body of [
      { kind: 'note' },
      { kind: 'note', text: ' ' },
      { kind: 'review' },
      { kind: 'claim', review: { rating: 'right' } },
      { kind: 'done' },
      { kind: 'note', text: 'x'.repeat(10_001) },
    ])
      expect((await add(body)).status, JSON.stringify(body).slice(0, 80)).toBe(400);
    expect((await api.ask(path)).body.entries).toHaveLength(1);
    expect((await api.ask('/v1/sessions/none/work')).status).toBe(404);
    expect((await api.ask('/v1/sessions/none/work', { body: { kind: 'claim' } })).status).toBe(404);
  });

  it('of another tenant does not exist, and a session without an analysis has no review', async () => {
    const { api, path, add } = await start();
    await add({ kind: 'claim' });
    const headers = { 'x-tenant-id': 'acme' };
    expect((await api.ask(path, { headers })).status).toBe(404);
    expect((await add({ kind: 'note', text: 'a' }, headers)).status).toBe(404);
    const running = await api.publishAlert();
    await api.deliverNext();
    const review = { kind: 'review', review: { rating: 'right' } };
    const early = await api.ask(`/v1/sessions/${running}/work`, { body: review });
    expect([early.status, early.body.code]).toEqual([409, 'SESSION_STATE']);
    const claim = await api.ask(`/v1/sessions/${running}/work`, { body: { kind: 'claim' } });
    expect(claim.status).toBe(201);
    await api.drain();
    expect((await api.read(running)).session.status).toBe('completed');
  });

  it('is listed with the reviews, claims and resolutions of each session, of the days that are asked for', async () => {
    const { api, sessionId, add } = await start();
    await api.investigate({ title: 'Not reviewed' });
    await add({ kind: 'review', review: { rating: 'wrong' } }, { 'x-user-id': 'ada' });
    await add({ kind: 'review', review: { rating: 'right' } }, { 'x-user-id': 'ada' });
    await add({ kind: 'review', review: { rating: 'partly' } }, { 'x-user-id': 'ben' });
    const reviews = [{ sessionId, right: 1, partly: 1, wrong: 0 }];
    const { body } = await api.ask('/v1/reviews');
    expect(body).toEqual({ reviews, work: [], sessions: 2, unreadable: [], next: null });
    const workOf = async () => (await api.ask('/v1/reviews')).body.work;
    const running = await api.publishAlert();
    await api.deliverNext();
    await api.ask(`/v1/sessions/${running}/work`, {
      body: { kind: 'claim' },
      headers: { 'x-user-id': 'ada' },
    });
    await add({ kind: 'claim' }, { 'x-user-id': 'ada' });
    await add({ kind: 'resolve', text: 'rolled back' }, { 'x-user-id': 'ben' });
    const claimed = { sessionId: running, claimedBy: 'ada', resolvedBy: null };
    expect(await workOf()).toEqual([claimed, { sessionId, claimedBy: null, resolvedBy: 'ben' }]);
    expect((await api.ask('/v1/reviews', { headers: { 'x-tenant-id': 'other' } })).body.work).toEqual([]);
    api.deps.clock.advance(3 * 24 * 3_600_000);
    // Today counts, so that the day of the session is the fourth.
    expect((await api.ask('/v1/reviews?days=4')).body).toMatchObject({ sessions: 3 });
    expect((await api.ask('/v1/reviews?days=3')).body).toMatchObject({ reviews: [], sessions: 0 });
    expect((await api.ask('/v1/reviews?after=nothing')).status).toBe(400);
  });
});
