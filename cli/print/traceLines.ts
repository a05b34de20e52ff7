// Formats the spans of a session as a tree.

import type { Span, SpanEvent } from '../../shared/core/contract/telemetry.ts';
import { dollarsText, durationText } from '../../shared/text/amounts.ts';
import { alignColumns, onOneLine } from './textTable.ts';

/**
 * The spans as lines with a heading, each below its parent, by start; an empty list has no lines. A span
 * without its parent is at the top. Waits are below their agent.
 */
export function traceLines(spans: readonly Span[]): string[] {
  if (spans.length === 0) return [];
  const origin = Math.min(...spans.map(({ startedAt }) => startedAt.getTime()));
  const ids = new Set(spans.map(({ spanId }) => spanId));
  const children = Map.groupBy(sortTraceSpans(spans), ({ parentSpanId }) =>
    parentSpanId !== undefined && ids.has(parentSpanId) ? parentSpanId : undefined,
  );
  const rowsBelow = (parent: string | undefined, indent: string): string[][] =>
    (children.get(parent) ?? []).flatMap((span) => [
      [`${indent}${onOneLine(span.name)}`, ...spanCells(span, origin)],
      ...span.events.map((event) => waitRow(event, origin, `${indent}  `)),
      ...rowsBelow(span.spanId, `${indent}  `),
    ]);
  return alignColumns([['SPAN', 'START', 'TIME', 'TOKENS', 'COST', 'DETAILS'], ...rowsBelow(undefined, '')]);
}

/** By start, the longer of two first. */
const sortTraceSpans = (spans: readonly Span[]): Span[] =>
  spans.toSorted(
    (a, b) => a.startedAt.getTime() - b.startedAt.getTime() || b.endedAt.getTime() - a.endedAt.getTime(),
  );

function spanCells({ startedAt, endedAt, attributes, error }: Span, origin: number): string[] {
  const input = attributes['gen_ai.usage.input_tokens'];
  const usd = attributes['inquest.cost.usd'];
  const iterations = attributes['inquest.execution.iterations'];
  const attempt = attributes['inquest.attempt'];
  const tier = attributes['inquest.service_tier'];
  const isOnly = attempt === 1 && error === undefined;
  const details = [
    ...(attempt === undefined || isOnly ? [] : [`attempt ${attempt}`]),
    ...(tier === undefined ? [] : [String(tier)]),
    ...(iterations === undefined ? [] : [`${iterations} ${iterations === 1 ? 'iteration' : 'iterations'}`]),
    ...(error === undefined ? [] : [`failed: ${onOneLine(error)}`]),
  ];
  return [
    `+${shortTime(startedAt.getTime() - origin)}`,
    shortTime(endedAt.getTime() - startedAt.getTime()),
    input === undefined ? '' : `${input} > ${attributes['gen_ai.usage.output_tokens']}`,
    typeof usd === 'number' && input !== undefined ? dollarsText(usd) : '',
    details.join(', '),
  ];
}

function waitRow({ at, attributes }: SpanEvent, origin: number, indent: string): string[] {
  const seconds = Number(attributes['inquest.wait.seconds']);
  const name = `${indent}~ waits for ${attributes['inquest.wait.kind']}`;
  return [name, `+${shortTime(at.getTime() - origin)}`, shortTime(seconds * 1000), '', '', ''];
}

/** `0.42 s` below ten seconds, otherwise as `durationText`. */
const shortTime = (ms: number): string =>
  ms < 10_000 ? `${(Math.max(0, ms) / 1000).toFixed(2)} s` : durationText(ms);
