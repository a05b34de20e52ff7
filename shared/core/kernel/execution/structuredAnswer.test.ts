import { expect, it } from 'vitest';
import { SAMPLE_METADATA, SAMPLE_TIME, sampleExecution } from '../../../../test/support/samples.ts';
import { createMemoryStore } from '../../../store/memory/memoryStore.ts';
import type { EventDraft } from '../../schema/timelineEvent.ts';
import { startBatch } from '../conversation/executionBatch.ts';
import { structuredAnswer } from './structuredAnswer.ts';

const task: EventDraft = {
  eventType: 'task_assigned',
  content: 'Why?',
  metadata: SAMPLE_METADATA.task_assigned,
};
const said: EventDraft = { eventType: 'llm_response', content: 'Hm.', metadata: {} };
const analysis = (output?: string): EventDraft => ({
  eventType: 'final_analysis',
  content: 'OOM.',
  metadata: { citations: [], ...(output !== undefined && { output }) },
});

async function answerOf(events: EventDraft[], finalAnalysis: string | null = 'OOM.') {
  const execution = sampleExecution({ lastEvent: 0, finalAnalysis });
  const store = createMemoryStore();
  const batch = startBatch(execution, SAMPLE_TIME);
  for (const event of events) batch.appendEvent(event);
  await store.commit(batch.writes);
  return structuredAnswer({ ...execution, ...batch.counters() }, { store });
}

it.each<[string, EventDraft[], object | undefined]>([
  ['its question and its JSON', [task, said, analysis('{"a":1}')], { json: '{"a":1}', question: 'Why?' }],
  ['no question where it was not asked', [said, analysis('{"a":1}')], { json: '{"a":1}', question: '' }],
  ['none where it answered with text', [task, analysis()], undefined],
  ['none where its last event is another', [task, analysis('{"a":1}'), said], undefined],
  ['none without events', [], undefined],
])('the structured answer of a child has %s', async (_, events, answer) => {
  expect(await answerOf(events)).toEqual(answer);
});

it('a child without an analysis has no answer', async () => {
  expect(await answerOf([task, analysis('{"a":1}')], null)).toBeUndefined();
});
