// What must hold for an investigation whatever died under it.

import { expect } from 'vitest';
import { isTerminal } from '../../shared/core/schema/common.ts';
import { expectNoGaps } from '../support/expectations.ts';
import type { Investigation } from '../support/harness.ts';
import type { Rig } from './rig.ts';

/** How often the model was asked for each answer: `{ '01-changer': [1, 1] }`. */
export function timesAsked(rig: Rig, sessionId: string): Record<string, number[]> {
  const counts: Record<string, number[]> = {};
  for (const { executionId, turn } of rig.asked(sessionId)) {
    counts[executionId] ??= [];
    counts[executionId][turn - 1] = (counts[executionId][turn - 1] ?? 0) + 1;
  }
  return counts;
}

/** How often each call of a tool was run, by its key. */
export function timesRun(rig: Rig, sessionId: string, tool: string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const run of rig.toolRuns(sessionId)) {
    if (run.tool === tool) counts[run.key] = (counts[run.key] ?? 0) + 1;
  }
  return counts;
}

/** The timeline says of these calls that nobody knows whether they took effect. */
export function unverifiedCalls(run: Investigation, executionId: string) {
  return run.timeline.filter(
    (event) =>
      event.executionId === executionId &&
      event.eventType === 'tool_result' &&
      event.metadata.outcome === 'unknown',
  );
}

/**
 * Numbers without gaps, one conclusion, nothing asked or run again that was stored, no change made twice.
 * @param kills how often a process died that was running iterations.
 */
export function expectSound(rig: Rig, run: Investigation, kills: number): void {
  const { sessionId } = run.session;
  expectNoGaps(run);
  expect(run.stages.map(({ status }) => isTerminal(status))).not.toContain(false);
  for (const { executionId, status } of run.executions) {
    expect(isTerminal(status), executionId).toBe(true);
    const events = run.timeline.filter((event) => event.executionId === executionId);
    const conclusions = events.filter(({ eventType }) => eventType === 'final_analysis');
    expect(conclusions, executionId).toHaveLength(status === 'completed' ? 1 : 0);
    if (status === 'completed') expect(events.at(-1)).toBe(conclusions[0]);
  }

  expect(rig.asked(sessionId).filter(({ stored }) => stored)).toEqual([]);
  expect(rig.toolRuns(sessionId).filter(({ stored }) => stored)).toEqual([]);
  // Whoever dies is in the middle of one model call and one run of a read-only tool per execution at most.
  const asked = Object.values(timesAsked(rig, sessionId)).flat();
  expect(Math.max(...asked, 0)).toBeLessThanOrEqual(1 + kills);
  const looks = Object.values(timesRun(rig, sessionId, 'look'));
  expect(Math.max(...looks, 0)).toBeLessThanOrEqual(1 + kills);
  const changes = Object.values(timesRun(rig, sessionId, 'change'));
  expect(Math.max(...changes, 0)).toBeLessThanOrEqual(1);

  // A result that is told is the result of a call that ran; of what was cut off the model is told so.
  const results = run.timeline.filter(
    (event) => event.eventType === 'tool_result' && event.metadata.toolName !== 'ask_agent',
  );
  const completed = results.filter(({ status }) => status === 'completed').length;
  const unverified = run.executions.flatMap(({ executionId }) => unverifiedCalls(run, executionId)).length;
  expect(completed + unverified).toBe(results.length);
  expect(looks.length + changes.length).toBeGreaterThanOrEqual(completed);
}
