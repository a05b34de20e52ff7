import { describe, expect, it } from 'vitest';
import type { TimelineEvent } from '../../../../shared/lists/apiTypes.ts';
import { compareCalls } from './calls.ts';

const call = (n: number, toolName: string, isError = false) =>
  [
    {
      eventType: 'llm_tool_call',
      executionId: 'a',
      metadata: { toolName, callId: `${n}`, arguments: '{"pod":"a"}' },
    },
    { eventType: 'tool_result', executionId: 'a', metadata: { toolName, callId: `${n}`, isError } },
  ] as unknown as TimelineEvent[];

describe('the calls of two sessions', () => {
  it('are counted by tool and arguments, with their errors; those of both come first', () => {
    const one = [...call(1, 'k.logs'), ...call(2, 'k.events'), ...call(3, 'k.events', true)];
    const other = [...call(1, 'k.metrics'), ...call(2, 'k.events')];
    expect(
      compareCalls(one, other).map(({ toolName, counts }) => [toolName, ...counts.map(({ calls }) => calls)]),
    ).toEqual([
      ['k.events', 2, 1],
      ['k.logs', 1, 0],
      ['k.metrics', 0, 1],
    ]);
    expect(compareCalls(one, other)[0]?.counts[0].errors).toBe(1);
    const call3 = {
      ...call(3, 'k.events')[0],
      metadata: { toolName: 'k.events', callId: '3', isError: true },
    };
    expect(compareCalls([...call(3, 'k.events'), call3 as TimelineEvent], [])[0]?.counts[0].errors).toBe(0);
  });
  it('with other arguments are other calls', () => {
    const [first, result] = call(1, 'k.logs');
    const changed = { ...first, metadata: { ...first?.metadata, arguments: '{"pod":"b"}' } } as TimelineEvent;
    expect(compareCalls(call(1, 'k.logs'), [changed, result as TimelineEvent])).toHaveLength(2);
  });
});
