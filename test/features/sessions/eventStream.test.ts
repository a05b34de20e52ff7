// A session as server-sent events.

import { describe, expect, it } from 'vitest';
import { EventCursor } from '../../../shared/api/events/eventCursor.ts';
import { startApiBench } from '../../support/apiBench.ts';
import { randomRuns } from '../../support/fullTests.ts';

const script = { conversations: Array(6).fill({ turns: [{ text: 'The disk is full of logs.' }] }) };

interface Sent {
  event: string;
  id: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests name what they expect
  data: any;
}

/** Reads a stream until it ends, or until enough has come; then the connection is dropped. */
async function read(response: Response, isEnough: (sent: Sent[]) => boolean = () => false): Promise<Sent[]> {
  const sent: Sent[] = [];
  let text = '';
  const decoder = new TextDecoder();
  for await (const piece of response.body ?? []) {
    text += decoder.decode(piece, { stream: true });
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const fields = Object.fromEntries(block.split('\n').map((line) => line.split(/: (.*)/s).slice(0, 2)));
      sent.push({ event: fields.event, id: fields.id, data: JSON.parse(fields.data) });
      if (isEnough(sent)) return sent;
    }
  }
  return sent;
}

const eventsOf = (sent: Sent[]) =>
  sent
    .filter(({ event }) => event === 'timeline')
    .map(({ data }) => `${data.executionId}.${data.sequenceNumber}`);

describe('the stream of a session', () => {
  it('has each event of a session that has ended once, its state, and an end', async () => {
    const api = await startApiBench({ script });
    const sessionId = await api.investigate();
    const response = await api.fetch(`/v1/sessions/${sessionId}/events`);
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
    const sent = await read(response);
    const { timeline } = await api.read(sessionId);
    expect(eventsOf(sent).sort()).toEqual(
      timeline.map(({ executionId, sequenceNumber }) => `${executionId}.${sequenceNumber}`).sort(),
    );
    expect(sent.find(({ event }) => event === 'session')?.data).toMatchObject({ status: 'completed' });
    expect(sent.at(-1)?.event).toBe('end');
  });

  it('grows as the session does, and ends with it', async () => {
    const api = await startApiBench({ script });
    const sessionId = await api.publishAlert();
    await api.deliverNext();
    const reading = read(await api.fetch(`/v1/sessions/${sessionId}/events`));
    await api.drain();
    const sent = await reading;
    expect(sent.map(({ event }) => event)).toEqual(expect.arrayContaining(['session', 'timeline', 'end']));
    expect(sent.find(({ event }) => event === 'session')?.data.status).toBe('in_progress');
    expect(eventsOf(sent)).toHaveLength((await api.read(sessionId)).timeline.length);
  });

  it('continues behind the last event that was read, however often the connection is lost', async () => {
    const turns = [1, 2, 3, 4].map((n) => ({
      toolCalls: [
        { name: 'fixture.echo', args: { text: `${n}a` } },
        { name: 'fixture.echo', args: { text: `${n}b` } },
      ],
    }));
    const api = await startApiBench({
      script: { conversations: [{ turns: [...turns, { text: 'Done.' }] }] },
      agent: { tools: ['fixture'] },
    });
    const sessionId = await api.publishAlert();
    await api.deliverNext();
    const all: Sent[] = [];
    const follow = async () => {
      for (let lastId = ''; all.at(-1)?.event !== 'end'; lastId = all.at(-1)?.id ?? '') {
        const headers = { 'last-event-id': lastId };
        all.push(
          ...(await read(
            await api.fetch(`/v1/sessions/${sessionId}/events`, { headers }),
            ({ length }) => length === 3,
          )),
        );
      }
    };
    await Promise.all([follow(), api.drain()]);
    const { timeline } = await api.read(sessionId);
    expect(eventsOf(all).sort()).toEqual(
      timeline.map(({ executionId, sequenceNumber }) => `${executionId}.${sequenceNumber}`).sort(),
    );
  });

  it('reaches all of its readers, each with every event', async () => {
    const count = randomRuns(200);
    const limits = { streamsPerCaller: count, streamsPerInstance: count };
    const api = await startApiBench({ script, limits });
    const sessionId = await api.publishAlert();
    await api.deliverNext();
    const open = () => api.fetch(`/v1/sessions/${sessionId}/events`).then((response) => read(response));
    const readers = Array.from({ length: count }, open);
    await api.drain();
    const { timeline } = await api.read(sessionId);
    for (const sent of await Promise.all(readers)) expect(eventsOf(sent)).toHaveLength(timeline.length);
  });

  it('continues after the pages of the timeline, and sends as much of a result as is asked for', async () => {
    const api = await startApiBench({
      agent: { tools: ['fixture'] },
      script: {
        conversations: [
          {
            turns: [
              { toolCalls: [{ name: 'fixture.echo', args: { text: 'long '.repeat(100) } }] },
              { text: 'Done.' },
            ],
          },
        ],
      },
    });
    const sessionId = await api.investigate();
    const path = `/v1/sessions/${sessionId}`;
    const { body } = await api.ask(`${path}/timeline?resultBytes=20`);
    const result = body.events.find(({ eventType }: { eventType: string }) => eventType === 'tool_result');
    expect(result).toMatchObject({ cut: true, bytes: expect.any(Number) });
    expect(Buffer.byteLength(result.content)).toBe(20);
    const known = { headers: { 'last-event-id': body.position } };
    expect(eventsOf(await read(await api.fetch(`${path}/events`, known)))).toEqual([]);
    const [last] = body.events.slice(-1);
    const before = await api.ask(
      `${path}/timeline?after=${encodeURIComponent(last.eventId)}&position=${body.position}`,
    );
    expect(before.body).toMatchObject({ events: [], position: body.position });
    const first = await api.ask(`${path}/timeline?limit=1`);
    expect(first.body).toMatchObject({ events: [{}], next: body.events[0].eventId });
    const sent = await read(await api.fetch(`${path}/events?resultBytes=20`));
    expect(sent.find(({ data }) => data.eventType === 'tool_result')?.data.content).toBe(result.content);
    expect((await api.ask(`${path}/timeline?position=!`)).body.code).toBe('REQUEST_INVALID');
  });

  it('is refused for a session of another tenant, and for an id that is none of its own', async () => {
    const api = await startApiBench({ script });
    const sessionId = await api.investigate();
    const path = `/v1/sessions/${sessionId}/events`;
    const other = await api.ask(path, { headers: { 'x-tenant-id': 'acme' } });
    expect(other).toMatchObject({ status: 404, body: { code: 'SESSION_UNKNOWN' } });
    for (const id of ['%%', 'W10', 'eyJhIjoiYiJ9', 'x'.repeat(70_000)]) {
      const answer = await api.ask(path, { headers: { 'last-event-id': id } });
      expect(answer).toMatchObject({ status: 400, body: { code: 'REQUEST_INVALID' } });
    }
  });
});

it('the stream of all sessions has each as it is, and as it becomes, of one tenant', async () => {
  const api = await startApiBench({ script });
  const first = await api.investigate({ title: 'One' });
  const other = await api.publishAlert({ title: 'Other' }, { tenant: 'acme' });
  const response = await api.fetch('/v1/sessions/events?since=2026-01-01T00:00:00Z');
  const second = await api.publishAlert({ title: 'Two', severity: 'critical' });
  const reading = read(response, (sent) => {
    const { data } = sent.at(-1) ?? {};
    return data.sessionId === second && data.status === 'completed';
  });
  await api.drain();
  const sent = await reading;
  const seen = sent.map(({ data }) => `${data.sessionId} ${data.status}`);
  expect(seen[0]).toBe(`${first} completed`);
  expect(sent.at(-1)?.data).toMatchObject({ title: 'Two', severity: 'critical' });
  expect(seen.join()).not.toContain(other);
});

describe('a cursor', () => {
  it('knows the sent fields, in whatever order, through its text', () => {
    const numbers = [1, 2, 6, 4, 3, 9];
    let cursor = new EventCursor();
    for (const sequenceNumber of numbers) {
      expect(cursor.take({ executionId: 'a', sequenceNumber })).toBe(true);
      cursor = EventCursor.parse(cursor.toString()) ?? new EventCursor();
    }
    for (const sequenceNumber of numbers)
      expect(cursor.take({ executionId: 'a', sequenceNumber })).toBe(false);
    expect(cursor.take({ executionId: 'a', sequenceNumber: 5 })).toBe(true);
    expect(cursor.take({ executionId: 'b', sequenceNumber: 1 })).toBe(true);
  });
});
