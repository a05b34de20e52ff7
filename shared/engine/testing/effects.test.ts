import { expect, it } from 'vitest';
import type { TimelineEvent } from '../../core/schema/timelineEvent.ts';
import { judgeEffects } from './effects.ts';

const NOTHING = { once: 0, unknown: 0, doubled: 0, lost: 0 };

it.each([
  ['its effect, and its run has the result', 1, { isError: false }, { once: 1 }, 0],
  ['its effect, and its run has no result', 1, undefined, { lost: 1 }, 1],
  ['its effect, and its run reports that it was not executed', 1, { isError: true }, { lost: 1 }, 1],
  ['its effect twice', 2, { isError: false }, { doubled: 1 }, 1],
  ['no effect, and its run has the result', 0, { isError: false }, { lost: 1 }, 1],
  ['no effect, and its run does not know it', 0, { isError: true, outcome: 'unknown' }, { unknown: 1 }, 0],
])('a call that had %s', (_, effects, result, expected, faults) => {
  const calls = new Map([['run/main/c1', { key: 'run/main/1', tool: 'add', effects }]]);
  const metadata = { callId: 'c1', toolName: 'code.add', ...result };
  const event = { sessionId: 'run', executionId: 'main', eventType: 'tool_result', content: '', metadata };
  const events = result === undefined ? [] : [event as unknown as TimelineEvent];
  const judged = judgeEffects({ calls, fault: undefined }, events, () => true);
  expect(judged.effects).toEqual({ ...NOTHING, ...expected });
  expect(judged.broken).toHaveLength(faults);
});
