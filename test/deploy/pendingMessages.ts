// Messages that Pub/Sub has not delivered, from the local cloud's tables: when nothing more happens.

import type { CloudDatabase } from '../../packages/local-cloud/src/database/database.ts';
import { DELIVERY } from '../../packages/local-cloud/src/pubsub/store/tables.ts';

/** The unacked messages of all subscriptions. */
export interface PendingMessages {
  /** How many pushes run or are due now. */
  active(): number;
  /** When the next push after now is due, in epoch milliseconds; undefined without one. */
  nextDueMs(): number | undefined;
  /** How many messages wait to be pulled. */
  pullable(): number;
}

/** @param now of the clock that Pub/Sub uses. */
export function pendingMessages({ sql }: CloudDatabase, now: () => Date): PendingMessages {
  const deliveries = 'pubsubDeliveries AS delivery JOIN pubsubSubscriptions ON id = subscription';
  const isPush = `settings -> 'pushConfig' ->> 'pushEndpoint' <> ''`;
  const active = sql.prepare(
    `SELECT COUNT(*) AS count FROM ${deliveries}
     WHERE ${isPush} AND (state = ${DELIVERY.leased} OR (state = ${DELIVERY.waiting} AND dueMs <= ?))`,
  );
  const nextDue = sql.prepare(
    `SELECT MIN(dueMs) AS ms FROM ${deliveries} WHERE ${isPush} AND state = ${DELIVERY.waiting} AND dueMs > ?`,
  );
  const pullable = sql.prepare(`SELECT COUNT(*) AS count FROM ${deliveries} WHERE NOT (${isPush})`);
  return {
    active: () => Number(active.get(now().getTime())?.count),
    nextDueMs() {
      const ms = nextDue.get(now().getTime())?.ms;
      return typeof ms === 'number' ? ms : undefined;
    },
    pullable: () => Number(pullable.get()?.count),
  };
}
