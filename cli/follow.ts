// Follows one investigation through Firestore until it ends.

import type { Store } from '../shared/contract/store.ts';
import { isTerminal } from '../shared/schema/common.ts';
import { paths, rejectedMessageType, sessionType, timelineEventType } from '../shared/schema/documents.ts';
import type { Session } from '../shared/schema/session.ts';
import type { TimelineEvent } from '../shared/schema/timelineEvent.ts';
import { hourOf } from '../shared/text/utcPeriod.ts';

/**
 * Calls `onEvent` for every event in the order of its execution's numbers, then resolves with the ended session, or with one
 * that is deferred.
 * @param messageId of the alert; a rejection of it ends the wait.
 * @throws Error when the alert was rejected; the signal's reason when it aborts.
 */
export async function followSession(
  store: Store,
  alert: { sessionId: string; messageId: string },
  onEvent: (event: TimelineEvent) => void,
  signal: AbortSignal,
): Promise<Session> {
  const inOrder = orderedByExecution(onEvent);
  const stops: (() => void)[] = [];
  try {
    const session = await new Promise<Session>((resolve, reject) => {
      signal.throwIfAborted();
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      const { sessionId } = alert;
      stops.push(
        store.watch(
          { collection: paths.sessions, idPrefix: sessionId },
          sessionType,
          (documents) => {
            const found = documents.find((document) => document.id === sessionId);
            if (found !== undefined && isOver(found.value)) resolve(found.value);
          },
          reject,
        ),
        store.watch(
          { collection: paths.timeline(sessionId) },
          timelineEventType,
          (documents) => {
            for (const { value } of documents) inOrder.add(value);
          },
          reject,
        ),
        store.watch(
          { collection: paths.rejectedMessages, idRange: hoursAround(new Date()) },
          rejectedMessageType,
          (documents) => {
            for (const { path, value } of documents) {
              const sample = value.samples.find(({ messageId }) => messageId === alert.messageId);
              if (sample === undefined) continue;
              reject(new Error(`the alert was refused: ${value.code}: ${sample.reason} (${path})`));
            }
          },
          reject,
        ),
      );
    });
    // The last events may still be on their way to the watch.
    const all = await store.list({ collection: paths.timeline(alert.sessionId) }, timelineEventType);
    for (const { value } of all) inOrder.add(value);
    return session;
  } finally {
    for (const stop of stops) stop();
  }
}

/** Ids of the rejections from the hour before to a day later: clocks differ, and people wait. */
function hoursAround(now: Date): { from: string; to: string } {
  const id = (hours: number) => `ingestAlert.${hourOf(new Date(now.getTime() + hours * 3_600_000))}`;
  return { from: id(-1), to: id(24) };
}

/** Whether nothing more happens by itself. */
function isOver({ status }: Session): boolean {
  return isTerminal(status) || status === 'deferred';
}

/** Whether an event is about an approval: the number of the call's result is lower, and nothing comes before the decision. */
function isAboutApproval(event: TimelineEvent): boolean {
  return event.eventType === 'notice' && event.metadata.approvalId !== undefined;
}

/**
 * Results of parallel calls may be stored before earlier ones: each event waits for those with lower numbers. What people
 * have to decide does not wait.
 */
function orderedByExecution(onEvent: (event: TimelineEvent) => void): { add(event: TimelineEvent): void } {
  const waiting = new Map<string, TimelineEvent>();
  const reported = new Map<string, number>();
  const atOnce = new Set<string>();
  const key = (executionId: string, sequenceNumber: number) => `${executionId}.${sequenceNumber}`;
  return {
    add(event) {
      const { executionId } = event;
      const own = key(executionId, event.sequenceNumber);
      if (event.sequenceNumber <= (reported.get(executionId) ?? 0) || atOnce.has(own)) return;
      if (isAboutApproval(event)) {
        atOnce.add(own);
        onEvent(event);
      }
      waiting.set(own, event);
      for (;;) {
        const number = (reported.get(executionId) ?? 0) + 1;
        const next = waiting.get(key(executionId, number));
        if (next === undefined) return;
        waiting.delete(key(executionId, number));
        reported.set(executionId, number);
        if (!atOnce.has(key(executionId, number))) onEvent(next);
      }
    },
  };
}
