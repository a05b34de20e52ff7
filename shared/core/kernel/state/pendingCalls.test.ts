import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sampleExecution, samplePendingCall } from '../../../../test/support/samples.ts';
import type { PendingCall } from '../../schema/execution.ts';
import { cutOffCalls, isSettled, judgeCalls, nextCalls, settleCall, startNextWave } from './pendingCalls.ts';

/** Calls from letters: `r` reads only, `w` may change something, `c` waits for a child, `p` for a person. */
const calls = (letters: string): PendingCall[] =>
  [...letters].map((letter, index) =>
    samplePendingCall({
      index,
      callId: `call-${index}`,
      readOnly: letter === 'r',
      state: 'requested',
      ...(letter === 'c' && { waits: 'child' }),
      ...(letter === 'p' && { waits: 'person' }),
    }),
  );
const running = (list: PendingCall[]): PendingCall[] => list.filter(({ state }) => state === 'running');

/** What happens to calls until all are settled: `run 0 1`, `wait 2`. Each step settles at once. */
function steps(letters: string): string[] {
  let list = calls(letters);
  const taken: string[] = [];
  for (let next = nextCalls(list); next.kind === 'run' || next.kind === 'wait'; next = nextCalls(list)) {
    const { kind, calls: chosen } = next;
    taken.push([kind, ...chosen.map(({ index }) => index)].join(' '));
    const isAsked = kind === 'wait' && chosen[0]?.waits === 'person';
    list = list.map((call) => {
      if (!chosen.includes(call)) return call;
      // A person allows it: it is to run.
      return isAsked ? { ...call, approval: { by: 'a', at: new Date(0) } } : { ...call, state: 'done' };
    });
  }
  expect(nextCalls(list)).toEqual({ kind: 'settled' });
  return taken;
}

describe('nextCalls', () => {
  it.each([
    ['', []],
    ['rrw', ['run 0 1', 'run 2']],
    // Ordinary calls of a group first, then its children together.
    ['crcw', ['run 1', 'run 3', 'wait 0 2']],
    ['rcr', ['run 0 2', 'wait 1']],
    // A call that a person has to allow is a group of its own: nothing passes it.
    ['p', ['wait 0', 'run 0']],
    ['rpr', ['run 0', 'wait 1', 'run 1', 'run 2']],
    ['crpcr', ['run 1', 'wait 0', 'wait 2', 'run 2', 'run 4', 'wait 3']],
    ['pp', ['wait 0', 'run 0', 'wait 1', 'run 1']],
  ])('of %j: %j', (letters, expected) => {
    expect(steps(letters)).toEqual(expected);
  });

  it.each(['running', 'waiting'] as const)('there are none while a call is %s', (state) => {
    const list = calls('cr').map((call, index) => (index === 0 ? { ...call, state } : call));
    expect(nextCalls(list)).toEqual({ kind: 'in_progress' });
    expect(startNextWave(list)).toBe(list);
  });

  it('take every call in its turn: once to run, and once to wait if it waits', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[rwcp]{0,12}$/), (letters) => {
        const taken = steps(letters);
        const indexesOf = (kind: string) =>
          taken
            .filter((step) => step.startsWith(kind))
            .flatMap((step) => step.split(' ').slice(1).map(Number));
        const at = (wanted: string) =>
          [...letters].flatMap((letter, index) => (wanted.includes(letter) ? index : []));
        expect(indexesOf('run').sort((a, b) => a - b)).toEqual(at('rwp'));
        expect(indexesOf('wait').sort((a, b) => a - b)).toEqual(at('cp'));
        for (const person of at('p')) {
          const asked = taken.indexOf(`wait ${person}`);
          const before = taken.slice(0, asked).flatMap((step) => step.split(' ').slice(1).map(Number));
          expect(before.every((index) => index < person)).toBe(true);
        }
      }),
    );
  });
});

describe('startNextWave', () => {
  it('starts read-only calls that follow each other together', () => {
    expect(running(startNextWave(calls('rrrwr'))).map(({ index }) => index)).toEqual([0, 1, 2]);
  });

  it('starts any other call separately', () => {
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

  it('continues after the calls that are settled', () => {
    const list = calls('rrr').map((call, index) =>
      index === 0 ? { ...call, state: 'failed' as const } : call,
    );
    expect(running(startNextWave(list)).map(({ index }) => index)).toEqual([1, 2]);
  });

  it('runs every call once and to an end; one that is not read-only runs separately and in its place', () => {
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
          const settled = settleCall(execution, next.index, state);
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
    const { pendingCalls } = settleCall(before, 1, 'done');
    expect(pendingCalls.map(({ state }) => state)).toEqual(['requested', 'done']);
  });

  it('remembers why a call could not be run, and whether time ran out', () => {
    const failed = settleCall(before, 0, 'failed', { message: 'no answer', timedOut: true });
    for (const after of [failed, settleCall(failed, 1, 'done')]) {
      expect(after.lastErrorMessage).toBe('no answer');
      expect(after.pendingCalls.map(({ timedOut }) => timedOut)).toEqual([true, undefined]);
    }
  });
});

describe('judgeCalls', () => {
  it.each([
    ['none could be run', ['failed', 'unknown'], true],
    ['one was run', ['failed', 'done', 'unknown'], false],
    ['all were run', ['done', 'done'], false],
  ] as const)('the interaction failed when no call could be run: %s', (_, states, failed) => {
    const pendingCalls = states.map((state, index) => samplePendingCall({ index, state }));
    const execution = sampleExecution({ pendingCalls, lastInteractionFailed: !failed });
    expect(judgeCalls(execution).lastInteractionFailed).toBe(failed);
  });

  it.each([
    ['failed beside an answer to the ledger', ['failed'], true],
    ['did not fail where only the ledger was called', [], false],
  ] as const)('the interaction %s', (_, states, failed) => {
    const ledger = samplePendingCall({ index: 0, name: 'ledger', state: 'done' });
    const others = states.map((state, index) => samplePendingCall({ index: index + 1, state }));
    const execution = sampleExecution({ pendingCalls: [ledger, ...others] });
    expect(judgeCalls(execution).lastInteractionFailed).toBe(failed);
  });
});

describe('cutOffCalls', () => {
  it('are those that were running and could have changed something', () => {
    const states = ['requested', 'running', 'done', 'failed', 'unknown'] as const;
    const list = calls('wwwwwrrrrr').map((call, index) => ({
      ...call,
      state: states[index % states.length] ?? 'requested',
    }));
    expect(cutOffCalls(list)).toEqual([1]);
  });

  it('are identified by their position in the answer, not in the list', () => {
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
