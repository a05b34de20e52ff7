import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sampleExecution, samplePendingCall } from '../../../test/support/samples.ts';
import type { PendingCall } from '../../schema/execution.ts';
import { cutOffCalls, isSettled, settleCall, startNextWave } from './pendingCalls.ts';

/** Calls from letters: `r` reads only, `w` may change something. */
const calls = (letters: string): PendingCall[] =>
  [...letters].map((letter, index) =>
    samplePendingCall({ index, callId: `call-${index}`, readOnly: letter === 'r', state: 'requested' }),
  );
const running = (list: PendingCall[]): PendingCall[] => list.filter(({ state }) => state === 'running');

describe('startNextWave', () => {
  it('starts read-only calls that follow each other together', () => {
    expect(running(startNextWave(calls('rrrwr'))).map(({ index }) => index)).toEqual([0, 1, 2]);
  });

  it('starts any other call alone', () => {
    expect(running(startNextWave(calls('wrrw'))).map(({ index }) => index)).toEqual([0]);
    expect(running(startNextWave(calls('ww'))).map(({ index }) => index)).toEqual([0]);
  });

  it('starts at most eight together', () => {
    expect(running(startNextWave(calls('r'.repeat(9))))).toHaveLength(8);
  });

  it('starts nothing while a call is running', () => {
    const [first, ...rest] = calls('rr');
    const list = first === undefined ? [] : [{ ...first, state: 'running' as const }, ...rest];
    expect(startNextWave(list)).toBe(list);
  });

  it('starts nothing when all are settled', () => {
    const list = calls('rw').map((call) => ({ ...call, state: 'done' as const }));
    expect(startNextWave(list)).toBe(list);
  });

  it('goes on after the calls that are settled', () => {
    const list = calls('rrr').map((call, index) =>
      index === 0 ? { ...call, state: 'failed' as const } : call,
    );
    expect(running(startNextWave(list)).map(({ index }) => index)).toEqual([1, 2]);
  });

  it('runs every call once and to an end; one that is not read-only runs alone and in its place', () => {
    const letters = fc.stringMatching(/^[rw]{0,20}$/);
    const order = fc.infiniteStream(fc.nat());
    const outcome = fc.constantFrom('done' as const, 'failed' as const, 'unknown' as const);
    fc.assert(
      fc.property(letters, order, outcome, (text, picks, state) => {
        let execution = sampleExecution({ pendingCalls: startNextWave(calls(text)) });
        const ran: number[] = [];
        for (let step = 0; execution.pendingCalls.some((call) => !isSettled(call)); step++) {
          expect(step).toBeLessThan(text.length);
          const wave = running(execution.pendingCalls);
          expect(wave.length).toBeGreaterThan(0);
          if (wave.some((call) => !call.readOnly)) expect(wave).toHaveLength(1);
          const next = wave[picks.next().value % wave.length];
          if (next === undefined) throw new Error('an empty wave');
          if (!next.readOnly) expect([...ran].sort((a, b) => a - b)).toEqual([...Array(next.index).keys()]);
          ran.push(next.index);
          const settled = settleCall(execution, next.index, state, undefined);
          execution = { ...settled, pendingCalls: startNextWave(settled.pendingCalls) };
        }
        expect(ran.sort((a, b) => a - b)).toEqual([...text].map((_, index) => index));
      }),
    );
  });
});

describe('settleCall', () => {
  const before = sampleExecution({ pendingCalls: calls('rr'), lastInteractionFailed: false });

  it('changes the state of that call only', () => {
    const { pendingCalls } = settleCall(before, 1, 'done', undefined);
    expect(pendingCalls.map(({ state }) => state)).toEqual(['requested', 'done']);
  });

  it('remembers a failure, also after a success of another call', () => {
    const failed = settleCall(before, 0, 'failed', 'the disk is full');
    for (const after of [failed, settleCall(failed, 1, 'done', undefined)]) {
      expect(after).toMatchObject({ lastInteractionFailed: true, lastErrorMessage: 'the disk is full' });
    }
  });
});

describe('cutOffCalls', () => {
  it('are those that were running and may have changed something', () => {
    const states = ['requested', 'running', 'done', 'failed', 'unknown'] as const;
    const list = calls('wwwwwrrrrr').map((call, index) => ({
      ...call,
      state: states[index % states.length] ?? 'requested',
    }));
    expect(cutOffCalls(list)).toEqual([1]);
  });

  it('are told by their place in the answer, not in the list', () => {
    const call = samplePendingCall({ index: 7, readOnly: false, state: 'running' });
    expect(cutOffCalls([call])).toEqual([7]);
    expect(cutOffCalls([])).toEqual([]);
  });
});

describe('isSettled', () => {
  it.each([
    ['requested', false],
    ['running', false],
    ['done', true],
    ['failed', true],
    ['unknown', true],
  ] as const)('%s: %s', (state, settled) => {
    expect(isSettled(samplePendingCall({ state }))).toBe(settled);
  });
});
