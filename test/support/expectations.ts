// Expectations that hold for every investigation.

import { expect } from 'vitest';
import { isTerminal } from '../../shared/core/schema/common.ts';
import { SESSION_EVENTS } from '../../shared/core/schema/coreDocuments.ts';
import type { Investigation } from './harness.ts';

/** Expects events and messages 1..n of every execution, and nothing pending after its end. */
export function expectNoGaps(run: Investigation): void {
  for (const { executionId, lastEvent, lastMessage, status, pendingCalls, lease } of run.executions) {
    expect(numbersOf(run.timeline, executionId), `events of ${executionId}`).toEqual(upTo(lastEvent));
    expect(numbersOf(run.messages, executionId), `messages of ${executionId}`).toEqual(upTo(lastMessage));
    if (!isTerminal(status)) continue;
    expect(pendingCalls).toEqual([]);
    expect(lease).toBeNull();
  }
}

/** The event types of the executions in order, with the status of those that are not `completed`. */
export function listEventTypes(run: Investigation, executionId?: string): string[] {
  return run.timeline
    .filter((event) => event.executionId !== SESSION_EVENTS)
    .filter((event) => executionId === undefined || event.executionId === executionId)
    .map((event) => (event.status === 'completed' ? event.eventType : `${event.eventType} ${event.status}`));
}

/** The codes of the error events, in order. */
export function listErrorCodes(run: Investigation): string[] {
  return run.timeline.flatMap((event) => (event.eventType === 'error' ? [event.metadata.code] : []));
}

/** The tool results in the order of the calls. */
export function listToolResults(run: Investigation) {
  return run.timeline.filter((event) => event.eventType === 'tool_result');
}

function numbersOf(documents: { executionId: string; sequenceNumber: number }[], executionId: string) {
  return documents.filter((document) => document.executionId === executionId).map((d) => d.sequenceNumber);
}

const upTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);
