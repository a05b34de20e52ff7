// The places of the session's own steps between iterations and stages.

import { describe, expect, it } from 'vitest';
import type { SessionView } from '../../../../shared/lists/apiTypes.ts';
import type { Iteration } from '../../model/timeline.ts';
import { byStage, interleave, type Notice } from './sessionNotices.ts';

const at = (second: number) => new Date(1_000 * second).toISOString();
const notice = (second: number): Notice => ({ step: {} as Notice['step'], at: at(second) });
const iteration = (key: string, stored: number, asked?: number): Iteration =>
  ({
    key,
    call: { value: asked === undefined ? undefined : { startedAt: at(asked) } },
    events: { value: [{ createdAt: at(stored) }] },
  }) as unknown as Iteration;

const shown = (rows: ReturnType<typeof interleave>) =>
  rows.flatMap(({ notices, iteration: one }) => [
    ...notices.map((each) => Date.parse(each.at) / 1_000),
    one?.key ?? 'end',
  ]);

describe('notices', () => {
  it('stand before the first iteration that starts after them', () => {
    const iterations = [iteration('one', 5), iteration('two', 15), iteration('three', 25)];
    expect(shown(interleave(iterations, [notice(1), notice(9), notice(16)]))).toEqual([
      1,
      'one',
      9,
      'two',
      16,
      'three',
    ]);
  });

  it('stand after an iteration whose model was called before them', () => {
    const iterations = [iteration('one', 5), iteration('two', 15, 8)];
    expect(shown(interleave(iterations, [notice(9)]))).toEqual(['one', 'two', 9, 'end']);
  });

  it('belong to the stage in whose time they came', () => {
    const stages = [
      { stageId: '01', createdAt: at(2) },
      { stageId: '02', createdAt: at(10) },
    ] as SessionView['stages'];
    const { before, during } = byStage([notice(1), notice(5), notice(12)], stages);
    expect(before).toEqual([notice(1)]);
    expect([during.get('01'), during.get('02')]).toEqual([[notice(5)], [notice(12)]]);
  });
});
