import { describe, expect, it } from 'vitest';
import { sampleExecution, samplePendingCall } from '../../../../test/support/samples.ts';
import type { HungServer, PendingCall } from '../../schema/execution.ts';
import { hungServersAfter, restingServers } from './hungServers.ts';

const countAfter = (calls: Partial<PendingCall>[], hungServers: HungServer[] = [], iteration = 2) =>
  hungServersAfter(
    sampleExecution({
      iteration,
      hungServers,
      pendingCalls: calls.map((call, index) => samplePendingCall({ index, state: 'failed', ...call })),
    }),
  );
const late = (name: string) => ({ name, timedOut: true as const });
const once = { name: 'a', iterations: 1, iteration: 1 };

describe('hungServersAfter', () => {
  it('counts a server once for an iteration, however many of its calls ran out of time', () => {
    expect(countAfter([late('a.x'), late('a.y')])).toEqual([{ name: 'a', iterations: 1, iteration: 2 }]);
    expect(countAfter([late('a.x')], [once])).toEqual([{ name: 'a', iterations: 2, iteration: 2 }]);
  });

  it('does not count one that answered another call, and forgets one that answered', () => {
    expect(countAfter([late('a.x'), { name: 'a.y', state: 'done' }], [once])).toEqual([]);
    expect(countAfter([late('a.x'), { name: 'ab.y', state: 'done' }])).toMatchObject([{ name: 'a' }]);
  });

  it('keeps one that was not called, or whose call failed for another reason', () => {
    expect(countAfter([], [once])).toEqual([once]);
    expect(countAfter([{ name: 'a.x' }], [once])).toEqual([once]);
  });

  it('knows no servers of built-in tools', () => {
    expect(countAfter([late('search')])).toEqual([]);
  });
});

describe('restingServers', () => {
  const names = (hungServers: HungServer[], iteration: number) =>
    restingServers({ hungServers, iteration }).map(({ name }) => name);

  it('are those that hung in two iterations in a row, for three iterations', () => {
    const twice = { name: 'a', iterations: 2, iteration: 4 };
    expect([5, 6, 7, 8].map((iteration) => names([twice], iteration).length)).toEqual([1, 1, 1, 0]);
    expect(names([once], 2)).toEqual([]);
    expect(names([{ ...twice, iterations: 3, iteration: 8 }], 9)).toEqual(['a']);
  });
});
