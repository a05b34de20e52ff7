// The part of a session that the time panel shows. Times are milliseconds since the session was opened.

/** A part of a session. */
export interface TimeRange {
  from: number;
  to: number;
}

/** The shortest part that is shown. */
const SHORTEST_MS = 100;

/** The middle half of a part. */
export function zoomedIn({ from, to }: TimeRange): TimeRange {
  const quarter = Math.max(0, (to - from) / 4);
  return to - from <= SHORTEST_MS ? { from, to } : { from: from + quarter, to: to - quarter };
}

/** A part of the same length that is half of it earlier (-1) or later (1), within the session. */
export function moved({ from, to }: TimeRange, direction: 1 | -1, total: number): TimeRange {
  const length = to - from;
  const start = Math.min(Math.max(0, from + (direction * length) / 2), total - length);
  return { from: start, to: start + length };
}

/** Whether a span is in the part. @param to null while it runs. */
export function isWithinRange(span: { from: number; to: number | null }, { from, to }: TimeRange): boolean {
  return span.from <= to && (span.to ?? to) >= from;
}
