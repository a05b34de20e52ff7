import { expect, it } from 'vitest';
import { SAMPLE_TIME, sampleExecution, samplePendingCall } from '../../../../test/support/samples.ts';
import type { Execution } from '../../schema/execution.ts';
import type { TimelineEvent } from '../../schema/timelineEvent.ts';
import { startBatch } from '../conversation/executionBatch.ts';
import { appendChildResult, appendRefusal, type StructuredAnswer } from './childResult.ts';

/** What reader and model are shown of a child that ended like this. */
function resultOf(ended: Partial<Execution>, structured?: StructuredAnswer) {
  const parent = sampleExecution();
  const batch = startBatch(parent, SAMPLE_TIME);
  const limits = { ...parent.limits, toolResultBytes: 1_000 };
  const pending = samplePendingCall({ name: 'ask_agent' });
  appendChildResult(pending, sampleExecution(ended), limits, batch, structured);
  return shownIn(batch);
}

/** What reader and model are shown of the only result of a batch. */
function shownIn(batch: ReturnType<typeof startBatch>) {
  const event = batch.writes.find(({ path }) => path.includes('/timeline/'))?.value as TimelineEvent;
  const [block] = batch.messages[0]?.message.blocks ?? [];
  const answer = block?.blockType === 'tool_result' ? JSON.parse(block.textContent) : undefined;
  return { content: event.content, status: event.status, metadata: event.metadata, answer };
}

it('the analysis of a child is the result of the call, with its caveats, whatever its status', () => {
  for (const status of ['completed', 'failed'] as const)
    expect(resultOf({ status, finalAnalysis: 'OOM.', caveats: ['MAX_ITERATIONS'] })).toMatchObject({
      content: 'OOM.',
      status: 'completed',
      answer: {
        status: 'success',
        agent_schema: 'kubernetes',
        output: 'OOM.',
        caveats: ['MAX_ITERATIONS'],
      },
    });
  expect(resultOf({ status: 'completed', finalAnalysis: 'OOM.' }).answer).not.toHaveProperty('caveats');
});

it('a long analysis is cut as every result is, for reader and model', () => {
  const { content, metadata, answer } = resultOf({ status: 'completed', finalAnalysis: 'x'.repeat(5_000) });
  expect(metadata).toMatchObject({ truncated: true });
  expect(content.length).toBeLessThan(1_200);
  expect(answer.output.length).toBeLessThan(1_200);
});

it('invisible characters of an analysis are shown to the model', () => {
  expect(resultOf({ status: 'completed', finalAnalysis: 'a\u202eb' }).answer.output).not.toContain('\u202e');
});

it('a child without an analysis leaves an error that states how it ended', () => {
  const failure = { code: 'MODEL_BLOCKED' as const, message: 'It was blocked.' };
  expect(resultOf({ status: 'failed', failure })).toMatchObject({
    status: 'failed',
    answer: { status: 'error', error: expect.stringContaining('MODEL_BLOCKED: It was blocked.') },
  });
  expect(resultOf({ status: 'timed_out' }).answer.error).toContain('did not answer in time');
});

it('the call of a child lasts from its creation until its result is stored, so that its span contains that of the child', () => {
  const before = (ms: number) => new Date(SAMPLE_TIME.getTime() - ms);
  const ended = {
    createdAt: before(60_000),
    endedAt: before(40_000),
    status: 'completed',
    finalAnalysis: 'OOM.',
  } as const;
  expect(resultOf(ended).metadata).toMatchObject({ durationMs: 60_000 });
});

it('a structured answer is data to the model, and text when it is larger than a result can be', () => {
  const ended = { status: 'completed', finalAnalysis: 'OOM.' } as const;
  const structured = (json: string) => resultOf(ended, { json, question: 'Why?' });
  const data = { answer: 'O\u202eOM.', confidence: 1 };
  const json = JSON.stringify(data);
  expect(structured(json)).toMatchObject({ content: 'OOM.', metadata: { isError: false, truncated: false } });
  expect(structured(json).answer).toEqual({
    status: 'success',
    agent_schema: 'kubernetes',
    output: data,
    text_response: 'O\ufffdOM.',
    input_text: 'Why?',
    is_structured_output: true,
  });
  expect(structured('{"cause":"x"}').answer).toMatchObject({ text_response: 'OOM.' });
  const padded = (bytes: number) => structured(JSON.stringify({ a: 'x'.repeat(bytes - 8) })).answer;
  expect(padded(1_000).is_structured_output).toBe(true);
  expect(padded(1_001)).toEqual({
    status: 'success',
    agent_schema: 'kubernetes',
    output: 'OOM.',
    is_structured_output: false,
  });
});

it('a child without an analysis and without a failure is named with its status', () => {
  expect(resultOf({ status: 'cancelled' }).answer).toEqual({
    status: 'error',
    agent_schema: 'kubernetes',
    error: 'kubernetes ended without an answer (cancelled) Go on without it, or conclude.',
  });
});

it.each([
  [undefined, 'No such agent.', { status: 'error', error: 'No such agent.' }],
  ['Ask logs.', 'No such agent. Ask logs.', { status: 'error', error: 'No such agent.', hint: 'Ask logs.' }],
])('a rejected call is an error that its tool answered, with the hint %j', (hint, content, answer) => {
  const batch = startBatch(sampleExecution(), SAMPLE_TIME);
  appendRefusal(samplePendingCall(), { error: 'No such agent.', hint }, batch);
  const shown = shownIn(batch);
  expect(shown).toMatchObject({
    content,
    status: 'failed',
    metadata: { isError: true, truncated: false, durationMs: 0 },
  });
  expect(shown.answer).toEqual(answer);
  expect(batch.messages[0]?.message.blocks[0]).not.toHaveProperty('noAnswer');
});
