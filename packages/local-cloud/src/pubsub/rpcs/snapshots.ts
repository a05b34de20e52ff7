// The RPCs of snapshots, and Seek: resets a subscription to a snapshot or a time.

import type { Message } from '../../protocol/protoFiles.ts';
import type { Rpc } from '../../protocol/services.ts';
import type { Dispatcher } from '../delivery/dispatcher.ts';
import { durationMs } from '../fields/durations.ts';
import { alreadyExists, failedPrecondition, invalid } from '../fields/errors.ts';
import { checkName, nameRange } from '../fields/names.ts';
import type { Snapshot } from '../store/snapshotTable.ts';
import type { PubsubState } from '../store/state.ts';

/** The `expire_time` of a Snapshot: 7 days minus the age of its oldest message, at least an hour. */
const MAX_AGE_MS = 7 * 86_400_000;
const MIN_AGE_MS = 3_600_000;

/** The RPCs by name. */
export function snapshotRpcs(state: PubsubState, dispatcher: Dispatcher): Record<string, Rpc> {
  const { database, subscriptions, snapshots, seek } = state;
  const named = (name: string | undefined): Snapshot => {
    const checked = checkName('snapshots', name);
    database.atomically(() => snapshots.dropExpired(state.nowMs()));
    return snapshots.named(checked);
  };

  return {
    CreateSnapshot: {
      unary(request) {
        const name = checkName('snapshots', request.name);
        const subscription = subscriptions.named(checkName('subscriptions', request.subscription));
        const nowMs = state.nowMs();
        const expireMs = MAX_AGE_MS + (snapshots.oldestMs(subscription) ?? nowMs);
        if (expireMs < nowMs + MIN_AGE_MS) {
          throw failedPrecondition('The snapshot would expire in less than 1 hour.');
        }
        const created = database.atomically(() => {
          snapshots.dropExpired(nowMs);
          const { topic } = subscription;
          return snapshots.create({ name, topic, expireMs, labels: request.labels ?? {} }, subscription);
        });
        if (!created) throw alreadyExists('Snapshot already exists');
        return toSnapshotMessage(snapshots.named(name));
      },
    },
    GetSnapshot: { unary: ({ snapshot }) => toSnapshotMessage(named(snapshot)) },
    ListSnapshots: {
      unary({ project, ...page }) {
        const range = nameRange('snapshots', project);
        database.atomically(() => snapshots.dropExpired(state.nowMs()));
        const { items, nextPageToken } = snapshots.list({ ...page, ...range });
        return { snapshots: items.map(toSnapshotMessage), nextPageToken };
      },
    },
    DeleteSnapshot: {
      unary({ snapshot }) {
        const { id } = named(snapshot);
        database.atomically(() => snapshots.delete(id));
        return {};
      },
    },
    Seek: {
      unary({ subscription: name, time, snapshot: snapshotName }) {
        const subscription = subscriptions.named(checkName('subscriptions', name));
        if (subscription.settings.detached) {
          throw failedPrecondition(`Subscription is detached: (resource=${subscription.name})`);
        }
        const snapshot = snapshotName ? named(snapshotName) : undefined;
        if (snapshot !== undefined && snapshot.topic !== subscription.topic) {
          throw failedPrecondition(
            `The subscription's topic ${subscription.topic} is different from that of the snapshot ${snapshot.topic}.`,
          );
        }
        if (snapshot === undefined && time == null) throw invalid('Seek needs a time or a snapshot.');
        const ended = database.atomically(() =>
          snapshot === undefined
            ? seek.toTime(subscription, Math.ceil(durationMs(time)))
            : seek.toSnapshot(subscription, snapshot.id),
        );
        dispatcher.settle(ended, 'acked');
        dispatcher.deliverSoon(subscription.id);
        return {};
      },
    },
  };
}

const toSnapshotMessage = ({ name, topic, expireMs, labels }: Snapshot): Message => ({
  name,
  topic,
  labels,
  expireTime: { seconds: String(Math.floor(expireMs / 1000)), nanos: (expireMs % 1000) * 1e6 },
});
