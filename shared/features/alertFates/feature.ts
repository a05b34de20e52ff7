// Stores each alert's fate: as a feature of intake, and for messages that were rejected.

import type { AlertFate } from '../../alerts/schema/alertFate.ts';
import { readWaitedBudgets } from '../../alerts/schema/waitedBudgets.ts';
import type { AlertDeps } from '../../core/kernel/deps.ts';
import type { PubsubMessage } from '../../core/kernel/pubsubEvent.ts';
import type { Failure } from '../../core/schema/common.ts';
import { paths, sessionType } from '../../core/schema/coreDocuments.ts';
import type { TriagedAlert } from '../../kits/alerts/alert.ts';
import { alertKeyType } from '../../kits/alerts/alertKeyDocument.ts';
import { composeFate, type DecidedFate } from '../../kits/alerts/fates/decideFate.ts';
import { storeFate } from '../../kits/alerts/fates/storeFate.ts';
import type { IntakeFeature } from '../../kits/alerts/intakeFeature.ts';
import type { OnRejectedAlert, RejectedConfig, RejectedEffects } from '../../kits/alerts/rejectedAlert.ts';
import { deriveAlertKey } from '../../kits/alerts/sessionId.ts';
import { ownerOfAlert } from '../../kits/tenants/alertContext.ts';
import { getReadable } from '../../kits/views/readable.ts';

/** Characters of a rejected message that stand for its title. */
const MAX_EXCERPT = 200;

/** Stores the fate of each alert before its message is acknowledged. */
export const ALERT_FATES: IntakeFeature = {
  async settled(triaged, outcome, config, deps) {
    // That of a dropped alert is stored where it is dropped.
    if (outcome.outcome === 'dropped') return;
    const { places } = config;
    const { sessionId } = outcome;
    const fate =
      outcome.outcome === 'already_open'
        ? {
            ...composeFate(triaged, { outcome: 'opened', sessionId }, places),
            ...(await earlierFate(triaged, deps)),
          }
        : composeFate(triaged, outcome, places);
    await storeFate(fate, deps);
  },
};

/**
 * The fate of an alert whose earlier delivery ended after its commit, before the fate was stored. Messages of
 * one delivery id can have different times: with the time of the first one they have one fate.
 */
async function earlierFate(
  { key, triage, reportedAt }: TriagedAlert,
  { store }: AlertDeps,
): Promise<DecidedFate & Pick<AlertFate, 'at'>> {
  const found = await store.get(alertKeyType.paths.alertKey(key), alertKeyType);
  const sessionId = found?.value.sessionId ?? null;
  const { value: session } =
    sessionId === null ? {} : await getReadable(paths.session(sessionId), sessionType, store);
  const isJoined = session?.createdAt.getTime() !== found?.value.createdAt.getTime();
  const deferral = isJoined ? null : (session?.deferral ?? null);
  const reason = `an earlier delivery of the message handled it${deferral ? ` (${deferral.reason})` : ''}`;
  const startsLater =
    deferral?.reason === 'settling' || (session !== undefined && readWaitedBudgets(session) !== null);
  const held = startsLater ? ('deferred' as const) : ('recorded' as const);
  const outcome = isJoined ? 'joined' : deferral === null ? 'opened' : held;
  const at = found?.value.at ?? reportedAt;
  return { outcome, by: 'delivery', subject: triage.rule, place: null, reason, sessionId, at };
}

/**
 * Stores the fate of a message of the topic `alerts` that was rejected, together with the effects that
 * features have.
 * @param message without secrets.
 * @param original the message as it came, which identifies it.
 * @returns what follows the commit.
 * @throws RetryableError when the store fails.
 */
export async function storeRejectedFate(
  message: PubsubMessage,
  original: PubsubMessage,
  { code, message: reason }: Failure,
  { config, features }: { config: RejectedConfig; features: readonly OnRejectedAlert[] },
  deps: AlertDeps,
): Promise<RejectedEffects['follow'][]> {
  const tenantId = tenantOfMessage(original, deps);
  if (tenantId === undefined) return [];
  const text = Buffer.from(message.data)
    .toString('utf8', 0, MAX_EXCERPT * 4)
    .trim();
  let effects: RejectedEffects[] = [];
  const isStored = await storeFate(
    {
      key: deriveAlertKey(original),
      messageId: message.messageId,
      tenantId,
      title: [...text].slice(0, MAX_EXCERPT).join(''),
      source: null,
      severity: null,
      state: null,
      outcome: 'rejected',
      by: code,
      subject: null,
      place: null,
      reason,
      sessionId: null,
      problem: null,
      at: message.publishedAt ?? deps.clock.now(),
    },
    deps,
    async () => {
      const { chain = null } = original.attributes;
      effects = await Promise.all(features.map((has) => has({ tenantId, chain, code }, config, deps)));
      return effects.flatMap(({ writes }) => writes);
    },
  );
  return isStored ? effects.map(({ follow }) => follow) : [];
}

/** The tenant of a message; undefined if it names none that exists: its fate must not be another tenant's. */
function tenantOfMessage({ attributes }: PubsubMessage, { maskerFor }: AlertDeps): string | undefined {
  try {
    return ownerOfAlert(attributes, maskerFor('0'.repeat(32))).tenantId;
  } catch {
    return undefined;
  }
}
