// Slow tools: a server that hung twice in a row is not called in the next three iterations.

import type { TimelineEvent } from '../../../../shared/core/schema/timelineEvent.ts';
import { paths } from '../../../../shared/lists/documents.ts';
import { executionKey } from '../../record.ts';
import type { World } from '../../world.ts';

/** For how many iterations a server is left alone. */
const RESTING_ITERATIONS = 3;

/** Checks a call that is about to run against the results that are stored. */
export function checkRest(
  own: { sessionId: string; executionId: string },
  iteration: number,
  server: string,
  world: World,
): void {
  const { record } = world;
  const { sessionId, executionId } = own;
  const execution = record.executions.get(executionKey(own))?.value;
  if (execution === undefined) return;
  const leastMs = execution.limits.iterationTimeoutMs / 4;
  const results = record.commits
    .flatMap(({ writes }) => writes)
    .filter(({ path }) => path.startsWith(`${paths.timeline(sessionId)}/${executionId}.`))
    .map(({ value }) => value as TimelineEvent)
    .flatMap((event) =>
      event.eventType === 'tool_result' && event.metadata.toolName.startsWith(`${server}.`)
        ? [{ at: event.iteration ?? 0, status: event.status, ms: event.metadata.durationMs ?? 0 }]
        : [],
    )
    .filter(({ at }) => at < iteration && !(execution.collects && at === 1));
  const called = [...new Set(results.map(({ at }) => at))].sort((a, b) => a - b);
  const isHung = (one: number) =>
    results.filter(({ at }) => at === one).every(({ status, ms }) => status === 'timed_out' && ms >= leastMs);
  const last = called.slice(-2);
  const latest = last[1] ?? 0;
  if (last.length === 2 && last.every(isHung) && iteration - latest <= RESTING_ITERATIONS)
    record.violations.push(
      `slow tools: ${executionId} calls ${server} in iteration ${iteration}, which hung in ${last.join(' and ')}`,
    );
}
