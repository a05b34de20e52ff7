// The calls of two sessions side by side: each tool with arguments, and its counts.

import type { TimelineEvent } from '../../../../shared/lists/apiTypes.ts';
import { isCall } from '../../model/steps.ts';

/** A call as both sessions made it, or one of them. */
export interface ComparedCall {
  toolName: string;
  /** JSON. */
  arguments: string;
  /** How often each session made it, and how often it failed. */
  counts: readonly [CallCount, CallCount];
}

/** How often a call was made. */
export interface CallCount {
  calls: number;
  errors: number;
}

/** The calls of two timelines. Those of both come first, then those of the first one, then of the second. */
export function compareCalls(one: readonly TimelineEvent[], other: readonly TimelineEvent[]): ComparedCall[] {
  const [ownA, ownB] = [countComparedCalls(one), countComparedCalls(other)];
  const keys = [...new Set([...ownA.keys(), ...ownB.keys()])];
  const NONE = { calls: 0, errors: 0 };
  const rank = (key: string) => (ownA.has(key) && ownB.has(key) ? 0 : ownA.has(key) ? 1 : 2);
  return keys
    .toSorted((a, b) => rank(a) - rank(b))
    .map((key) => {
      const [toolName, json] = JSON.parse(key) as [string, string];
      return { toolName, arguments: json, counts: [ownA.get(key) ?? NONE, ownB.get(key) ?? NONE] };
    });
}

function countComparedCalls(events: readonly TimelineEvent[]): Map<string, CallCount> {
  const failed = new Set(
    events.flatMap((event) =>
      event.eventType === 'tool_result' && event.metadata.isError
        ? [`${event.executionId} ${event.metadata.callId}`]
        : [],
    ),
  );
  const counts = new Map<string, CallCount>();
  for (const event of events.filter(isCall)) {
    const { toolName, callId, arguments: json } = event.metadata;
    const key = JSON.stringify([toolName, json]);
    const known = counts.get(key) ?? { calls: 0, errors: 0 };
    const isError = failed.has(`${event.executionId} ${callId}`);
    counts.set(key, { calls: known.calls + 1, errors: known.errors + (isError ? 1 : 0) });
  }
  return counts;
}
