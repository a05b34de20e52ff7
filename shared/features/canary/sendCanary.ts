// Publishes a canary to the topic of alerts, every hour, as a part of the sweep: no schedule of its own is
// needed, and two sweeps send one.

import { TOPICS } from '../../core/contract/publisher.ts';
import { saveDocument } from '../../core/contract/store.ts';
import { errorMessage } from '../../core/errors.ts';
import { randomHex, type StateDeps } from '../../core/kernel/deps.ts';
import type { FeatureReport, SweepFeature } from '../../core/kernel/feature/sweepFeature.ts';
import { type Canary, canaryType } from '../../kits/messages/canary.ts';
import { CANARY_INTERVAL_MS, CANARY_PATIENCE_MS } from '../../kits/views/activity/canaryState.ts';
import { CANARY_BODY, canaryExpiry, SENT_ATTRIBUTE, TOKEN_ATTRIBUTE } from './canaryMessage.ts';

const TOKEN_BYTES = 16;
const DONE: FeatureReport = { started: 0, failures: [] };

/** Sends a canary if one is due. A failure is only logged: the missing canary is noticed. */
export const CANARY: SweepFeature = {
  async run(deps) {
    try {
      await sendIfDue(deps);
    } catch (error) {
      deps.log.warn({ err: error }, `no canary was sent: ${errorMessage(error)}`);
    }
    return DONE;
  },
};

async function sendIfDue({ store, publisher, clock }: StateDeps): Promise<void> {
  const path = canaryType.paths.canary(TOPICS.alerts);
  const stored = await store.get(path, canaryType);
  const now = clock.now();
  if (stored !== undefined && !isDue(stored.value, now)) return;
  const token = stored?.value.token ?? randomHex({}, TOKEN_BYTES);
  const value: Canary = {
    token,
    since: stored?.value.since ?? now,
    sentAt: now,
    expireAt: canaryExpiry(now),
    arrivedSentAt: stored?.value.arrivedSentAt ?? null,
    arrivedAt: stored?.value.arrivedAt ?? null,
  };
  const write = saveDocument(path, canaryType, value, stored?.version);
  // Another sweep sends it.
  if (!(await store.commit([write])).ok) return;
  const attributes = { [TOKEN_ATTRIBUTE]: token, [SENT_ATTRIBUTE]: now.toISOString() };
  await publisher.publish(TOPICS.alerts, CANARY_BODY, attributes);
}

/** Every hour; earlier if the last one was lost, or its publication failed. */
function isDue({ sentAt, arrivedSentAt }: Canary, now: Date): boolean {
  const age = now.getTime() - sentAt.getTime();
  const hasArrived = arrivedSentAt !== null && arrivedSentAt >= sentAt;
  return age >= (hasArrived ? CANARY_INTERVAL_MS : CANARY_PATIENCE_MS);
}
