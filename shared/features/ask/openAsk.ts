// A message that names a question: opens its session on the way of every alert, without triage, incidents and
// correlation, which decide about problems that sources report.

import { createHash } from 'node:crypto';
import { askPart } from '../../alerts/schema/sessionAsk.ts';
import type { SessionConfig } from '../../config/config.ts';
import { notifyPart } from '../../config/notified.ts';
import { RELEASED } from '../../core/contract/lease.ts';
import { createDocument, replaceDocument, type Write } from '../../core/contract/store.ts';
import { errorMessage, TerminalError } from '../../core/errors.ts';
import type { AlertDeps, StateDeps } from '../../core/kernel/deps.ts';
import { DOCUMENT_RACES, RACE_LOST, retryLostRaces } from '../../core/kernel/documents/retryConflict.ts';
import type { PubsubMessage } from '../../core/kernel/pubsubEvent.ts';
import { paths, sessionType } from '../../core/schema/coreDocuments.ts';
import { NO_PARTS, withPart } from '../../core/schema/parts.ts';
import type { AlertTaker } from '../../kits/alerts/alertTaker.ts';
import type { IntakeFeature } from '../../kits/alerts/intakeFeature.ts';
import { type DeliveryGroup, deliveryGroupType, unsentProgress } from '../../kits/deliveries/delivery.ts';
import { publishDelivery } from '../../kits/deliveries/deliveryMessage.ts';
import { buildTenantAttributes } from '../../kits/tenants/alertContext.ts';
import { cleanText } from '../../masking/cleanText.ts';
import { ASK_ATTRIBUTE, type Ask, askType, deriveAskKey } from './ask.ts';
import { QUESTION } from './askText.ts';

/** Ids of questions. */
const ASK_ID = /^[0-9a-f]{40}$/;
/** How long the message of a refused question is kept: as long as that of rejected alerts. */
const KEEP_REFUSAL_MS = 7 * 24 * 3_600_000;
/** The messages about the session: all go to the thread. */
const WHEN = ['opened', 'approval', 'ended', 'failed', 'deferred'];

/** Opens a session for a message of the topic of alerts. */
type Ingest = (
  message: PubsubMessage,
  config: SessionConfig,
  deps: AlertDeps,
  features: readonly IntakeFeature[],
) => Promise<{ outcome: string; sessionId?: string | undefined }>;

/**
 * Takes the messages that name a question.
 * @param intake the features of intake for it.
 */
export const askTaker =
  (intake: readonly IntakeFeature[], ingest: Ingest): AlertTaker =>
  async (message, { triage: _, ...config }, deps) => {
    const askId = message.attributes[ASK_ATTRIBUTE];
    if (askId === undefined) return false;
    const stored = ASK_ID.test(askId) ? await deps.store.get(askType.paths.ask(askId), askType) : undefined;
    const ask = stored?.value;
    if (ask === undefined || ask.sessionId !== null || ask.reason !== null) {
      deps.log.info({ messageId: message.messageId }, 'nothing to do for the message of a question');
      return true;
    }
    try {
      const features = [fillSession(ask), ...intake];
      // A question can be about Inquest itself.
      const outcome = await ingest(toAlert(message, ask), { ...config, ownServices: [] }, deps, features);
      const { sessionId } = outcome;
      if (sessionId === undefined) throw new TypeError('no rule drops a question');
      await settleAsk(askId, { sessionId }, deps);
      deps.log.info({ sessionId, askId, destination: ask.destination }, 'question accepted');
    } catch (error) {
      if (error instanceof TerminalError)
        await settleAsk(askId, { reason: error.message, code: error.code }, deps);
      throw error;
    }
    return true;
  };

/** The question as the message of an alert. */
function toAlert({ messageId, deliveryAttempt, traceparent }: PubsubMessage, ask: Ask): PubsubMessage {
  const { askId, tenantId, by, chain, body, createdAt } = ask;
  return {
    messageId,
    deliveryAttempt,
    traceparent,
    publishedAt: createdAt,
    data: Buffer.from(body),
    attributes: { ...buildTenantAttributes({ tenantId, userId: by }), chain },
    key: deriveAskKey(askId),
  };
}

/** Gives the session the facts of the question, and its thread. */
function fillSession({
  askId,
  by,
  destination,
  thread,
  source,
  question,
  severity,
  labels,
}: Ask): IntakeFeature {
  return {
    async enrich(read) {
      const { alert, masker } = read;
      const masked = Object.entries(labels).map(([name, value]) => [name, masker.mask(value).text] as const);
      return {
        ...read,
        alert: {
          ...alert,
          source,
          title: alert.title.replace(QUESTION, ''),
          status: 'unknown',
          severity,
          identity: null,
          summary: null,
          url: null,
          runbookUrl: null,
          links: [],
          startedAt: null,
          labels: Object.fromEntries(masked),
          members: [],
        },
      };
    },
    async addContext({ masker }) {
      const part = { askId, by, destination, thread, question: cleanText(masker, question).text };
      const notify = [{ to: destination, when: WHEN, digestMs: null }];
      return {
        change: withPart(notifyPart, withPart(askPart, NO_PARTS, part), { notify }),
        notice: null,
      };
    },
  };
}

/**
 * Notes that a question has a session, which has its text from now on, or why it has none, once also in its
 * thread.
 * @throws RetryableError when the store fails.
 */
async function settleAsk(
  askId: string,
  outcome: { sessionId: string } | { reason: string; code: string },
  { store, clock, publisher, log }: Pick<StateDeps, 'store' | 'clock' | 'publisher' | 'log'>,
): Promise<void> {
  const session =
    'sessionId' in outcome
      ? (await store.get(paths.session(outcome.sessionId), sessionType))?.value
      : undefined;
  const groupId = await retryLostRaces<string | null>(`question ${askId}`, DOCUMENT_RACES, async () => {
    const stored = await store.get(askType.paths.ask(askId), askType);
    if (stored === undefined || stored.value.sessionId !== null) return null;
    const { value, path, version } = stored;
    if (value.reason !== null && !('sessionId' in outcome)) return null;
    const { code, ...fields } = { code: undefined, ...outcome };
    const refusal = code === undefined ? undefined : refuseInThread(value, code, clock.now());
    const settled: Ask = {
      ...value,
      ...fields,
      question: '',
      body: '',
      labels: {},
      expireAt: session?.expireAt ?? value.expireAt,
    };
    const writes = [replaceDocument(path, askType, settled, version), ...(refusal ? [refusal.write] : [])];
    const { ok } = await store.commit(writes);
    return ok ? (refusal?.groupId ?? null) : RACE_LOST;
  });
  if (groupId === null) return;
  await publishDelivery(publisher, { groupId }).catch((error: unknown) => {
    log.warn({ err: error, groupId }, `the sweep sends a message: ${errorMessage(error)}`);
  });
}

/** The message in the thread of a question that opens no session: one for each mention. */
function refuseInThread(
  { askId, destination, thread, message, tenantId }: Ask,
  code: string,
  now: Date,
): { groupId: string; write: Write } {
  const digest = createHash('sha256').update(`${askId} ${message}`).digest('hex').slice(0, 40);
  const groupId = `${destination}.refused.${digest}`;
  const group: DeliveryGroup = {
    destination,
    kind: 'rejected',
    sessionIds: [],
    count: 1,
    codes: [code],
    tenantId,
    thread,
    shown: 0,
    ...RELEASED,
    ...unsentProgress(now),
    expireAt: new Date(now.getTime() + KEEP_REFUSAL_MS),
    createdAt: now,
  };
  const path = deliveryGroupType.paths.deliveryGroup(groupId);
  return { groupId, write: createDocument(path, deliveryGroupType, group) };
}
