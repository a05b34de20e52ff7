// Limits of published messages, as in Pub/Sub: https://cloud.google.com/pubsub/quotas#resource_limits

import { invalid } from './errors.ts';

const MAX_MESSAGES = 1000;
/** Of all messages of a request together. */
const MAX_REQUEST_BYTES = 10_000_000;
const MAX_ATTRIBUTES = 100;
const MAX_KEY_BYTES = 256;
const MAX_VALUE_BYTES = 1024;
const MAX_ORDERING_KEY_BYTES = 1024;

/** A message of a publish request. */
export interface NewMessage {
  /** Empty when the message has only attributes. */
  data: Uint8Array;
  /** Texts by name; empty for none. */
  attributes: Record<string, string>;
  /** Empty when order does not matter. */
  orderingKey: string;
}

/**
 * The messages of a publish request, with defaults for absent fields.
 * @throws StatusError INVALID_ARGUMENT when a message is invalid or a limit is exceeded.
 */
export function checkMessages(messages: Partial<NewMessage>[] | undefined): NewMessage[] {
  if (messages === undefined || messages.length === 0) throw invalid('No messages to publish');
  if (messages.length > MAX_MESSAGES) throw invalid('Too many messages to publish');
  const checked = messages.map(checkMessage);
  const bytes = checked.reduce((sum, message) => sum + countMessageBytes(message), 0);
  if (bytes > MAX_REQUEST_BYTES) {
    throw invalid(`Request payload size exceeds the limit: ${MAX_REQUEST_BYTES} bytes.`);
  }
  return checked;
}

function checkMessage({
  data = Buffer.of(),
  attributes = {},
  orderingKey = '',
}: Partial<NewMessage>): NewMessage {
  const entries = Object.entries(attributes);
  if (data.length === 0 && entries.length === 0) throw invalid('Some messages are empty');
  if (entries.length > MAX_ATTRIBUTES) {
    throw invalid(`A message has ${entries.length} attributes; the maximum is ${MAX_ATTRIBUTES}`);
  }
  for (const [key, value] of entries) {
    if (key === '') throw invalid('An attribute has an empty key');
    if (key.startsWith('goog')) throw invalid(`The attribute key ${key} starts with "goog"`);
    limitBytes('An attribute key', key, MAX_KEY_BYTES);
    limitBytes(`The value of the attribute ${key}`, value, MAX_VALUE_BYTES);
  }
  limitBytes('An ordering key', orderingKey, MAX_ORDERING_KEY_BYTES);
  return { data, attributes, orderingKey };
}

function limitBytes(name: string, text: string, max: number): void {
  const bytes = Buffer.byteLength(text);
  if (bytes > max) throw invalid(`${name} has ${bytes} bytes; the maximum is ${max}`);
}

/** Bytes of data, attributes and ordering key, without encoding. */
function countMessageBytes({ data, attributes, orderingKey }: NewMessage): number {
  const texts = [orderingKey, ...Object.entries(attributes).flat()];
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), data.length);
}
