// Decides the next step for a waiting call, from state only.

import { isTerminal } from '../../schema/common.ts';
import type { Execution, PendingCall } from '../../schema/execution.ts';

/** The next step for a waiting call. */
export type WaitDecision =
  /** The call keeps waiting. */
  | { kind: 'leave' }
  /** The child has ended: its result becomes the result of the call. */
  | { kind: 'settle'; child: Execution }
  /** The child exists and its first message might never have been published. */
  | { kind: 'publish_child'; child: Execution }
  /** The time limit has passed: the child is ended, and its end settles the call. */
  | { kind: 'end_child'; child: Execution }
  /** The time limit has passed without a person's decision. */
  | { kind: 'time_out' }
  /** The child is missing or unreadable: the call gets an error as its result. */
  | { kind: 'fail' };

/**
 * Decides about a call in state `waiting`.
 * @param child the execution that it waits for; undefined if it is missing or broken, and for calls that wait
 * for a person.
 */
export function decideWait(call: PendingCall, child: Execution | undefined, now: Date): WaitDecision {
  const { waitsFor } = call;
  if (waitsFor === undefined) return { kind: 'fail' };
  const isOver = now >= waitsFor.until;
  if (waitsFor.kind === 'person') return { kind: isOver ? 'time_out' : 'leave' };
  if (child === undefined) return { kind: 'fail' };
  if (isTerminal(child.status)) return { kind: 'settle', child };
  if (isOver) return { kind: 'end_child', child };
  return child.publishedIteration === 0 ? { kind: 'publish_child', child } : { kind: 'leave' };
}

/**
 * Whether a waiting execution has a call to settle. A child that was never claimed is overdue on its own.
 * @param children the executions that its calls wait for, by id.
 */
export function isWaitOver(
  { status, pendingCalls }: Execution,
  children: ReadonlyMap<string, Execution>,
  now: Date,
): boolean {
  if (status !== 'waiting') return false;
  return pendingCalls.some((call) => {
    if (call.state !== 'waiting') return false;
    const { kind } = decideWait(call, children.get(call.waitsFor?.id ?? ''), now);
    return kind !== 'leave' && kind !== 'publish_child';
  });
}
