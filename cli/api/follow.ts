// Follows an investigation in Firestore until it ends.

import type { Store, Stored } from '../../shared/contract/store.ts';
import { RetryableError } from '../../shared/errors.ts';
import { awaitSessionId } from '../../shared/runtime/session/awaitSession.ts';
import { watchReadable } from '../../shared/runtime/views/readable.ts';
import { isTerminal } from '../../shared/schema/common.ts';
import {
  droppedAlertsType,
  paths,
  rejectedMessageType,
  sessionType,
  timelineEventType,
} from '../../shared/schema/documents.ts';
import { SchemaVersionError } from '../../shared/schema/documentType.ts';
import { type OnUnreadable, readableType, type Unreadable } from '../../shared/schema/readable.ts';
import type { Session } from '../../shared/schema/session.ts';
import type { TimelineEvent } from '../../shared/schema/timelineEvent.ts';
import { dayOf, hourOf } from '../../shared/text/utcPeriod.ts';

/** A triage rule dropped the alert, so it has no session. */
export class AlertDropped extends Error {}

/**
 * Waits until a published alert has been ingested.
 * @param alert.key the key of its message (`alertKeyOf`).
 * @returns the id of its session.
 * @throws AlertDropped; Error when the alert was rejected; the signal's reason when it aborts.
 */
export async function sessionOfAlert(
  store: Store,
  alert: { key: string; messageId: string },
  signal: AbortSignal,
): Promise<string> {
  let stop = () => {};
  const rejected = new Promise<never>((_, reject) => {
    // An unreadable document about other alerts is no reason to stop.
    const noting = <T>(onDocuments: (documents: Stored<T>[]) => void) => ({
      onDocuments,
      onUnreadable: () => {},
      onError: reject,
    });
    const stops = [
      watchReadable(
        { collection: paths.droppedAlerts, idRange: daysAround(new Date()) },
        droppedAlertsType,
        noting((documents) => {
          for (const { path, value } of documents) {
            const { rule, text, last, examples } = value;
            if (![last, ...examples].some(({ messageId }) => messageId === alert.messageId)) continue;
            reject(new AlertDropped(`the alert was dropped by ${rule} of triage.yaml: ${text} (${path})`));
          }
        }),
        store,
      ),
      watchReadable(
        { collection: paths.rejectedMessages, idRange: hoursAround(new Date()) },
        rejectedMessageType,
        noting((documents) => {
          for (const { path, value } of documents) {
            const sample = value.samples.find(({ messageId }) => messageId === alert.messageId);
            if (sample === undefined) continue;
            reject(new Error(`the alert was refused: ${value.code}: ${sample.reason} (${path})`));
          }
        }),
        store,
      ),
    ];
    stop = () => {
      for (const one of stops) one();
    };
  });
  const over = new AbortController();
  try {
    const opened = awaitSessionId(alert.key, store, AbortSignal.any([signal, over.signal]));
    return await Promise.race([opened, rejected]);
  } finally {
    stop();
    over.abort();
  }
}

/** How a session is followed. */
export interface FollowOptions {
  /** Whether to stop following. Default: when the session has ended, or is deferred without a time. */
  until?: (session: Session) => boolean;
  /** Called when the connection is lost, with the delay until the next attempt in milliseconds. Absent: the error is thrown. */
  onLost?: (error: RetryableError, retryMs: number) => void;
  /** Called once for each event that cannot be read; later events are still reported. Default: such events are skipped. */
  onUnreadable?: OnUnreadable;
}

/** Delays of the reconnection attempts; the last one repeats. */
const RECONNECT_MS = [1_000, 2_000, 4_000, 8_000, 16_000, 30_000] as const;

/**
 * Calls `onEvent` once for each event, in the order of its execution's numbers, then resolves with the ended or deferred
 * session.
 * @throws the store's errors; the signal's reason when it aborts.
 */
export async function followSession(
  store: Store,
  sessionId: string,
  onEvent: (event: TimelineEvent) => void,
  signal: AbortSignal,
  { until = isOver, onLost, onUnreadable }: FollowOptions = {},
): Promise<Session> {
  const inOrder = orderedByExecution(onEvent);
  const skip = (event: Unreadable) => {
    if (inOrder.skip(event.path)) onUnreadable?.(event);
  };
  const addStored = async () => {
    const all = await store.list({ collection: paths.timeline(sessionId) }, readableType(timelineEventType));
    for (const { value } of all) {
      if (value.value !== undefined) inOrder.add(value.value);
      if (value.unreadable !== undefined) skip(value.unreadable);
    }
  };
  for (let lost = 0; ; lost++) {
    try {
      const session = await watchUntilOver(store, sessionId, until, { add: inOrder.add, skip }, signal);
      // The watch can lag behind, so the last events are read here.
      await addStored();
      return session;
    } catch (error) {
      signal.throwIfAborted();
      const mayPass = error instanceof RetryableError && !(error instanceof SchemaVersionError);
      if (onLost === undefined || !mayPass) throw error;
      const retryMs = RECONNECT_MS[Math.min(lost, RECONNECT_MS.length - 1)] ?? 0;
      onLost(error, retryMs);
      await pause(retryMs, signal);
    }
  }
}

/** Follows with one connection, until the session is over or a watch fails. */
function watchUntilOver(
  store: Store,
  sessionId: string,
  until: (session: Session) => boolean,
  { add, skip }: { add(event: TimelineEvent): void; skip(event: Unreadable): void },
  signal: AbortSignal,
): Promise<Session> {
  const stops: (() => void)[] = [];
  return new Promise<Session>((resolve, reject) => {
    signal.throwIfAborted();
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    stops.push(
      store.watch(
        { collection: paths.sessions, idRange: { from: sessionId, to: sessionId } },
        sessionType,
        ([found]) => {
          if (found !== undefined && until(found.value)) resolve(found.value);
        },
        reject,
      ),
      watchReadable(
        { collection: paths.timeline(sessionId) },
        timelineEventType,
        {
          onDocuments(documents) {
            for (const { value } of documents) add(value);
          },
          onUnreadable: skip,
          onError: reject,
        },
        store,
      ),
    );
  }).finally(() => {
    for (const stop of stops) stop();
  });
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    signal.addEventListener('abort', stop, { once: true });
  });
}

/** Ids of dropped alerts from the previous day to the next day, because clocks differ. */
function daysAround(now: Date): { from: string; to: string } {
  const id = (days: number) => dayOf(new Date(now.getTime() + days * 24 * 3_600_000));
  return { from: id(-1), to: id(2) };
}

/** Ids of rejections from one hour ago to one day later, because clocks differ and a command can wait that long. */
function hoursAround(now: Date): { from: string; to: string } {
  const id = (hours: number) => `ingestAlert.${hourOf(new Date(now.getTime() + hours * 3_600_000))}`;
  return { from: id(-1), to: id(24) };
}

/** Whether the session has ended, or is deferred until it is started by hand. */
function isOver({ status, openStage, deferral }: Session): boolean {
  if (status === 'deferred') return deferral?.until == null;
  return openStage === null && isTerminal(status);
}

/** Whether an event is about an approval. The result of the call has a lower number, but is stored only after the decision. */
function isAboutApproval(event: TimelineEvent): boolean {
  return event.eventType === 'notice' && event.metadata.approvalId !== undefined;
}

/**
 * Orders events by number: results of parallel calls can be stored out of order, so an event is held back until those with
 * lower numbers are reported. Events about approvals are reported immediately.
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
