// Stores the fates of messages that were rejected.

import type { AlertDeps } from '../../core/kernel/deps.ts';
import type { PubsubMessage } from '../../core/kernel/pubsubEvent.ts';
import type { Failure } from '../../core/schema/common.ts';
import { storeFate } from '../../kits/alerts/fates/storeFate.ts';
import type { OnRejectedAlert, RejectedConfig, RejectedEffects } from '../../kits/alerts/rejectedAlert.ts';
import { deriveAlertKey } from '../../kits/alerts/sessionId.ts';
import { ownerOfAlert } from '../../kits/tenants/alertContext.ts';

/** Characters of a rejected message that stand for its title. */
const MAX_EXCERPT = 200;

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
