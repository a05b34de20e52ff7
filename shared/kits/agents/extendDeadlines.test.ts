import { describe, expect, it } from 'vitest';
import { SAMPLE_TIME, sampleSession } from '../../../test/support/samples.ts';
import { allowanceMs, extendSession, MAX_WAITED_MS } from './extendDeadlines.ts';

const at = (minutes: number) => new Date(SAMPLE_TIME.getTime() + minutes * 60_000);
const session = sampleSession({
  status: 'in_progress',
  deadline: at(40),
  openStage: null,
  waitedUntil: null,
  expireAt: at(10_000),
});
const wait = (from: number, to: number) => ({ from: at(from), to: at(to) });
const extend = (waits: [number, number][], start = session) =>
  waits.reduce(
    (before, [from, to]) => extendSession(before, 's', wait(from, to), MAX_WAITED_MS)?.session ?? before,
    start,
  );

describe('a session', () => {
  it('counts the time that no earlier wait covers, an hour in all', () => {
    expect(extend([[0, 5]])).toMatchObject({
      deadline: at(45),
      waitedUntil: at(5),
      parts: { modelOutages: { ms: 300_000 } },
    });
    expect(
      extend([
        [0, 5],
        [1, 5],
        [2, 7],
      ]),
    ).toMatchObject({ deadline: at(47), waitedUntil: at(7) });
    expect(
      extend([
        [0, 5],
        [10, 15],
      ]),
    ).toMatchObject({ deadline: at(50) });
    const most = extend([
      [0, 50],
      [60, 90],
      [100, 120],
    ]);
    expect(most).toMatchObject({
      deadline: at(100),
      waitedUntil: at(70),
      parts: { modelOutages: { ms: MAX_WAITED_MS } },
    });
    expect(allowanceMs(most, MAX_WAITED_MS)).toBe(0);
  });

  it('grants an agent the wait that another agent has had already, and nothing beyond the hour', () => {
    const granted = (from: number, to: number, start = session) =>
      extendSession(start, 's', wait(from, to), MAX_WAITED_MS)?.grant.to;
    expect(granted(1, 5, extend([[0, 5]]))).toEqual(at(5));
    expect(granted(0, 90)).toEqual(at(60));
    expect(granted(100, 120, extend([[0, 60]]))).toEqual(at(60));
  });

  it('is kept no longer than its documents, and not extended once it has ended', () => {
    expect(extend([[0, 30]], { ...session, expireAt: at(50) }).deadline).toEqual(at(50));
    expect(
      extendSession({ ...session, status: 'completed' }, 's', wait(0, 5), MAX_WAITED_MS),
    ).toBeUndefined();
  });

  it('that answers a question has the time of the question extended', () => {
    const openStage = { stageId: 's', deadline: at(20), cancelling: false };
    const asked = extend([[0, 5]], { ...session, status: 'completed', openStage });
    expect(asked).toMatchObject({
      deadline: at(40),
      openStage: { deadline: at(25) },
      parts: { modelOutages: { ms: 300_000, questionMs: 300_000 } },
    });
    expect(allowanceMs(session, MAX_WAITED_MS)).toBe(MAX_WAITED_MS);
    expect(allowanceMs(asked, 60_000)).toBe(0);
    expect(
      extendSession({ ...session, status: 'completed', openStage }, 'other', wait(0, 5), MAX_WAITED_MS),
    ).toBeUndefined();
  });
});
