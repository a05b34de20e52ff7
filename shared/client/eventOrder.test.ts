import { describe, expect, it } from 'vitest';
import { sampleEvent } from '../../test/support/samples.ts';
import { orderedByExecution } from './eventOrder.ts';

/** An order, and the events it has reported. */
function order() {
  const reported: string[] = [];
  const { add, skip } = orderedByExecution(({ executionId, sequenceNumber }) =>
    reported.push(`${executionId}.${sequenceNumber}`),
  );
  const addAll = (executionId: string, ...numbers: number[]) => {
    for (const sequenceNumber of numbers) add(sampleEvent('llm_response', { executionId, sequenceNumber }));
  };
  return { reported, add, addAll, skip };
}

describe('the events of an execution', () => {
  it('are reported in the order of their numbers, each once', () => {
    const { reported, addAll } = order();
    addAll('01-a', 1, 4, 3);
    expect(reported).toEqual(['01-a.1']);
    addAll('01-a', 2, 1, 3, 4);
    expect(reported).toEqual(['01-a.1', '01-a.2', '01-a.3', '01-a.4']);
  });

  it('do not wait for the events of another execution', () => {
    const { reported, addAll } = order();
    addAll('01-a', 2);
    addAll('01-b', 1, 2);
    expect(reported).toEqual(['01-b.1', '01-b.2']);
  });

  it('continue after an event that cannot be read, which is skipped once', () => {
    const { reported, addAll, skip } = order();
    const path = 'sessions/session-1/timeline/01-a.000002';
    addAll('01-a', 1, 3);
    expect([skip(path), skip(path)]).toEqual([true, false]);
    expect(reported).toEqual(['01-a.1', '01-a.3']);
    expect(skip(path)).toBe(false);
  });

  it('are reported at once when they are about an approval', () => {
    const { reported, add, addAll } = order();
    const metadata = { code: 'approval_requested' as const, subject: 'k.restart', approvalId: 'aaaaa-aaaaa' };
    const request = sampleEvent('notice', { metadata, executionId: '01-a', sequenceNumber: 3 });
    addAll('01-a', 1);
    add(request);
    add(request);
    addAll('01-a', 2, 4);
    expect(reported).toEqual(['01-a.1', '01-a.3', '01-a.2', '01-a.4']);
  });
});
