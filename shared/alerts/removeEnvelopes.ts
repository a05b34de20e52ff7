// Removes the envelopes of an alert: those that Pub/Sub, CloudEvents, API gateways, SNS and SQS put around a
// payload, base64, and JSON in a JSON string. At most MAX_ENVELOPES are removed, so that no message can nest
// without end.

import { asArray, asObject, isObject, parseJson } from '../text/json.ts';
import { firstText } from './fields/fields.ts';

/** SQS can hold SNS, which holds text with JSON, and so on; only a hostile message nests deeper. */
const MAX_ENVELOPES = 8;
/** Keys of an envelope; an object with more is an alert. */
const MAX_KEYS = 200;
/** Attributes and headers that are kept, of all envelopes together. */
const MAX_ATTRIBUTES = 100;

/** A payload without its envelopes. */
interface Unwrapped {
  /** The content of the innermost envelope. */
  payload: unknown;
  /** Of the message and of all envelopes; names in lower case. The innermost wins. */
  attributes: Record<string, string>;
  /** The envelopes that were removed, the outermost first, for people. */
  envelopes: string[];
}

/** One envelope that was recognised. */
interface Opened {
  /** The kind of envelope, for people. */
  name: string;
  /** The content of the envelope. */
  inner: unknown;
  /** Attributes of the envelope, unchecked. Absent: it has none. */
  attributes?: unknown;
}

/**
 * Removes all envelopes around one payload. A list of one entry counts as an envelope where its kind always
 * lists. A list of several entries is unchanged: its reader unwraps the entries one by one.
 */
export function removeEnvelopes(value: unknown, attributes: Record<string, string> = {}): Unwrapped {
  const kept = new Map<string, string>();
  addAttributes(kept, attributes);
  const envelopes: string[] = [];
  let payload = value;
  while (envelopes.length < MAX_ENVELOPES) {
    const opened = openEnvelope(payload);
    if (opened === undefined) break;
    envelopes.push(opened.name);
    addAttributes(kept, opened.attributes);
    payload = opened.inner;
  }
  return { payload, attributes: Object.fromEntries(kept), envelopes };
}

function addAttributes(kept: Map<string, string>, attributes: unknown): void {
  for (const [name, value] of Object.entries(asObject(attributes))) {
    const key = name.toLowerCase();
    if (typeof value !== 'string' || (kept.size >= MAX_ATTRIBUTES && !kept.has(key))) continue;
    kept.set(key, value);
  }
}

function openEnvelope(value: unknown): Opened | undefined {
  if (typeof value === 'string') return openText(value);
  if (!isObject(value) || hasManyKeys(value)) return undefined;
  for (const opener of OPENERS) {
    const opened = opener(value);
    if (opened !== undefined) return opened;
  }
  return undefined;
}

/** Whether an object has more keys than any envelope. Stops counting there. */
function hasManyKeys(value: object): boolean {
  let left = MAX_KEYS;
  for (const _ in value) if (left-- === 0) return true;
  return false;
}

function openText(text: string): Opened | undefined {
  const parsed = jsonIn(text);
  if (parsed !== undefined) return { name: 'JSON in text', inner: parsed };
  const form = /^\s*payload=([^&\s]*)\s*$/.exec(text)?.[1];
  if (form === undefined) return undefined;
  const inner = jsonIn(decodedForm(form));
  return inner === undefined ? undefined : { name: 'form field payload', inner };
}

/** Recognise envelopes, each by a combination of fields that no alert has. */
const OPENERS: readonly ((value: Record<string, unknown>) => Opened | undefined)[] = [
  function pubsubPush({ message, subscription, ...others }) {
    const { data, attributes, ...rest } = asObject(message);
    const isKnown = subscription !== undefined || MESSAGE_FIELDS.some((key) => rest[key] !== undefined);
    // Without a field that only Pub/Sub has, nothing else stands beside the data.
    const isBare = Object.keys(rest).every((key) => key === 'orderingKey');
    const isMessage =
      (isKnown || isBare) && Object.keys(others).every((key) => ['deliveryAttempt', 'ackId'].includes(key));
    return isMessage && data !== undefined ? { name: 'Pub/Sub message', inner: data, attributes } : undefined;
  },
  function pubsubPull({ receivedMessages }) {
    const [only, ...more] = asArray(receivedMessages);
    if (!isObject(only) || !isObject(only.message) || more.length > 0) return undefined;
    return { name: 'Pub/Sub pull', inner: only };
  },
  function bareMessage({ data, attributes, messageId, message_id }) {
    if (data === undefined || (messageId ?? message_id) === undefined) return undefined;
    return { name: 'Pub/Sub message', inner: data, attributes };
  },
  function dataOnly({ data, ...others }) {
    const isMessage = Object.keys(others).every((key) => key === 'attributes' || key === 'orderingKey');
    const isInner = typeof data === 'string' ? jsonIn(data) !== undefined : isObject(data);
    return isMessage && isInner ? { name: 'data', inner: data, attributes: others.attributes } : undefined;
  },
  function cloudEvent({ specversion, data, ...attributes }) {
    if (typeof specversion !== 'string' || data === undefined || typeof attributes.type !== 'string') {
      return undefined;
    }
    return {
      name: 'CloudEvent',
      inner: data,
      attributes: { 'ce-type': attributes.type, 'ce-source': attributes.source },
    };
  },
  function httpRequest({ headers, body, ...others }) {
    if (!isObject(headers) || body === undefined || 'incident' in others || 'alerts' in others)
      return undefined;
    return { name: 'HTTP request', inner: body, attributes: headers };
  },
  function snsRecord({ Sns, EventSource }) {
    return isObject(Sns) && EventSource !== undefined ? { name: 'SNS record', inner: Sns } : undefined;
  },
  function sqsRecord({ body, eventSource, receiptHandle, messageAttributes }) {
    if (typeof body !== 'string' || (eventSource === undefined && receiptHandle === undefined))
      return undefined;
    return { name: 'SQS message', inner: body, attributes: messageAttributes };
  },
  function sqsReceived({ Body, ReceiptHandle, MD5OfBody }) {
    if (typeof Body !== 'string' || (ReceiptHandle ?? MD5OfBody) === undefined) return undefined;
    return { name: 'SQS message', inner: Body };
  },
  function records({ Records, Messages }) {
    const [only, ...more] = asArray(Records ?? Messages);
    return isObject(only) && more.length === 0 ? { name: 'list of one record', inner: only } : undefined;
  },
  function sns(value) {
    const { TopicArn, Message, Subject, Type } = value;
    if (typeof TopicArn !== 'string' || Type === 'SubscriptionConfirmation') return undefined;
    // Text stays in its envelope: the adapter reads its subject.
    const inner = typeof Message === 'string' ? jsonIn(Message) : undefined;
    if (inner === undefined) return undefined;
    return { name: 'SNS notification', inner, attributes: { 'sns-topic': TopicArn, 'sns-subject': Subject } };
  },
];

/** The object or list that a text holds as JSON; undefined for any other text. */
function jsonIn(text: string): unknown {
  if (!/^\s*[{["]/.test(text)) return undefined;
  const parsed = parseJson(text);
  return typeof parsed === 'object' && parsed !== null ? parsed : undefined;
}

function decodedForm(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return '';
  }
}

/**
 * Decodes all base64 in the body, because neither people nor masking can read it otherwise:
 * `message.data` of Pub/Sub, `data` of any object, `data_base64` of CloudEvents, the body of an HTTP request,
 * or the whole body. Base64 in base64 is decoded as well.
 * @returns undefined when nothing is in base64.
 */
export function decodeBase64(payload: unknown, text: string): { value: unknown } | undefined {
  if (payload === undefined) {
    const value = decodedValue(text.trim(), 'json');
    return value === undefined ? undefined : { value };
  }
  if (typeof payload === 'string') {
    const value = decodedValue(payload.trim(), 'json');
    return value === undefined ? undefined : { value };
  }
  const value = decodedEnvelope(payload, MAX_ENVELOPES);
  return value === payload ? undefined : { value };
}

function decodedEnvelope(value: unknown, depth: number): unknown {
  if (depth === 0) return value;
  if (Array.isArray(value)) {
    const entries = value.map((entry) => decodedEnvelope(entry, depth - 1));
    return entries.some((entry, index) => entry !== value[index]) ? entries : value;
  }
  if (!isObject(value)) return value;
  const changed = new Map<string, unknown>();
  const replace = (key: string, decoded: unknown) => {
    if (decoded !== undefined && decoded !== value[key]) changed.set(key, decoded);
  };
  if (isObject(value.message)) {
    const { message } = value;
    if (isPush(value, message)) replace('message', decodedMessage(message, depth));
    else if (Object.keys(value).length === 1) replace('message', decodedEnvelope(message, depth - 1));
  }
  if (Array.isArray(value.receivedMessages)) {
    replace('receivedMessages', decodedEnvelope(value.receivedMessages, depth - 1));
  }
  if (typeof value.specversion === 'string' && typeof value.data_base64 === 'string') {
    const data = decodedValue(value.data_base64, 'any', depth);
    if (data !== undefined) changed.set('data', data).set('data_base64', undefined);
  } else if (typeof value.specversion === 'string') {
    replace('data', decodedEnvelope(value.data, depth - 1));
  }
  if (value.isBase64Encoded === true && typeof value.body === 'string') {
    const body = decodedValue(value.body, 'any', depth);
    if (body !== undefined) changed.set('body', body).set('isBase64Encoded', false);
  }
  if (firstText(value, 'messageId', 'message_id') !== undefined && typeof value.data === 'string') {
    replace('data', decodedValue(value.data, 'any', depth));
  } else if (typeof value.data === 'string' && typeof value.specversion !== 'string') {
    replace('data', decodedSentence(value.data, depth));
  }
  if (changed.size === 0) return value;
  const entries = Object.entries(value).map(([key, old]) => [key, changed.has(key) ? changed.get(key) : old]);
  // Fields that are new, such as `data` beside `data_base64`.
  const added = [...changed].filter(([key]) => !Object.hasOwn(value, key));
  return Object.fromEntries([...entries, ...added].filter(([, entry]) => entry !== undefined));
}

/** Whether a message is one of Pub/Sub: a word such as `disk` is valid base64, and must not be decoded. */
function isPush(envelope: Record<string, unknown>, message: Record<string, unknown>): boolean {
  return envelope.subscription !== undefined || MESSAGE_FIELDS.some((name) => Object.hasOwn(message, name));
}

/** Fields that only messages of Pub/Sub have. */
const MESSAGE_FIELDS = ['messageId', 'message_id', 'publishTime', 'publish_time'];

function decodedMessage(message: Record<string, unknown>, depth: number): Record<string, unknown> {
  if (typeof message.data !== 'string') return message;
  const data = decodedValue(message.data, 'any', depth);
  if (data === undefined) return message;
  return Object.fromEntries(Object.entries(message).map(([key, old]) => [key, key === 'data' ? data : old]));
}

/** Decodes base64 outside of known envelopes: JSON, or words. A single word can look like base64. */
function decodedSentence(text: string, depth: number): unknown {
  if (text.length < 16) return undefined;
  const value = decodedValue(text, 'any', depth);
  return typeof value === 'string' && !/\S\s+\S/.test(value) ? undefined : value;
}

const BASE64 = /^[A-Za-z0-9+/_-]{4,}={0,2}$/;
/** Base64 in lines of a mail or of the command `base64`: 64 characters or more, except the last line. */
const BASE64_LINES = /^(?:[A-Za-z0-9+/_-]{60,}\r?\n)+[A-Za-z0-9+/_-]*={0,2}\s*$/;

/** Decodes base64 to JSON, or with `any` also to text; undefined when it is not base64 of text. */
function decodedValue(text: string, wanted: 'json' | 'any', depth = MAX_ENVELOPES): unknown {
  if (depth === 0 || !(BASE64.test(text) || BASE64_LINES.test(text))) return undefined;
  let decoded: string;
  try {
    decoded = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(text, 'base64'));
  } catch {
    return undefined;
  }
  const json = jsonIn(decoded);
  if (json !== undefined) return decodedEnvelope(json, depth - 1);
  // Some senders encode a value that their client encodes again.
  const inner = decodedValue(decoded.trim(), 'json', depth - 1) ?? decodedSentence(decoded.trim(), depth - 1);
  if (inner !== undefined) return inner;
  return wanted === 'any' && !/[^\P{Cc}\t\n\r]/u.test(decoded) ? decoded : undefined;
}
