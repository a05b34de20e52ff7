// The states of an iteration's tool calls: requested -> running -> done | failed | unknown. Pure.

import type { Execution, PendingCall } from '../schema/execution.ts';

/** Whether a call has its result. */
export function isSettled(call: PendingCall): boolean {
  return call.state === 'done' || call.state === 'failed' || call.state === 'unknown';
}

/**
 * Marks the calls that start next, unless some are running: consecutive read-only calls run side by side,
 * any other call runs alone and in its place. They are recorded as running before they start.
 */
export function startNextWave(calls: PendingCall[]): PendingCall[] {
  if (calls.some((call) => call.state === 'running')) return calls;
  const first = calls.findIndex((call) => call.state === 'requested');
  if (first === -1) return calls;
  let end = first + 1;
  if (calls[first]?.readOnly) {
    while (calls[end]?.state === 'requested' && calls[end]?.readOnly) end++;
  }
  return calls.map((call, index) => (index >= first && index < end ? { ...call, state: 'running' } : call));
}

/** The execution with one call settled and its success or failure counted. */
export function settleCall(
  execution: Execution,
  settled: { index: number; state: 'done' | 'failed' | 'unknown'; error?: string; timedOut: boolean },
): Execution {
  const pendingCalls = execution.pendingCalls.map((call) =>
    call.index === settled.index ? { ...call, state: settled.state } : call,
  );
  if (settled.state === 'done') return { ...execution, pendingCalls, consecutiveTimeouts: 0 };
  return {
    ...execution,
    pendingCalls,
    lastInteractionFailed: true,
    lastErrorMessage: settled.error ?? null,
    consecutiveTimeouts: settled.timedOut ? execution.consecutiveTimeouts + 1 : 0,
  };
}
