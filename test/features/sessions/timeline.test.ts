// A session's timeline over HTTP: pages, texts of events, calls without results.

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { createDocument } from '../../../shared/core/contract/store.ts';
import { numberedId } from '../../../shared/core/schema/ids.ts';
import type { TimelineEvent } from '../../../shared/core/schema/timelineEvent.ts';
import { paths, sessionType, timelineEventType } from '../../../shared/lists/documents.ts';
import { startApiBench } from '../../support/apiBench.ts';
import { randomRuns } from '../../support/fullTests.ts';
import { temporaryFolder } from '../../support/ownConfig.ts';
import { sampleEvent, sampleSession } from '../../support/samples.ts';

const JOURNAL_SERVER = fileURLToPath(new URL('../../tools/journalServer.ts', import.meta.url));
const script = { conversations: [{ turns: [{ text: 'Done.' }] }] };

/** Stores a session with these events. */
async function startWith(events: TimelineEvent[]) {
  const api = await startApiBench({ script });
  const session = sampleSession();
  const { sessionId } = session;
  await api.deps.store.commit([createDocument(paths.session(sessionId), sessionType, session)]);
  let writes: ReturnType<typeof createDocument>[] = [];
  let bytes = 0;
  const flush = async () => {
    expect(await api.deps.store.commit(writes)).toMatchObject({ ok: true });
    [writes, bytes] = [[], 0];
  };
  for (const event of events) {
    const path = paths.event(sessionId, event.executionId, event.sequenceNumber);
    writes.push(createDocument(path, timelineEventType, { ...event, sessionId }));
    bytes += Buffer.byteLength(JSON.stringify(event));
    if (bytes > 2_000_000) await flush();
  }
  if (writes.length > 0) await flush();
  /** The timeline, page by page, as a reader gets it. */
  const walk = async () => {
    const found = [];
    const sizes = [];
    for (let after: string | null = ''; after !== null; ) {
      const query: string = after && `?after=${encodeURIComponent(after)}`;
      const text = await (await api.fetch(`/v1/sessions/${sessionId}/timeline${query}`)).text();
      sizes.push(Buffer.byteLength(text));
      const page = JSON.parse(text);
      found.push(...page.events);
      after = page.next;
    }
    return { found, sizes };
  };
  return { ...api, sessionId, walk };
}

it('of many events with large results is read whole in answers of less than a megabyte each', async () => {
  const events = Array.from({ length: randomRuns(2_000) }, (_, index): TimelineEvent => {
    const place = { executionId: `0${1 + (index % 2)}-agent~${index % 3}`, sequenceNumber: index + 1 };
    const kb = index % 40 === 1 ? 300 : 3;
    if (index % 2 === 1)
      return sampleEvent('tool_result', { ...place, content: `${'line "quoted"\n'.repeat(kb * 75)}` });
    if (index % 100 === 0)
      return sampleEvent('llm_thinking', { ...place, content: 'thought\n'.repeat(40_000) });
    return sampleEvent('llm_response', { ...place, content: 'text '.repeat(100) });
  });
  const { walk, ask, fetch, sessionId } = await startWith(events);
  const { found, sizes } = await walk();
  expect(found.map(({ eventId }) => eventId)).toEqual(
    events.map(({ executionId, sequenceNumber }) => numberedId(executionId, sequenceNumber)).sort(),
  );
  expect(Math.max(...sizes)).toBeLessThan(1_000_000);
  expect(sizes.length).toBeLessThan(20);
  const session = await (await fetch(`/v1/sessions/${sessionId}`)).text();
  expect(Buffer.byteLength(session)).toBeLessThan(1_000_000);
  const large = found.find(({ bytes, cut }) => cut && bytes > 300_000);
  const whole = await ask(`/v1/sessions/${sessionId}/timeline/${encodeURIComponent(large.eventId)}`);
  expect(Buffer.byteLength(whole.body.content)).toBe(large.bytes);
});

it('states of each event which values were masked, and whether it is only a part', async () => {
  const result = { toolName: 'a.b', callId: '1', isError: false, durationMs: 1 };
  const { walk } = await startWith([
    sampleEvent('tool_result', { sequenceNumber: 1, metadata: { ...result, truncated: true, masked: 3 } }),
    sampleEvent('tool_result', { sequenceNumber: 2, metadata: { ...result, truncated: false } }),
    sampleEvent('final_analysis', { sequenceNumber: 3, metadata: { citations: [], truncated: true } }),
    sampleEvent('notice', { sequenceNumber: 4, iteration: 2 }),
  ]);
  const { found } = await walk();
  expect(found.map(({ masked, truncated }) => [masked, truncated])).toEqual([
    [3, true],
    [0, false],
    [0, true],
    [0, false],
  ]);
  expect(found.at(-1)).toMatchObject({ iteration: 2, cut: false, lines: 1 });
});

it('a call that waits names the number that is kept for its result', async () => {
  const folder = temporaryFolder();
  const calls = [
    { name: 'fixture.echo', args: { text: 'a' } },
    { name: 'journal.order', args: { to: 1 } },
  ];
  const api = await startApiBench({
    script: { conversations: [{ turns: [{ toolCalls: calls }, { text: 'Done.' }] }] },
    agent: { tools: ['fixture', 'journal'] },
    servers: {
      journal: {
        transport: 'stdio',
        command: process.execPath,
        args: [JOURNAL_SERVER, join(folder, 'journal')],
        tools: { order: { approval: 'required' } },
      },
    },
  });
  const sessionId = await api.publishAlert();
  await api.drain();
  const openCalls = async () =>
    (await api.ask(`/v1/sessions/${sessionId}`)).body.stages[0].executions[0].openCalls;
  const [open, ...others] = await openCalls();
  expect(others).toEqual([]);
  expect(open).toMatchObject({ name: 'journal.order', state: 'waiting', waitsFor: { kind: 'person' } });
  const approvals = await api.ask('/v1/approvals');
  const [{ approvalId }] = approvals.body.approvals;
  await api.ask(`/v1/approvals/${approvalId}`, { body: { verdict: 'denied', reason: 'a test' } });
  await api.drain();
  expect(await openCalls()).toEqual([]);
  const { timeline } = await api.read(sessionId);
  const result = timeline.find(({ sequenceNumber }) => sequenceNumber === open.resultEvent);
  expect(result).toMatchObject({ eventType: 'tool_result', metadata: { callId: open.callId } });
});
