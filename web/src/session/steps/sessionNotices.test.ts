// The places of the session's own steps between iterations and stages.

import { describe, expect, it } from 'vitest';
import type { SessionView, TimelineEvent } from '../../../../shared/lists/apiTypes.ts';
import { type Iteration, Timeline } from '../../model/timeline.ts';
import { byStage, interleave, listNotices, type Notice } from './sessionNotices.ts';

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

  it('stand before iterations of equal time, and none is lost without iterations', () => {
    expect(shown(interleave([iteration('one', 5)], [notice(5)]))).toEqual([5, 'one']);
    expect(shown(interleave([], [notice(5)]))).toEqual([5, 'end']);
    expect(shown(interleave([iteration('one', 5)], []))).toEqual(['one']);
    expect(shown(interleave([iteration('one', 5), iteration('two', 6)], [notice(1), notice(2)]))).toEqual([
      1,
      2,
      'one',
      'two',
    ]);
  });

  it('belong to the stage that started last, whatever the order of stages', () => {
    const stages = [
      { stageId: '02', createdAt: at(10) },
      { stageId: '01', createdAt: at(2) },
    ] as SessionView['stages'];
    const { before, during } = byStage([notice(2), notice(10)], stages);
    expect([before, during.get('01'), during.get('02')]).toEqual([[], [notice(2)], [notice(10)]]);
    expect(byStage([], stages)).toEqual({ before: [], during: new Map() });
  });

  it('are the steps of no agent, in the order of time', () => {
    const event = (executionId: string, second: number) =>
      ({
        ...{ eventId: `${executionId} ${second}`, executionId, sequenceNumber: second, iteration: null },
        ...{ eventType: 'notice', content: '', metadata: {}, createdAt: at(second), status: 'completed' },
      }) as unknown as TimelineEvent;
    const view = { stages: [{ executions: [{ executionId: '01' }] }] } as unknown as SessionView;
    const timeline = new Timeline();
    expect(listNotices(view, timeline)).toEqual([]);
    timeline.add([
      event('work', 9),
      event('01', 1),
      event('01~1', 2),
      event('session', 3),
      event('session', 4),
    ]);
    expect(listNotices(view, timeline).map(({ at: when }) => when)).toEqual([at(3), at(4), at(9)]);
  });
});
