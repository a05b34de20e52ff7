// Simulates deciding people: at once, late, never, twice, together, or with the time-out.

import { InquestError } from '../../../../shared/core/errors.ts';
import type { Approval } from '../../../../shared/core/schema/approval.ts';
import { decideApproval } from '../../../../shared/kits/approvals/decideApproval.ts';
import { MINUTE } from '../../faults.ts';
import { executionKey } from '../../record.ts';
import type { Cloud } from '../../simulatedCloud.ts';
import type { World } from '../../world.ts';

/** How long a person waits before trying again what failed, in milliseconds. */
const AGAIN_AFTER_MS = 5_000;
const MAX_TRIES = 5;

/** Draws who decides about an approval, and when. */
export function decideAtSomeTime({ approvalId, until }: Approval, cloud: Cloud, world: World): void {
  const { random, time, plan } = world;
  const leftMs = until.getTime() - time.now();
  const drawDelay = (): number => {
    const when = plan.peaceful ? 'soon' : random.pick(['soon', 'soon', 'any', 'at_the_end']);
    if (when === 'soon') return random.int(1_000, 30_000);
    return when === 'any' ? random.int(0, leftMs + 60_000) : Math.max(0, leftMs + random.int(-3_000, 3_000));
  };
  const people = plan.peaceful ? 1 : random.pick([0, 1, 1, 2, 2, 3]);
  const first = drawDelay();
  const sameMoment = random.chance(0.5);
  for (let person = 1; person <= people; person++) {
    const by = `person-${random.int(1, 2)}`;
    const verdict = random.chance(0.6) ? 'approved' : 'denied';
    const decision = { verdict, by, reason: random.chance(0.5) ? 'for a reason' : null } as const;
    const decide = (tries: number): void => {
      cloud.invoke(
        'decide',
        async (_, deps) => {
          try {
            const outcome = await decideApproval(approvalId, decision, deps);
            world.record.decisions.push({ approvalId, decision, outcome });
          } catch (error) {
            if (!(error instanceof InquestError)) throw error;
            if (tries < MAX_TRIES) time.after(AGAIN_AFTER_MS, () => decide(tries + 1));
          }
        },
        undefined,
      );
    };
    const delay = sameMoment ? first : drawDelay();
    time.after(delay, () => {
      world.traceLine(`${by} wants ${approvalId} ${verdict}`);
      decide(1);
    });
  }
}

/** Delivers a waiting call's message once more, in the wait's last minute. */
export function repeatMessageNearItsTime(approval: Approval, cloud: Cloud, world: World): void {
  const { until } = approval;
  const key = executionKey(approval);
  const { random, time, plan } = world;
  if (plan.peaceful || !random.chance(0.5)) return;
  time.after(Math.max(0, until.getTime() - time.now() - random.int(1, MINUTE)), () => {
    const message = cloud.messages.findLast(({ attributes }) => executionKey(attributes) === key);
    if (message === undefined || world.record.executions.get(key)?.value.status !== 'waiting') return;
    cloud.publish(message.topic, JSON.parse(message.data.toString()), message.attributes);
  });
}
