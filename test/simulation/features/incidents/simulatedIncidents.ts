// Simulates sources that report one problem often: it fires, is reported again, is resolved and fires again,
// at any time from the first alert of a session until long after its end.

import { TOPICS } from '../../../../shared/core/contract/publisher.ts';
import type { Random } from '../../../../shared/engine/testing/random.ts';
import { deriveAlertKey } from '../../../../shared/kits/alerts/sessionId.ts';
import type { FaultPlan } from '../../faults.ts';
import type { Cloud } from '../../simulatedCloud.ts';
import type { World } from '../../world.ts';

/** One report of a source. */
export interface SimulatedReport {
  chain: string;
  kind: 'firing' | 'resolved';
  /** When that was so, in epoch milliseconds. */
  at: number;
  /** When the source publishes it, in epoch milliseconds. */
  publishedAt: number;
  /** The key of its alert, and the id of its message; undefined until it is published. */
  key?: string;
  messageId?: string;
}

/** Longest pause between reports, in milliseconds: some race, most sessions end in a minute. */
const PAUSES = [40, 1_000, 4_000, 20_000, 240_000, 900_000] as const;

/**
 * Publishes what the sources of a run report. Each chain has a problem of its own, whose first report is
 * published at once.
 * @param reports gets all reports, of which those to come have no key yet.
 */
export function reportAtSomeTimes(
  chains: readonly string[],
  plan: FaultPlan,
  cloud: Cloud,
  { time }: World,
  random: Random,
  reports: SimulatedReport[],
): void {
  const start = time.now();
  for (const chain of chains) {
    let firingSince = start;
    let isFiring = true;
    let atMs = 0;
    const report = (kind: SimulatedReport['kind'], at: number): void => {
      const own: SimulatedReport = { chain, kind, at, publishedAt: start + atMs };
      reports.push(own);
      const startsAt = new Date(firingSince).toISOString();
      const ends = kind === 'resolved' ? { endsAt: new Date(at).toISOString() } : {};
      const alert = { title: 'Disk full', fingerprint: 'disk', status: kind, startsAt, ...ends };
      const publish = () => {
        // Two reports may say the same; each is a message.
        const message = cloud.publish(TOPICS.alerts, alert, { chain });
        own.messageId = message.id;
        own.key = deriveAlertKey({ messageId: message.id, data: message.data });
      };
      if (atMs === 0) publish();
      else time.after(atMs, publish);
    };
    report('firing', start);
    for (let left = random.int(1, plan.peaceful ? 4 : 10); left > 0; left--) {
      atMs += random.int(1, random.pick(PAUSES));
      const now = start + atMs;
      if (isFiring && random.chance(0.7)) {
        isFiring = false;
        report('resolved', now);
      } else {
        if (!isFiring) firingSince = now;
        isFiring = true;
        report('firing', firingSince);
      }
    }
  }
}
