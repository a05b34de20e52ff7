// The RPCs of google.pubsub.v1.Publisher: topics, and publishing to them.

import type { Message, Rpc } from '../grpcServer.ts';
import type { Dispatcher } from './dispatcher.ts';
import { checkDuration } from './durations.ts';
import { alreadyExists, unimplemented } from './errors.ts';
import { checkName, nameRange } from './names.ts';
import { checkMessages } from './publishChecks.ts';
import type { PubsubState } from './state.ts';
import { applyMask } from './updateMask.ts';

/** The same as of a subscription: 10 minutes to 31 days. */
const RETENTION_SECONDS = { min: 600, max: 31 * 86_400 };
const TOPIC_FIELDS = {
  resource: 'Topic',
  mutable: ['labels', 'message_retention_duration', 'message_storage_policy', 'kms_key_name'],
  immutable: ['name', 'tags'],
  missing: ['schema_settings', 'ingestion_data_source_settings', 'message_transforms'],
};

export function publisherRpcs(state: PubsubState, dispatcher: Dispatcher): Record<string, Rpc> {
  const { database, topics, subscriptions, queue } = state;

  const publish = (request: Message): Message => {
    const topic = checkName('topics', request.topic);
    const messages = checkMessages(request.messages);
    const { ids, receivers } = database.atomically(() => {
      topics.get(topic);
      const receivers = subscriptions.attachedTo(topic);
      return { ids: messages.map((message) => queue.add(message, receivers, state.nowMs())), receivers };
    });
    for (const { id } of receivers) dispatcher.deliverSoon(id);
    return { messageIds: ids.map(String) };
  };

  return {
    CreateTopic: {
      unary(request) {
        const name = checkName('topics', request.name);
        const settings = checkTopic(request);
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
        const settings = checkTopic(applyMask(TOPIC_FIELDS, topics.get(name), topic, updateMask));
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
    DeleteTopic: {
      unary({ topic }) {
        const { name } = topics.get(checkName('topics', topic));
        database.atomically(() => {
          topics.delete(name);
          subscriptions.detachFrom(name);
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
 * The settings of a topic. They are stored and change nothing: retention by the topic is for Seek, storage and keys are
 * for Google's data centres.
 * @throws StatusError INVALID_ARGUMENT, or UNIMPLEMENTED for what this one lacks.
 */
function checkTopic(topic: Message): Message {
  const missing = {
    schemas: topic.schemaSettings,
    'ingestion into topics': topic.ingestionDataSourceSettings,
    'message transforms': topic.messageTransforms?.length,
  };
  for (const [what, isAsked] of Object.entries(missing)) if (isAsked) throw unimplemented(what);
  const { labels = {}, messageRetentionDuration, messageStoragePolicy, kmsKeyName } = topic;
  if (messageRetentionDuration) {
    checkDuration('message_retention_duration', messageRetentionDuration, RETENTION_SECONDS);
  }
  return { labels, messageRetentionDuration, messageStoragePolicy, kmsKeyName };
}
