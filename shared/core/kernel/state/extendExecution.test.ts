import { describe, expect, it } from 'vitest';
import { SAMPLE_TIME, sampleExecution } from '../../../../test/support/samples.ts';
import { extendExecution } from './extendExecution.ts';

const at = (minutes: number) => new Date(SAMPLE_TIME.getTime() + minutes * 60_000);
const wait = (from: number, to: number) => ({ from: at(from), to: at(to) });

describe('an execution', () => {
  const execution = sampleExecution({ deadline: at(10), waitedUntil: null });

  it('is extended by the time it waited, and never beyond the limit of its owner', () => {
    const once = extendExecution(execution, wait(0, 5), at(100));
    expect(once).toEqual({ deadline: at(15), waitedUntil: at(5) });
    expect(extendExecution(once, wait(0, 4), at(100))).toEqual(once);
    expect(extendExecution(once, wait(0, 7), at(100))).toEqual({ deadline: at(17), waitedUntil: at(7) });
    expect(extendExecution(execution, wait(0, 5), at(12)).deadline).toEqual(at(12));
    expect(extendExecution(execution, wait(0, 5), at(3)).deadline).toEqual(at(10));
  });
});
