// Publishes an alert as an alert source does, and follows its investigation.

import { isInvestigated } from '../../shared/alerts/status.ts';
import { TOPICS } from '../../shared/contract/publisher.ts';
import type { Store } from '../../shared/contract/store.ts';
import { alertKeyOf } from '../../shared/runtime/kernel/session/sessionId.ts';
import { tenantOf } from '../../shared/runtime/tenants/context.ts';
import { tenantStore } from '../../shared/runtime/tenants/tenantStore.ts';
import { getReadable, listReadable } from '../../shared/runtime/views/readable.ts';
import { reportsView } from '../../shared/runtime/views/reports.ts';
import {
  alertCountsType,
  alertKeyType,
  interactionType,
  paths,
  sessionType,
} from '../../shared/schema/documents.ts';
import type { Alert, Session } from '../../shared/schema/session.ts';
import type { TimelineEvent } from '../../shared/schema/timelineEvent.ts';
import { openCloud } from '../../shared/wiring/openCloud.ts';
import { AlertDropped, followSession, sessionOfAlert } from '../api/follow.ts';
import type { Printer } from '../print/printer.ts';
import { reportsText } from '../print/reports.ts';
import { reportUnreadable } from '../print/reportUnreadable.ts';
import { beforeAbort } from '../process/interrupt.ts';
import { type AlertInput, describeAlert } from './alertInput.ts';
import { createApprovalAsker, type Terminal } from './askApproval.ts';

/** The user is notified after this long without an answer or a session. A cold start of a function usually takes less. */
const PATIENCE_MS = 5_000;

const STATUS_WORDS: Partial<Record<Alert['status'], string>> = {
  resolved: 'resolved',
  acknowledged: 'acknowledged',
  test: 'a test',
};

/** The alert to publish, and how to follow it. */
export interface SendOptions {
  input: AlertInput;
  /** Later alerts of the same source, in order. Each is published when the previous one has been ingested. */
  later?: readonly AlertInput[];
  /** Prints the timeline as it grows. Absent: does not wait for the investigation. */
  printer?: Printer;
  /** The terminal that asks for approvals. Absent: no question is asked. */
  terminal?: Terminal | undefined;
  /** Attributes of the message: `chain` names the chain to run (default: the default chain), `tenant` the owner. */
  attributes?: Record<string, string>;
  /** Called with a line for people: the alert, its session, and delays. */
  onProgress: (line: string) => void;
  /** Ends the wait. */
  signal: AbortSignal;
}

/**
 * Publishes an alert to the system that the environment names.
 * @returns the ended session, or undefined without a printer.
 * @throws Error when the alert was rejected or its status needs no investigation; RetryableError `PUBLISH_FAILED` or
 *   `STORE_UNAVAILABLE`; the signal's reason when it aborts.
 */
export async function sendAlert(options: SendOptions): Promise<Session | undefined> {
  const { input, attributes = {}, printer, onProgress, signal } = options;
  const { store, publisher, where, close } = openCloud(process.env);
  try {
    onProgress(`alert ${describeAlert(input.alert)}`);
    const publishing = beforeAbort(publisher.publish(TOPICS.alerts, input.data, attributes), signal);
    const messageId = await withLateNotice(publishing, async () =>
      onProgress(`Pub/Sub of ${where} has not answered for ${PATIENCE_MS / 1000} s; still trying`),
    );
    const key = alertKeyOf({ messageId, data: input.data });
    if (printer === undefined) {
      onProgress(
        `published message ${messageId}; once it is taken, ${paths.alertKey(key)} names its session`,
      );
      return undefined;
    }
    onProgress(`published message ${messageId}`);
    const { status, title } = input.alert;
    if (attributes.rerunOf === undefined && !isInvestigated(status)) {
      const code = status === 'resolved' ? 'ALERT_RESOLVED: ' : '';
      throw new Error(`${code}"${title}" is ${STATUS_WORDS[status]}; it is not investigated`);
    }
    const { terminal } = options;
    const own = tenantStore(store, tenantOf({ tenantId: attributes.tenant ?? '' }));
    const asker = terminal && createApprovalAsker({ store: own, publisher }, terminal);
    const onEvent = (event: TimelineEvent): void => {
      printer.event(event);
      asker?.event(event);
    };
    const sessionId = await withLateNotice(sessionOfAlert(store, { key, messageId }, signal), async () =>
      onProgress(
        `published, but not ingested within ${PATIENCE_MS / 1000} s: see the log of ingestAlert (on one machine, the terminal of \`inquest start\`); still waiting`,
      ),
    );
    onProgress(`session ${sessionId}`);
    if (await beforeAbort(isAttached(store, key, sessionId), signal))
      onProgress('an earlier alert of the same problem opened it; `inquest rerun` investigates it again');
    for (const input of options.later ?? []) {
      onProgress(`alert ${describeAlert(input.alert)}`);
      const messageId = await beforeAbort(publisher.publish(TOPICS.alerts, input.data, attributes), signal);
      const about = { key: alertKeyOf({ messageId, data: input.data }), messageId };
      onProgress(`  ${await beforeAbort(placementText(store, about, sessionId, signal), signal)}`);
    }
    const session = await followSession(own, sessionId, onEvent, signal, {
      onUnreadable: reportUnreadable,
    }).finally(() => asker?.close());
    const models = await beforeAbort(modelsOf(own, sessionId), signal);
    printer.end(session, `${paths.session(sessionId)} in ${where}`, models);
    const counts = await beforeAbort(
      getReadable(paths.alertCounts(sessionId), alertCountsType, store),
      signal,
    );
    const seen = reportsText(reportsView(counts.value), session);
    if (seen !== null) onProgress(`the alert was ${seen}`);
    return session;
  } finally {
    // An interrupted process exits soon, and a connection to an emulator that died cannot be closed.
    if (!signal.aborted) await close();
  }
}

/** Whether a later alert joined the session, opened its own or was dropped. @throws as `sessionOfAlert`, except AlertDropped. */
async function placementText(
  store: Store,
  alert: { key: string; messageId: string },
  sessionId: string,
  signal: AbortSignal,
): Promise<string> {
  try {
    const taken = await sessionOfAlert(store, alert, signal);
    if (taken === sessionId) return 'belongs to the session';
    const session = await store.get(paths.session(taken), sessionType);
    const { status, deferral = null } = session?.value ?? {};
    return `has a session of its own, ${deferral === null ? status : `deferred (${deferral.reason})`}: ${paths.session(taken)}`;
  } catch (error) {
    if (error instanceof AlertDropped) return error.message;
    throw error;
  }
}

/** Whether an alert belongs to a session that another alert opened. */
async function isAttached(store: Store, key: string, sessionId: string): Promise<boolean> {
  const [stored, session] = await Promise.all([
    store.get(paths.alertKey(key), alertKeyType),
    store.get(paths.session(sessionId), sessionType),
  ]);
  return session !== undefined && stored?.value.createdAt.getTime() !== session.value.createdAt.getTime();
}

/** Returns the result of `work`. Calls `onLate` once if it takes longer than `PATIENCE_MS`, and ignores failures of `onLate`. */
async function withLateNotice<T>(work: Promise<T>, onLate: () => Promise<void>): Promise<T> {
  const timer = setTimeout(() => void onLate().catch(() => undefined), PATIENCE_MS);
  try {
    return await work;
  } finally {
    clearTimeout(timer);
  }
}

/** The model versions in the answers, without duplicates. */
async function modelsOf(store: Store, sessionId: string): Promise<string[]> {
  const collection = `${paths.session(sessionId)}/interactions`;
  const { values } = await listReadable({ collection }, interactionType, store);
  return [...new Set(values.flatMap(({ modelVersion }) => modelVersion ?? []))];
}
