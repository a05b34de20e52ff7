// The RPCs of google.pubsub.v1.Publisher: topics and publishing.

import type { Message } from '../../protocol/protoFiles.ts';
import type { Rpc } from '../../protocol/services.ts';
import { answerFullDisk, status } from '../../protocol/status.ts';
import type { Dispatcher } from '../delivery/dispatcher.ts';
import { checkDuration } from '../fields/durations.ts';
import { alreadyExists, unimplemented } from '../fields/errors.ts';
import { checkName, nameRange } from '../fields/names.ts';
import { checkMessages } from '../fields/publishChecks.ts';
import { applyMask } from '../fields/updateMask.ts';
import { checkAgainstSchema, checkSchemaSettings } from '../schemas/topicSchema.ts';
import type { SchemaTable } from '../store/schemaTable.ts';
import type { PubsubState } from '../store/state.ts';

/** 10 minutes to 31 days, as for subscriptions. */
const RETENTION_SECONDS = { min: 600, max: 31 * 86_400 };
const TOPIC_FIELDS = {
  resource: 'Topic',
  mutable: [
    'labels',
    'schema_settings',
    'message_retention_duration',
    'message_storage_policy',
    'kms_key_name',
  ],
  immutable: ['name', 'tags'],
  missing: ['ingestion_data_source_settings', 'message_transforms'],
};

/** The RPCs by name. */
export function publisherRpcs(state: PubsubState, dispatcher: Dispatcher): Record<string, Rpc> {
  const { database, topics, subscriptions, snapshots, schemas, queue } = state;

  const publish = (request: Message): Message => {
    const topic = checkName('topics', request.topic);
    const checked = checkMessages(request.messages);
    const store = () => {
      const { schemaSettings } = topics.get(topic);
      const messages = schemaSettings ? checkAgainstSchema(schemas, schemaSettings, checked) : checked;
      const nowMs = state.nowMs();
      snapshots.dropExpired(nowMs);
      const receivers = {
        subscriptions: subscriptions.attachedTo(topic),
        snapshots: snapshots.ofTopic(topic),
      };
      return { ids: messages.map((message) => queue.add(message, receivers, nowMs)), receivers };
    };
    const { ids, receivers } = answerFullDisk(status.FAILED_PRECONDITION, () => database.atomically(store));
    for (const { id } of receivers.subscriptions) dispatcher.deliverSoon(id);
    return { messageIds: ids.map(String) };
  };

  return {
    CreateTopic: {
      unary(request) {
        const name = checkName('topics', request.name);
        const settings = checkTopic(request, schemas);
        if (!database.atomically(() => topics.create(name, settings))) {
          throw alreadyExists('Topic already exists');
        }
        return topics.get(name);
      },
    },
    GetTopic: { unary: ({ topic }) => topics.get(checkName('topics', topic)) },
    UpdateTopic: {
      unary({ topic, updateMask }) {
        const name = checkName('topics', topic?.name);
        const settings = checkTopic(applyMask(TOPIC_FIELDS, topics.get(name), topic, updateMask), schemas);
        database.atomically(() => topics.update(name, settings));
        return topics.get(name);
      },
    },
    ListTopics: {
      unary({ project, ...page }) {
        const { items, nextPageToken } = topics.list({ ...page, ...nameRange('topics', project) });
        return { topics: items, nextPageToken };
      },
    },
    ListTopicSubscriptions: {
      unary({ topic, ...page }) {
        const { names, nextPageToken } = subscriptions.listOfTopic(checkName('topics', topic), page);
        return { subscriptions: names, nextPageToken };
      },
    },
    ListTopicSnapshots: {
      unary({ topic, ...page }) {
        const { name } = topics.get(checkName('topics', topic));
        database.atomically(() => snapshots.dropExpired(state.nowMs()));
        const { items, nextPageToken } = snapshots.listOfTopic(name, page);
        return { snapshots: items.map((snapshot) => snapshot.name), nextPageToken };
      },
    },
    DeleteTopic: {
      unary({ topic }) {
        const { name } = topics.get(checkName('topics', topic));
        database.atomically(() => {
          topics.delete(name);
          subscriptions.detachFrom(name);
          snapshots.detachFrom(name);
        });
        return {};
      },
    },
    DetachSubscription: {
      unary({ subscription: name }) {
        const { id, settings } = subscriptions.named(checkName('subscriptions', name));
        database.atomically(() => {
          subscriptions.update(id, { ...settings, detached: true });
          queue.clear(id);
        });
        dispatcher.deliverSoon(id);
        return {};
      },
    },
    Publish: { unary: publish },
  };
}

/**
 * The settings of a topic. They are stored without effect: retention by the topic applies to Seek, storage
 * and keys apply to Google's data centers.
 * @throws StatusError INVALID_ARGUMENT, or UNIMPLEMENTED for missing features.
 */
function checkTopic(topic: Message, schemas: SchemaTable): Message {
  const missing = {
    'ingestion into topics': topic.ingestionDataSourceSettings,
    'message transforms': topic.messageTransforms?.length,
  };
  for (const [feature, isUsed] of Object.entries(missing)) if (isUsed) throw unimplemented(feature);
  const { labels = {}, messageRetentionDuration, messageStoragePolicy, kmsKeyName, schemaSettings } = topic;
  if (schemaSettings) checkSchemaSettings(schemas, schemaSettings);
  if (messageRetentionDuration) {
    checkDuration('message_retention_duration', messageRetentionDuration, RETENTION_SECONDS);
  }
  return { labels, messageRetentionDuration, messageStoragePolicy, kmsKeyName, schemaSettings };
}
