// The states of an iteration's tool calls: requested -> running | waiting -> done | failed | unknown. Pure.

import type { Execution, PendingCall } from '../../schema/execution.ts';

/** How many read-only calls run side by side: enough to save time, few enough for a server on a small machine. */
const MAX_WAVE = 8;

export type SettledState = 'done' | 'failed' | 'unknown';

/** Whether a call has its result. */
export function isSettled(call: PendingCall): boolean {
  return call.state === 'done' || call.state === 'failed' || call.state === 'unknown';
}

/** What comes next for the calls of an answer. */
export type NextCalls =
  /** Every call has its result. */
  | { kind: 'settled' }
  /** Some run or wait: they come first. */
  | { kind: 'in_progress' }
  /** These run side by side. */
  | { kind: 'run'; calls: PendingCall[] }
  /** Nothing else runs: these begin to wait together. */
  | { kind: 'wait'; calls: PendingCall[] };

/**
 * The calls that come next. Calls up to the next one that a person has to allow form a group: first its ordinary calls
 * run, up to 8 consecutive read-only ones side by side, any other alone and in its place; then its calls that wait for
 * children begin together. A call that a person has to allow is a group of its own, and runs once it is allowed.
 */
export function nextCalls(calls: PendingCall[]): NextCalls {
  if (calls.some(({ state }) => state === 'running' || state === 'waiting')) return { kind: 'in_progress' };
  const first = calls.findIndex(({ state }) => state === 'requested');
  const call = calls[first];
  if (call === undefined) return { kind: 'settled' };
  if (needsPerson(call)) return { kind: call.approval === undefined ? 'wait' : 'run', calls: [call] };
  const end = calls.findIndex((later, index) => index > first && needsPerson(later));
  const group = calls.slice(first, end === -1 ? calls.length : end);
  const wave = firstWave(group.filter(({ waits }) => waits === undefined));
  if (wave.length > 0) return { kind: 'run', calls: wave };
  return { kind: 'wait', calls: group.filter(({ state }) => state === 'requested') };
}

function needsPerson({ waits }: PendingCall): boolean {
  return waits === 'person';
}

/** The first requested call, and those right behind it that may run beside it. */
function firstWave(calls: PendingCall[]): PendingCall[] {
  const first = calls.findIndex(({ state }) => state === 'requested');
  const call = calls[first];
  if (call === undefined) return [];
  if (!call.readOnly) return [call];
  const wave = calls.slice(first, first + MAX_WAVE);
  const end = wave.findIndex(({ state, readOnly }) => state !== 'requested' || !readOnly);
  return end === -1 ? wave : wave.slice(0, end);
}

/** Marks the calls that run next, if there are any. They are recorded as running before they start. */
export function startNextWave(calls: PendingCall[]): PendingCall[] {
  const next = nextCalls(calls);
  if (next.kind !== 'run') return calls;
  return calls.map((call) => (next.calls.includes(call) ? { ...call, state: 'running' } : call));
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
