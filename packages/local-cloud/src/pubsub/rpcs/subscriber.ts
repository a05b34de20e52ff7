// The RPCs of google.pubsub.v1.Subscriber: subscriptions, pulls and acks.

import { randomUUID } from 'node:crypto';
import type { Message } from '../../protocol/protoFiles.ts';
import type { Rpc } from '../../protocol/services.ts';
import type { StatusError } from '../../protocol/status.ts';
import type { Confirmation, Deliveries } from '../delivery/deliveries.ts';
import type { Dispatcher } from '../delivery/dispatcher.ts';
import type { Pushers } from '../delivery/pushers.ts';
import { alreadyExists, invalid, notFound } from '../fields/errors.ts';
import { checkName, nameRange, splitResourceName } from '../fields/names.ts';
import { checkSettings, type Settings } from '../fields/settings.ts';
import { applyMask } from '../fields/updateMask.ts';
import type { PubsubState } from '../store/state.ts';
import type { Subscription } from '../store/subscriptionTable.ts';
import { pullMessages } from './pull.ts';
import { snapshotRpcs } from './snapshots.ts';
import { streamingPull } from './streamingPull.ts';

const SUBSCRIPTION_FIELDS = {
  resource: 'Subscription',
  mutable: [
    'push_config',
    'ack_deadline_seconds',
    'retain_acked_messages',
    'message_retention_duration',
    'labels',
    'expiration_policy',
    'dead_letter_policy',
    'retry_policy',
    'enable_exactly_once_delivery',
  ],
  immutable: ['name', 'topic', 'enable_message_ordering', 'filter', 'detached', 'tags'],
  missing: ['bigquery_config', 'cloud_storage_config', 'bigtable_config', 'message_transforms'],
};

/** The RPCs by name. */
export function subscriberRpcs(
  state: PubsubState,
  dispatcher: Dispatcher,
  deliveries: Deliveries,
  pushers: Pushers,
): Record<string, Rpc> {
  const { database, topics, subscriptions, snapshots, queue } = state;
  const named = (name: string | undefined) => subscriptions.named(checkName('subscriptions', name));

  const checkDeadLetterTopic = ({ deadLetterPolicy }: Settings): void => {
    if (deadLetterPolicy && !topics.exists(deadLetterPolicy.deadLetterTopic)) {
      throw notFound('Dead letter topic not found');
    }
  };
  const change = (subscription: Subscription, update: Message): Subscription => {
    const { detached } = subscription.settings;
    const changed = { ...subscription, settings: { ...checkSettings(update), detached } };
    checkDeadLetterTopic(changed.settings);
    database.atomically(() => {
      subscriptions.update(changed.id, changed.settings);
      snapshots.dropUnretained();
    });
    pushers.refresh(changed);
    return changed;
  };

  return {
    CreateSubscription: {
      unary(request) {
        const topic = checkName('topics', request.topic);
        const generated = `projects/${splitResourceName(topic).project}/subscriptions/generated-${randomUUID()}`;
        const name = checkName('subscriptions', request.name || generated);
        const settings = checkSettings(request);
        if (!topics.exists(topic)) throw notFound('Subscription topic does not exist');
        checkDeadLetterTopic(settings);
        if (!database.atomically(() => subscriptions.create({ name, topic, settings }))) {
          throw alreadyExists('Subscription already exists');
        }
        const subscription = subscriptions.named(name);
        pushers.refresh(subscription);
        return toSubscriptionMessage(subscription);
      },
    },
    GetSubscription: { unary: ({ subscription }) => toSubscriptionMessage(named(subscription)) },
    UpdateSubscription: {
      unary({ subscription: update, updateMask }) {
        const subscription = named(update?.name);
        const settings = applyMask(SUBSCRIPTION_FIELDS, subscription.settings, update, updateMask);
        return toSubscriptionMessage(change(subscription, settings));
      },
    },
    ListSubscriptions: {
      unary({ project, ...page }) {
        const range = nameRange('subscriptions', project);
        const { items, nextPageToken } = subscriptions.list({ ...page, ...range });
        return { subscriptions: items.map(toSubscriptionMessage), nextPageToken };
      },
    },
    DeleteSubscription: {
      unary({ subscription: name }) {
        const { id } = named(name);
        database.atomically(() => {
          subscriptions.delete(id);
          queue.clear(id);
        });
        dispatcher.deliverSoon(id);
        return {};
      },
    },
    ModifyPushConfig: {
      unary({ subscription: name, pushConfig }) {
        const subscription = named(name);
        change(subscription, { ...subscription.settings, pushConfig });
        return {};
      },
    },
    Acknowledge: {
      unary({ subscription: name, ackIds = [] }) {
        const subscription = named(name);
        if (ackIds.length === 0) throw invalid('No ack ids specified.');
        return confirmAcks(subscription, deliveries.acknowledge(subscription, ackIds));
      },
    },
    ModifyAckDeadline: {
      unary({ subscription: name, ackIds = [], ackDeadlineSeconds = 0 }) {
        const subscription = named(name);
        if (ackIds.length === 0) throw invalid('No ack ids specified');
        return confirmAcks(subscription, deliveries.modifyDeadline(subscription, ackIds, ackDeadlineSeconds));
      },
    },
    ...snapshotRpcs(state, dispatcher),
    Pull: { unary: (request, signal) => pullMessages(request, signal, state, dispatcher) },
    StreamingPull: { bidiStream: streamingPull(state, dispatcher, deliveries) },
  };
}

const toSubscriptionMessage = ({ name, topic, settings }: Subscription): Message => ({
  name,
  topic,
  ...settings,
});

/** @throws StatusError INVALID_ARGUMENT for late ack ids with exactly-once delivery; else ignored. */
function confirmAcks({ settings }: Subscription, { invalidAckIds }: Confirmation): Message {
  if (settings.enableExactlyOnceDelivery && invalidAckIds.length > 0) throw invalidAckIdsError(invalidAckIds);
  return {};
}

// Error details for Google's clients: a google.rpc.Status in binary metadata. Its messages contain only
// strings and other messages, so that it is encoded without protocol definitions.

/** A length-delimited field of a protocol message. */
function encodeField(number: number, value: string | Uint8Array): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([encodeVarint((number << 3) | 2), encodeVarint(bytes.length), bytes]);
}

function encodeVarint(value: number): Buffer {
  const bytes: number[] = [];
  for (; value > 0x7f; value >>>= 7) bytes.push((value & 0x7f) | 0x80);
  return Buffer.from([...bytes, value]);
}

/** The error for late ack ids of a subscription with exactly-once delivery. */
function invalidAckIdsError(ackIds: string[]): StatusError {
  const reasons = ackIds.map((ackId) =>
    encodeField(
      3,
      Buffer.concat([encodeField(1, ackId), encodeField(2, 'PERMANENT_FAILURE_INVALID_ACK_ID')]),
    ),
  );
  const info = [
    encodeField(1, 'EXACTLY_ONCE_ACKID_FAILURE'),
    encodeField(2, 'pubsub.googleapis.com'),
    ...reasons,
  ];
  const any = [
    encodeField(1, 'type.googleapis.com/google.rpc.ErrorInfo'),
    encodeField(2, Buffer.concat(info)),
  ];
  const error = invalid('Some acknowledgement ids in the request were invalid.');
  const code = Buffer.from([1 << 3, error.code]);
  const status = [code, encodeField(2, error.details), encodeField(3, Buffer.concat(any))];
  error.trailers['grpc-status-details-bin'] = Buffer.concat(status).toString('base64');
  return error;
}
