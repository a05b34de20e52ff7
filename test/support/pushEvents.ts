// The shapes in which a Pub/Sub message reaches a function.

export interface PushedMessage {
  id: string;
  data: Uint8Array | string;
  attributes?: Record<string, string>;
  /** ISO 8601; `PUBLISH_TIME` when absent. */
  publishTime?: string | undefined;
}

const SUBSCRIPTION = 'projects/demo-inquest/subscriptions/iterations-push';
/** When messages were published that do not say when. */
export const PUBLISH_TIME = '2026-11-05T10:20:30.123Z';

/** A push request's body with real duplicate fields. Empty `data` is left out. */
export function composePushBody({ id, data, attributes = {}, publishTime = PUBLISH_TIME }: PushedMessage) {
  const bytes = Buffer.from(data);
  return {
    message: {
      ...(bytes.length > 0 && { data: bytes.toString('base64') }),
      attributes,
      messageId: id,
      message_id: id,
      publishTime,
      publish_time: publishTime,
    },
    subscription: SUBSCRIPTION,
  };
}

/** Eventarc's CloudEvent, as functions-framework hands over a request in binary mode. */
export function composeEventarcEvent(message: PushedMessage, topic = 'iterations') {
  return {
    specversion: '1.0',
    id: message.id,
    type: 'google.cloud.pubsub.topic.v1.messagePublished',
    source: `//pubsub.googleapis.com/projects/demo-inquest/topics/${topic}`,
    time: PUBLISH_TIME,
    datacontenttype: 'application/json',
    data: composePushBody(message),
  };
}
