import { expect, it } from 'vitest';
import { SAMPLE_TIME, sampleExecution, samplePendingCall } from '../../../../test/support/samples.ts';
import type { Execution } from '../../schema/execution.ts';
import type { TimelineEvent } from '../../schema/timelineEvent.ts';
import { startBatch } from '../conversation/executionBatch.ts';
import { appendChildResult } from './childResult.ts';

/** What reader and model are shown of a child that ended like this. */
function resultOf(ended: Partial<Execution>) {
  const parent = sampleExecution();
  const batch = startBatch(parent, SAMPLE_TIME);
  const limits = { ...parent.limits, toolResultBytes: 1_000 };
  appendChildResult(samplePendingCall({ name: 'ask_agent' }), sampleExecution(ended), limits, batch);
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
