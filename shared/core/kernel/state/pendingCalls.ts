// The states of an iteration's tool calls: requested -> running | waiting -> done | failed | unknown. Pure.

import { isLedgerCall } from '../../contract/ledgerTool.ts';
import type { Execution, PendingCall } from '../../schema/execution.ts';

/** Maximum number of concurrent read-only calls: saves time, and suits a server on a small machine. */
const MAX_WAVE = 8;

/** States of a call with a result: `done`; `failed`: it could not run; `unknown`: cut off, unverified. */
export type SettledState = 'done' | 'failed' | 'unknown';

/** Whether a call has its result. */
export function isSettled(call: PendingCall): boolean {
  return call.state === 'done' || call.state === 'failed' || call.state === 'unknown';
}

/** Whether an execution waits for the answer of a child. */
export function isWaitingForChild({ status, pendingCalls }: Execution, childId: string): boolean {
  return (
    status === 'waiting' &&
    pendingCalls.some(({ state, waitsFor }) => state === 'waiting' && waitsFor?.id === childId)
  );
}

/** The next step for the calls of an answer. */
export type NextCalls =
  /** Every call has its result. */
  | { kind: 'settled' }
  /** Some are running or waiting and must be settled first. */
  | { kind: 'in_progress' }
  /** These run concurrently. */
  | { kind: 'run'; calls: PendingCall[] }
  /** Nothing runs: these start to wait together. */
  | { kind: 'wait'; calls: PendingCall[] };

/**
 * Returns the calls that come next. Calls up to the next one that needs a person's approval form a group. The
 * ordinary calls of a group run first, in order: up to 8 consecutive read-only ones concurrently, any other
 * one on its own. Then its calls that wait for children start together. A call that needs approval is a group
 * of its own, and runs once it is approved.
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

/** The first requested call and the read-only calls directly after it that can run concurrently with it. */
function firstWave(calls: PendingCall[]): PendingCall[] {
  const first = calls.findIndex(({ state }) => state === 'requested');
  const call = calls[first];
  if (call === undefined) return [];
  if (!call.readOnly) return [call];
  const wave = calls.slice(first, first + MAX_WAVE);
  const end = wave.findIndex(({ state, readOnly }) => state !== 'requested' || !readOnly);
  return end === -1 ? wave : wave.slice(0, end);
}

/** Marks the next calls as running; they are stored in this state before they start. */
export function startNextWave(calls: PendingCall[]): PendingCall[] {
  const next = nextCalls(calls);
  if (next.kind !== 'run') return calls;
  return calls.map((call) => (next.calls.includes(call) ? { ...call, state: 'running' } : call));
}

/** Indexes of the calls with side effects that a dead holder left running: they are not simply repeated. */
export function cutOffCalls(calls: PendingCall[]): number[] {
  return calls.filter((call) => call.state === 'running' && !call.readOnly).map((call) => call.index);
}

/** Why a call could not run or did not finish. */
export interface CallFailure {
  /** The text of the result that the model gets. */
  message: string;
  /** Whether it ran and timed out. */
  timedOut?: boolean;
}

/** The execution with one call settled. When all are, `judgeCalls` decides whether the interaction failed. */
export function settleCall(
  execution: Execution,
  index: number,
  state: SettledState,
  failure?: CallFailure,
): Execution {
  const settled = { state, ...(failure?.timedOut === true && { timedOut: true as const }) };
  const pendingCalls = execution.pendingCalls.map((call) =>
    call.index === index ? { ...call, ...settled } : call,
  );
  return { ...execution, pendingCalls, ...(failure !== undefined && { lastErrorMessage: failure.message }) };
}

/** The execution after all calls: failed if none of them could run. The ledger does not count. */
export function judgeCalls(execution: Execution): Execution {
  const calls = execution.pendingCalls.filter((call) => !isLedgerCall(call));
  const ran = calls.length === 0 || calls.some(({ state }) => state === 'done');
  return { ...execution, lastInteractionFailed: !ran };
}
