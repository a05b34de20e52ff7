import { describe, expect, it } from 'vitest';
import { SAMPLE_TIME, sampleExecution, samplePendingCall } from '../../../../test/support/samples.ts';
import type { ToolDefinition } from '../../contract/tools.ts';
import { startBatch } from '../conversation/executionBatch.ts';
import { appendMissingResult, appendResult, appendUnknownResult, failedResult } from '../state/callResult.ts';
import { appendCall, formatCall } from './requestCall.ts';
import { toolDigest } from './toolDigest.ts';

const event = { eventType: 'notice' as const, content: 'x', metadata: { code: 'x', subject: 'x' } };
const tool = (overrides: Partial<ToolDefinition> = {}): ToolDefinition => ({
  name: 'k8s.drain',
  description: 'Drains.',
  inputSchema: {},
  readOnly: false,
  ...overrides,
});

describe('a requested call', () => {
  const call = { callId: 'c1', name: 'k8s.drain', arguments: '{}' };
  const requested = (tools: ToolDefinition[], ids = {}) => {
    const batch = startBatch(sampleExecution({ lastEvent: 3, lastMessage: 4 }), SAMPLE_TIME);
    const pending = appendCall(call, 2, tools, event as never, batch, ids);
    expect(batch.after.events.map(({ sequenceNumber }) => sequenceNumber)).toEqual([4]);
    expect(batch.counters()).toEqual({ lastEvent: 5, lastMessage: 5 });
    return pending;
  };
  const plain = {
    index: 2,
    callId: 'c1',
    name: 'k8s.drain',
    state: 'requested',
    resultEvent: 5,
    resultMessage: 5,
  };

  it('of an unknown tool has no effect', () => {
    expect(requested([tool({ name: 'k8s.top' })])).toEqual({ ...plain, readOnly: true });
  });

  it('has what its tool needs to run it later', () => {
    expect(requested([tool({ name: 'k8s.top' }), tool()])).toEqual({ ...plain, readOnly: false });
    expect(requested([tool({ recovery: 'probe', waits: 'child' })], { childExecutionId: '01-a~1' })).toEqual({
      ...plain,
      readOnly: false,
      recovery: 'probe',
      waits: 'child',
      childExecutionId: '01-a~1',
    });
  });

  it('that a person approves has the definition that is approved', () => {
    const approved = tool({ waits: 'person' });
    expect(requested([approved])).toEqual({
      ...plain,
      readOnly: false,
      waits: 'person',
      toolDigest: toolDigest(approved),
    });
    const bound = tool({ waits: 'person', bound: { namespace: 'shop' } });
    expect(requested([bound])).toMatchObject({ toolDigest: toolDigest(bound), bound: { namespace: 'shop' } });
  });
});

it.each([
  ['{}', 'k8s.drain()'],
  ['{"node": "a", "force": true}', 'k8s.drain(node: "a", force: true)'],
  ['not JSON', 'k8s.drain(not JSON)'],
  ['[1]', 'k8s.drain([1])'],
])('a call with the arguments %s is readable', (input, text) => {
  expect(formatCall({ callId: 'c1', name: 'k8s.drain', arguments: input })).toBe(text);
});

describe('the result of a call', () => {
  const pending = samplePendingCall({ callId: 'c1', name: 'k8s.drain', resultEvent: 3, resultMessage: 4 });
  const result = { ...failedResult(pending, 'Drained.', 25), isError: false };
  delete result.noAnswer;
  const stored = (append: (batch: ReturnType<typeof startBatch>) => void) => {
    const batch = startBatch(sampleExecution({ lastEvent: 9, lastMessage: 9 }), SAMPLE_TIME);
    append(batch);
    const [message] = batch.messages;
    return {
      events: batch.after.events.map(({ sequenceNumber, eventType, status, content, metadata }) => ({
        sequenceNumber,
        eventType,
        status,
        content,
        metadata,
      })),
      message: message && [message.message.sequenceNumber, message.message.role, message.message.blocks],
    };
  };
  const base = { toolName: 'k8s.drain', callId: 'c1', truncated: false };
  const block = { blockType: 'tool_result', toolUseId: 'c1', toolName: 'k8s.drain' };

  it('has the reserved numbers, for readers and for the model', () => {
    expect(stored((batch) => appendResult(pending, result, batch))).toEqual({
      events: [
        {
          sequenceNumber: 3,
          eventType: 'tool_result',
          status: 'completed',
          content: 'Drained.',
          metadata: { ...base, isError: false, durationMs: 25 },
        },
      ],
      message: [4, 'tool', [{ ...block, isError: false, textContent: 'Drained.' }]],
    });
  });

  it('has all that is known of it', () => {
    const whole = { bytes: 5, documents: 1 } as never;
    const more = {
      masked: 2,
      stored: whole,
      modelContent: 'framed',
      yields: 'states' as never,
      fields: 'a b',
      truncated: true,
      events: [event as never],
    };
    const child = { ...pending, childExecutionId: '01-a~1' };
    expect(stored((batch) => appendResult(child, { ...result, ...more }, batch))).toMatchObject({
      events: [
        { sequenceNumber: 10, eventType: 'notice' },
        {
          sequenceNumber: 3,
          content: 'Drained.',
          metadata: { truncated: true, masked: 2, stored: whole, childExecutionId: '01-a~1' },
        },
      ],
      message: [
        4,
        'tool',
        [{ ...block, isError: false, textContent: 'framed', stored: whole, yields: 'states', fields: 'a b' }],
      ],
    });
  });

  it.each([
    ['failed', { isError: true, content: '' }, 'failed', 25, {}],
    ['was too slow', { isError: true, timedOut: true }, 'timed_out', 25, { noAnswer: true }],
    ['was not answered', { isError: true, noAnswer: true as const }, 'failed', 25, { noAnswer: true }],
    ['named no tool', { isError: true, unknownTool: true as const }, 'failed', null, {}],
  ])('says that the call %s', (_, change, status, durationMs, more) => {
    const { events, message } = stored((batch) => appendResult(pending, { ...result, ...change }, batch));
    const { content = 'Drained.' } = change as { content?: string };
    expect(events).toMatchObject([
      { status, content: content || '(no output)', metadata: { isError: true, durationMs } },
    ]);
    expect(message).toEqual([4, 'tool', [{ ...block, isError: true, textContent: content, ...more }]]);
  });

  it('of a call that did not run, or whose effect is unknown, has no answer', () => {
    const metadata = { ...base, isError: true, durationMs: null };
    const message = [4, 'tool', [{ ...block, isError: true, textContent: 'Cut off.', noAnswer: true }]];
    const shown = { sequenceNumber: 3, eventType: 'tool_result', content: 'Cut off.' };
    expect(stored((batch) => appendMissingResult(pending, 'Cut off.', 'cancelled', batch))).toEqual({
      events: [{ ...shown, status: 'cancelled', metadata }],
      message,
    });
    expect(stored((batch) => appendUnknownResult(pending, 'Cut off.', batch))).toEqual({
      events: [{ ...shown, status: 'failed', metadata: { ...metadata, outcome: 'unknown' } }],
      message,
    });
  });
});
