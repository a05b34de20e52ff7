// A topic of Pub/Sub that gets CloudEvents 1.0 in the binary mode of Pub/Sub's binding. The id of an event is
// the id of its message, so that receivers recognise repetitions, which Pub/Sub itself makes as well.
// https://github.com/googleapis/google-cloudevents/blob/main/docs/spec/pubsub.md

import type {
  CreateDestination,
  DeliveryFailure,
  OutgoingMessage,
  SendResult,
} from '../contract/destination.ts';
import type { PubsubSettings } from '../contract/destinationSettings.ts';
import { eventsTopicId } from '../contract/resourceIds.ts';
import { errorMessage, RetryableError } from '../core/errors.ts';
import { quoteText } from '../text/cut.ts';
import { asObject } from '../text/json.ts';
import { eventDataSchema, toCloudEventType } from './pubsubEvents.ts';
import { type FittingMessage, fitMessage } from './render/fitMessage.ts';
import type { DestinationServices } from './services.ts';

const TIMEOUT_MS = 30_000;
/** Pub/Sub takes 10 MB; receivers such as Cloud Tasks and Eventarc take less. */
const MAX_DATA_BYTES = 200_000;
/** gRPC, https://grpc.github.io/grpc/core/md_doc_statuscodes.html. */
const NOT_FOUND = 5;

/**
 * Renders a message as the data and the attributes of an event.
 * @param source installations that share a topic have different ones: an id belongs to its source.
 */
export function renderEvent(
  { id, event, session, message, occurredAt }: OutgoingMessage,
  source = '/inquest',
): { data: string; attributes: Record<string, string> } {
  const render = (version: FittingMessage): string =>
    JSON.stringify(eventDataSchema(event).parse(composeEventData(session, version)));
  return {
    data: fitMessage(message, render, (text) => Buffer.byteLength(text), MAX_DATA_BYTES),
    attributes: {
      'ce-specversion': '1.0',
      'ce-id': id,
      'ce-type': toCloudEventType(event),
      'ce-source': source,
      'ce-time': occurredAt.toISOString(),
      ...(session !== null && { 'ce-subject': `sessions/${session.sessionId}` }),
      'content-type': 'application/json',
    },
  };
}

function composeEventData(session: OutgoingMessage['session'], message: FittingMessage): object {
  const { status, title, text, location, command, certainty, summary, cause, nextStep } = message;
  const { facts, evidence, link, isRepeated } = message;
  return {
    session: session && {
      ...session,
      createdAt: session.createdAt.toISOString(),
      endedAt: session.endedAt?.toISOString() ?? null,
      problem: session.problem && {
        ...session.problem,
        at: session.problem.at?.toISOString() ?? null,
      },
    },
    message: {
      ...{
        status,
        title,
        text,
        location,
        command,
        certainty,
        summary,
        cause,
        nextStep,
        facts,
        evidence,
        link,
      },
    },
    isRepeated,
  };
}

/** Makes the destination. */
export const createPubsub =
  ({
    publishEvent,
    installation,
  }: Pick<DestinationServices, 'publishEvent' | 'installation'>): CreateDestination<PubsubSettings> =>
  async (settings) => {
    const own = installation();
    const { topic = eventsTopicId(own.name), project = own.project } = settings;
    const render = (outgoing: OutgoingMessage) =>
      renderEvent(outgoing, `/inquest/${own.project}/${own.name}`);
    return {
      kind: 'pubsub',
      capabilities: {
        update: false,
        thread: false,
        buttons: false,
        probe: false,
        key: false,
        isRepeatSafe: true,
      },
      timeoutMs: TIMEOUT_MS,
      preview: render,
      async send(outgoing): Promise<SendResult> {
        try {
          return { outcome: 'sent', ref: await publishEvent({ topic, project, ...render(outgoing) }) };
        } catch (error) {
          const failure = describePublishFailure(error, topic);
          return failure.code === 'publish_failed'
            ? { outcome: 'unknown', failure }
            : { outcome: 'refused', failure };
        }
      },
    };
  };

function describePublishFailure(error: unknown, topic: string): DeliveryFailure {
  const words = quoteText(errorMessage(error), 500);
  // They name the right or the login that is missing.
  if (error instanceof RetryableError && error.code === 'PUBLISH_DENIED')
    return { code: 'publish_denied', message: words };
  if (error instanceof RetryableError && error.code === 'PUBLISH_UNAUTHENTICATED')
    return { code: 'publish_unauthenticated', message: words };
  const { code } = asObject(error);
  if (code === NOT_FOUND)
    return {
      code: 'topic_not_found',
      message: `There is no topic ${topic}. Create it, or correct "topic" and "project". ${words}`,
    };
  return { code: 'publish_failed', message: `Pub/Sub gave no answer for the topic ${topic}. ${words}` };
}
