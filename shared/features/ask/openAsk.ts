// A message that names a question: opens its session on the way of every alert, without triage, incidents and
// correlation, which decide about problems that sources report.

import { askPart } from '../../alerts/schema/sessionAsk.ts';
import type { SessionConfig } from '../../config/config.ts';
import { notifyPart } from '../../config/notified.ts';
import { replaceDocument } from '../../core/contract/store.ts';
import { TerminalError } from '../../core/errors.ts';
import type { AlertDeps, StateDeps } from '../../core/kernel/deps.ts';
import { DOCUMENT_RACES, RACE_LOST, retryLostRaces } from '../../core/kernel/documents/retryConflict.ts';
import type { PubsubMessage } from '../../core/kernel/pubsubEvent.ts';
import { paths, sessionType } from '../../core/schema/coreDocuments.ts';
import { NO_PARTS, withPart } from '../../core/schema/parts.ts';
import type { AlertTaker } from '../../kits/alerts/alertTaker.ts';
import type { IntakeFeature } from '../../kits/alerts/intakeFeature.ts';
import { buildTenantAttributes } from '../../kits/tenants/alertContext.ts';
import { cleanText } from '../../masking/cleanText.ts';
import { ASK_ATTRIBUTE, type Ask, askType, deriveAskKey } from './ask.ts';
import { QUESTION } from './askText.ts';

/** Ids of questions. */
const ASK_ID = /^[0-9a-f]{40}$/;
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
      if (error instanceof TerminalError) await settleAsk(askId, { reason: error.message }, deps);
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
 * Notes that a question has a session, which has its text from now on, or why it has none.
 * @throws RetryableError when the store fails.
 */
async function settleAsk(
  askId: string,
  outcome: { sessionId: string } | { reason: string },
  { store }: Pick<StateDeps, 'store'>,
): Promise<void> {
  const session =
    'sessionId' in outcome
      ? (await store.get(paths.session(outcome.sessionId), sessionType))?.value
      : undefined;
  await retryLostRaces<undefined>(`question ${askId}`, DOCUMENT_RACES, async () => {
    const stored = await store.get(askType.paths.ask(askId), askType);
    if (stored === undefined || stored.value.sessionId !== null) return undefined;
    const { value, path, version } = stored;
    const settled: Ask = {
      ...value,
      ...outcome,
      question: '',
      body: '',
      labels: {},
      expireAt: session?.expireAt ?? value.expireAt,
    };
    const { ok } = await store.commit([replaceDocument(path, askType, settled, version)]);
    return ok ? undefined : RACE_LOST;
  });
}
