// Orders the events of a timeline, which a stream delivers as they are stored.

import type { TimelineEvent } from '../core/schema/timelineEvent.ts';

/** Whether an event is about an approval. Its call's result has a lower number, stored later. */
function isAboutApproval(event: TimelineEvent): boolean {
  return event.eventType === 'notice' && event.metadata.approvalId !== undefined;
}

/**
 * Orders events by number: results of parallel calls can be stored out of order, so an event is held back
 * until those with lower numbers are reported. Events about approvals are reported immediately.
 */
export function orderedByExecution(onEvent: (event: TimelineEvent) => void): {
  add(event: TimelineEvent): void;
  /** Skips the unreadable event at this path. Returns false if it was skipped or reported before. */
  skip(path: string): boolean;
} {
  const waiting = new Map<string, TimelineEvent | 'skipped'>();
  const reported = new Map<string, number>();
  const atOnce = new Set<string>();
  const key = (executionId: string, sequenceNumber: number) => `${executionId}.${sequenceNumber}`;
  const reportNext = (executionId: string): void => {
    for (;;) {
      const number = (reported.get(executionId) ?? 0) + 1;
      const next = waiting.get(key(executionId, number));
      if (next === undefined) return;
      waiting.delete(key(executionId, number));
      reported.set(executionId, number);
      if (next !== 'skipped' && !atOnce.has(key(executionId, number))) onEvent(next);
    }
  };
  return {
    skip(path) {
      const [, executionId = '', digits] = /([^/]+)\.(\d+)$/.exec(path) ?? [];
      const number = Number(digits);
      const own = key(executionId, number);
      if (!(number > (reported.get(executionId) ?? 0)) || waiting.has(own) || atOnce.has(own)) return false;
      waiting.set(own, 'skipped');
      reportNext(executionId);
      return true;
    },
    add(event) {
      const { executionId } = event;
      const own = key(executionId, event.sequenceNumber);
      if (event.sequenceNumber <= (reported.get(executionId) ?? 0) || atOnce.has(own)) return;
      if (isAboutApproval(event)) {
        atOnce.add(own);
        onEvent(event);
      }
      waiting.set(own, event);
      reportNext(executionId);
    },
  };
}
