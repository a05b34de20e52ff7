// Where the time of a session went.

import { expect, it } from 'vitest';
import type { ModelCall, SessionView, TimelineEvent } from '../../../shared/lists/apiTypes.ts';
import { buildWaterfallSpans, longestIdle, type Span } from './waterfall.ts';

const at = (ms: number) => new Date(1_800_000_000_000 + ms).toISOString();
const execution = (changes: object = {}) => ({
  ...{ executionId: 'a', createdAt: at(0), startedAt: at(0), endedAt: at(9_000), status: 'completed' },
  ...changes,
});
const viewOf = (...executions: object[]) =>
  ({
    createdAt: at(0),
    now: at(10_000),
    stages: [{ kind: 'investigation', executions }],
  }) as unknown as SessionView;
const event = (number: number, eventType: string, ms: number, changes: object = {}) =>
  ({
    ...{ eventId: `a.${number}`, executionId: 'a', sequenceNumber: number, eventType, createdAt: at(ms) },
    ...{ iteration: 1, status: 'completed', metadata: { toolName: 'k.logs', durationMs: 400 }, ...changes },
  }) as unknown as TimelineEvent;
const call = (startedAt: number, durationMs: number) =>
  ({ startedAt: at(startedAt), durationMs }) as unknown as ModelCall;
const unknown = () => undefined;
const shown = (spans: Span[]) =>
  spans.map(({ kind, from, to, label, isFault }) => `${kind} ${from}-${to} ${label}${isFault ? '!' : ''}`);

const STEPS = [
  event(1, 'task_assigned', 10),
  event(2, 'llm_response', 1_000),
  event(3, 'tool_result', 1_500),
  event(4, 'llm_response', 3_000, { iteration: 2 }),
];

it('an iteration is the time of its model, and of its tools', () => {
  const spans = buildWaterfallSpans(viewOf(execution()), STEPS.toReversed(), unknown);
  expect(shown(spans)).toEqual(['model 0-1000 1 Model', 'tool 1100-1500 logs', 'model 1500-3000 2 Model']);
  expect(spans.map(({ key, iteration }) => [key, iteration])).toEqual([
    ['a/1', 'a/1'],
    ['a.3', 'a/1'],
    ['a/2', 'a/2'],
  ]);
  expect(spans.map((span) => span.event?.eventId)).toEqual(['a.2', 'a.3', 'a.4']);
});

it('a model that is known to have been asked later was waited for', () => {
  const composeCall = (_: string, iteration: number | null) =>
    iteration === 1 ? call(200, 500) : call(1_549, 9_000);
  const spans = buildWaterfallSpans(viewOf(execution()), STEPS, composeCall);
  expect(shown(spans)).toEqual([
    'wait 0-200 Queue, start',
    'model 200-700 1 Model',
    'tool 1100-1500 logs',
    'model 1549-3000 2 Model',
  ]);
  expect(spans[0]?.key).toBe('a/1/wait');
});

it('no span starts before the one that it follows, or after its answer', () => {
  const early = buildWaterfallSpans(viewOf(execution()), STEPS.slice(0, 2), () => call(-500, 300));
  expect(shown(early)).toEqual(['model 0-300 1 Model']);
  const late = buildWaterfallSpans(viewOf(execution()), STEPS.slice(0, 2), () => call(2_000, 300));
  expect(shown(late)).toEqual(['wait 0-1000 Queue, start', 'model 1000-1000 1 Model']);
});

it.each([
  [execution({ startedAt: at(50) }), 'wait 0-50 Queue, start'],
  [execution({ startedAt: at(49) }), ''],
  [execution({ startedAt: null, status: 'pending', endedAt: null }), 'wait 0-null Queue, start'],
  [execution({ endedAt: null, status: 'active' }), 'model 0-null Now'],
  [execution({ endedAt: null, status: 'waiting' }), ''],
  [execution({ startedAt: null, endedAt: null, status: 'active', createdAt: at(9_990) }), ''],
  [execution({ status: 'active' }), ''],
])('an execution without answers has its wait, or what it does now: %#', (one, text) => {
  expect(shown(buildWaterfallSpans(viewOf(one), [], unknown)).join()).toBe(text);
});

it('times are those since the session was opened', () => {
  const later = { createdAt: at(60_000), startedAt: at(60_060), endedAt: at(69_000) };
  const steps = [event(2, 'llm_response', 61_000), event(1, 'llm_thinking', 61_500)];
  const view = viewOf(
    execution(later),
    execution({ executionId: 'b', createdAt: at(9_990), startedAt: null }),
  );
  const spans = buildWaterfallSpans(view, steps, (_, iteration) =>
    iteration === 1 ? call(60_110, 390) : undefined,
  );
  expect(shown(spans)).toEqual([
    'wait 60000-60060 Queue, start',
    'wait 60060-60110 Queue, start',
    'model 60110-60500 1 Model',
  ]);
  expect(spans[2]?.event?.eventId).toBe('a.1');
});

it('what goes on now follows the last tool', () => {
  const running = viewOf(execution({ endedAt: null, status: 'active' }));
  expect(shown(buildWaterfallSpans(running, STEPS.slice(0, 3), unknown)).at(-1)).toBe('model 1500-null Now');
});

it('faults are marked at their tool and their iteration', () => {
  const failed = event(3, 'tool_result', 1_500, { metadata: { toolName: 'k.logs', isError: true } });
  expect(shown(buildWaterfallSpans(viewOf(execution()), STEPS.with(2, failed), unknown))).toEqual([
    'model 0-1000 1 Model!',
    'tool 1500-1500 logs!',
    'model 1500-3000 2 Model',
  ]);
});

it('live text and questions are no spans, and events without an iteration are grouped by their time', () => {
  const live = event(9, 'llm_response', 5_000, { status: 'streaming', iteration: 3 });
  expect(buildWaterfallSpans(viewOf(execution()), [...STEPS, live], unknown)).toHaveLength(3);
  const view = viewOf(execution());
  const asked = { ...view, stages: view.stages.map((stage) => ({ ...stage, kind: 'chat' as const })) };
  expect(buildWaterfallSpans(asked, STEPS, unknown)).toEqual([]);
  const old = STEPS.map((one) => ({ ...one, iteration: null }));
  expect(buildWaterfallSpans(view, old, unknown).map(({ label }) => label)).toEqual([
    `${at(1_000)} Model`,
    `${at(3_000)} Model`,
  ]);
});

it('of more than 60 lines only iterations are drawn', () => {
  const steps = (count: number) =>
    Array.from({ length: count }, (_, index) => {
      const iteration = index + 1;
      return [
        event(2 * index, 'llm_response', 1_000 * index, { iteration }),
        event(2 * index + 1, 'tool_result', 1_000 * index + 500, { iteration }),
      ];
    }).flat();
  expect(buildWaterfallSpans(viewOf(execution()), steps(30), unknown)).toHaveLength(60);
  const many = buildWaterfallSpans(viewOf(execution()), steps(31), unknown);
  expect(new Set(many.map(({ kind }) => kind))).toEqual(new Set(['model']));
  expect(many).toHaveLength(31);
});

it.each<[string, [number, number | null, Span['kind']?][], object | undefined]>([
  [
    'the longest of several',
    [
      [0, 10],
      [45, 50],
      [90, 100],
    ],
    { from: 50, to: 90 },
  ],
  ['the time before the first span', [[40, 100]], { from: 0, to: 40 }],
  [
    'none where spans overlap',
    [
      [0, 80],
      [10, 20],
      [85, 100],
    ],
    undefined,
  ],
  [
    'none of 30 %',
    [
      [0, 10],
      [40, 100],
    ],
    undefined,
  ],
  [
    'none below a span that runs',
    [
      [0, null],
      [90, 100],
    ],
    undefined,
  ],
  [
    'the first of equal ones',
    [
      [0, 10],
      [50, 60],
      [100, 100],
    ],
    { from: 10, to: 50 },
  ],
  [
    'the time of waits',
    [
      [0, 10],
      [10, 90, 'wait'],
      [90, 100],
    ],
    { from: 10, to: 90 },
  ],
])('the time in which nothing ran: %s', (_, times, idle) => {
  const spans = times.map(([from, to, kind = 'model']) => ({ from, to, kind }) as Span);
  expect(longestIdle(spans.toReversed(), 100)).toEqual(idle);
});
