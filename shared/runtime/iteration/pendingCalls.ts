// The states of an iteration's tool calls: requested -> running -> done | failed | unknown. Pure.

import type { Execution, PendingCall } from '../../schema/execution.ts';

/** How many read-only calls run side by side: enough to save time, few enough for a server on a small machine. */
const MAX_WAVE = 8;

export type SettledState = 'done' | 'failed' | 'unknown';

/** Whether a call has its result. */
export function isSettled(call: PendingCall): boolean {
  return call.state === 'done' || call.state === 'failed' || call.state === 'unknown';
}

/**
 * Marks the calls that start next, unless some are running: up to 8 consecutive read-only calls run side by side,
 * any other call runs alone and in its place. They are recorded as running before they start.
 */
export function startNextWave(calls: PendingCall[]): PendingCall[] {
  if (calls.some((call) => call.state === 'running')) return calls;
  const first = calls.findIndex((call) => call.state === 'requested');
  if (first === -1) return calls;
  let end = first + 1;
  if (calls[first]?.readOnly) {
    while (end - first < MAX_WAVE && calls[end]?.state === 'requested' && calls[end]?.readOnly) end++;
  }
  return calls.map((call, index) => (index >= first && index < end ? { ...call, state: 'running' } : call));
}

/** Indexes of calls that were running when their holder died and that may not be repeated. */
export function cutOffCalls(calls: PendingCall[]): number[] {
  return calls.filter((call) => call.state === 'running' && !call.readOnly).map((call) => call.index);
}

/**
 * The execution with one call settled.
 * @param error why it failed; the execution's last interaction counts as failed then.
 */
export function settleCall(
  execution: Execution,
  index: number,
  state: SettledState,
  error: string | undefined,
): Execution {
  const pendingCalls = execution.pendingCalls.map((call) =>
    call.index === index ? { ...call, state } : call,
  );
  if (error === undefined) return { ...execution, pendingCalls };
  return { ...execution, pendingCalls, lastInteractionFailed: true, lastErrorMessage: error };
}
