import { expect, it } from 'vitest';
import type { Span } from '../../shared/core/contract/telemetry.ts';
import { traceLines } from './traceLines.ts';

const START = Date.parse('2026-11-22T10:20:00.000Z');

const span = (
  spanId: string,
  parentSpanId: string | undefined,
  from: number,
  to: number,
  more = {},
): Span => ({
  sessionId: 's',
  traceId: 't',
  spanId,
  ...(parentSpanId !== undefined && { parentSpanId }),
  name: spanId,
  kind: 'internal',
  startedAt: new Date(START + from),
  endedAt: new Date(START + to),
  attributes: {},
  events: [],
  ...more,
});

const usage = { 'gen_ai.usage.input_tokens': 1200, 'gen_ai.usage.output_tokens': 30 };

it('a trace has a line for each span and wait, below its parent and by start', () => {
  const spans = [
    span('tool', 'agent', 2_000, 92_000, { error: 'timeout' }),
    span('model', 'agent', 1_500, 2_000, {
      attributes: { ...usage, 'inquest.cost.usd': 0.0123, 'inquest.attempt': 2 },
    }),
    span('model', 'agent', 1_000, 1_500, {
      error: 'rate_limited',
      attributes: { 'inquest.attempt': 1, 'inquest.service_tier': 'flex' },
    }),
    span('session\u001b[2J', undefined, 0, 125_000),
    span('agent', 'stage that has not ended', 1_000, 100_000, {
      attributes: { ...usage, 'inquest.cost.usd': 0.0123, 'inquest.execution.iterations': 3 },
      events: [
        {
          name: 'inquest.wait',
          at: new Date(START + 3_000),
          attributes: { 'inquest.wait.kind': 'person', 'inquest.wait.seconds': 88.5 },
        },
      ],
    }),
  ];
  const lines = traceLines(spans).map((line) => line.replace(/(?<=\S) {2,}/g, ' | '));
  expect(lines).toEqual([
    'SPAN | START | TIME | TOKENS | COST | DETAILS',
    expect.stringMatching(/^session\P{Cc}+\[2J \| \+0\.00 s \| 2:05 min$/u),
    'agent | +1.00 s | 1:39 min | 1200 > 30 | $0.0123 | 3 iterations',
    '  ~ waits for person | +3.00 s | 1:29 min',
    '  model | +1.00 s | 0.50 s | attempt 1, flex, failed: rate_limited',
    '  model | +1.50 s | 0.50 s | 1200 > 30 | $0.0123 | attempt 2',
    '  tool | +2.00 s | 1:30 min | failed: timeout',
  ]);
  expect(traceLines([])).toEqual([]);
});
