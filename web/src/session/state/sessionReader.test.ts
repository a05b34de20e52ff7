// Results of which only the start was read: for a search or an export they are read again, once.

import { expect, it, onTestFinished, vi } from 'vitest';
import { RESULT_BYTES } from '../../../../shared/api/pages/sessionReads.ts';
import { shownEvent } from '../../../dev/fixtures.ts';
import { makeEvents } from '../../../fixtures/make.ts';
import { createModel } from './sessionModel.ts';
import { createReader } from './sessionReader.ts';

/** Bytes of a result in a list of the API. */
const LISTED_BYTES = 8_000;

/** A reader of a session with a result of 20 kB, of which the start was read. */
function openReader() {
  const model = createModel('a');
  const content = 'x'.repeat(20_000);
  const [made] = makeEvents({ sessionId: 'a', executionId: '01', begin: new Date() }, [
    { eventType: 'tool_result', content, metadata: { callId: '1' } },
  ]);
  const event = made && { ...shownEvent(made), content };
  if (event === undefined) throw new Error('no event was made');
  const startOf = (bytes: number) => ({ ...event, cut: true, content: event.content.slice(0, bytes) });
  model.timeline.add([startOf(RESULT_BYTES)]);
  const page = { events: [startOf(LISTED_BYTES)], next: null, position: '1' };
  const answers: (() => Response)[] = [];
  const fetched = vi.fn(async () => answers.shift()?.() ?? Response.json(page));
  vi.stubGlobal('fetch', fetched);
  onTestFinished(() => {
    vi.unstubAllGlobals();
  });
  const contentLength = () => model.timeline.get(event.eventId)?.content.length;
  return { reader: createReader(model), answers, fetched, contentLength };
}

it('results are read once, also those that the API cuts, and concurrent readers share the read', async () => {
  const { reader, fetched, contentLength } = openReader();
  await Promise.all([reader.readTexts(), reader.readTexts()]);
  expect(contentLength()).toBe(LISTED_BYTES);
  await reader.readTexts();
  expect(fetched).toHaveBeenCalledTimes(1);
});

it('a failure to read results is thrown, and the next call reads again', async () => {
  const { reader, answers, fetched, contentLength } = openReader();
  answers.push(() => Response.json({ code: 'INTERNAL', detail: 'later' }, { status: 500 }));
  await expect(reader.readTexts()).rejects.toThrow('later');
  expect(contentLength()).toBe(RESULT_BYTES);
  await reader.readTexts();
  expect([fetched.mock.calls.length, contentLength()]).toEqual([2, LISTED_BYTES]);
});
