// Opens the bytes of an alert message: decodes base64, removes envelopes, refuses messages without alert.

import type { ErrorCode } from '../core/errors.ts';
import { isObject, jsonFault, parseJson } from '../text/json.ts';
import { decodeBase64, removeEnvelopes } from './removeEnvelopes.ts';

/** Bytes that are examined to detect the encoding. */
const SAMPLE_BYTES = 1024;

/** The largest alert that is accepted. */
export const MAX_ALERT_BYTES = 1_048_576;

/** An alert that is decoded and not masked: it can contain secrets, so it is kept in memory only. */
export interface DecodedAlert {
  /** The body, with base64 decoded in it. */
  text: string;
  /** The payload inside all envelopes. */
  payload: unknown;
  /** Whether the body is plain text in no envelope; `payload` is the body then. */
  isText: boolean;
  /** Attributes of the message and of all envelopes; names in lower case. */
  attributes: Record<string, string>;
  /** The envelopes that were removed, the outermost first. */
  envelopes: string[];
  /** Size of the body as it was sent. */
  bytes: number;
}

/** Why a message contains no alert. */
export interface AlertFailure {
  /** `ALERT_EMPTY`, `ALERT_INVALID` or `ALERT_TOO_LARGE`. */
  code: Extract<ErrorCode, 'ALERT_EMPTY' | 'ALERT_INVALID' | 'ALERT_TOO_LARGE'>;
  /** The fault and the fix, without content of the message. */
  message: string;
}

/**
 * Opens the body of an alert message. Refuses a body over 1 MiB (`ALERT_TOO_LARGE`), one without a visible
 * character, such as a message that has only attributes (`ALERT_EMPTY`), and bytes that are neither text nor
 * JSON with content (`ALERT_INVALID`). Never throws.
 */
export function decodeAlert(
  bytes: Uint8Array,
  attributes: Record<string, string>,
): { ok: true; opened: DecodedAlert } | { ok: false; failure: AlertFailure } {
  if (bytes.byteLength > MAX_ALERT_BYTES) {
    const message = `the alert has ${bytes.byteLength} bytes; at most ${MAX_ALERT_BYTES} are accepted`;
    return { ok: false, failure: { code: 'ALERT_TOO_LARGE', message } };
  }
  const text = decodeText(bytes);
  if (!/[^\s\p{Cc}\p{Cf}]/u.test(text)) {
    const message = 'the alert is empty; send its JSON or text as the data of the message';
    return { ok: false, failure: { code: 'ALERT_EMPTY', message } };
  }
  const parsed = parseJson(text);
  const reason = whyNoAlert(text, parsed);
  if (reason !== undefined) {
    const message = `the message is no alert but ${reason}; send an alert as JSON or as text`;
    return { ok: false, failure: { code: 'ALERT_INVALID', message } };
  }
  const legible = legibleBody(parsed, text);
  const unwrapped = removeEnvelopes(legible.payload ?? text, attributes);
  const opened: DecodedAlert = {
    ...unwrapped,
    text: legible.text,
    isText: unwrapped.payload === text,
    envelopes: legible.isDecoded ? ['base64', ...unwrapped.envelopes] : unwrapped.envelopes,
    bytes: bytes.byteLength,
  };
  return { ok: true, opened };
}

/** A body with its base64 decoded. A body that would grow too large is left as it is. */
function legibleBody(parsed: unknown, text: string): { payload: unknown; text: string; isDecoded: boolean } {
  const decoded = decodeBase64(parsed, text);
  const legible = decoded === undefined ? undefined : jsonText(decoded.value);
  if (decoded === undefined || legible === undefined) return { payload: parsed, text, isDecoded: false };
  return { payload: decoded.value, text: legible, isDecoded: true };
}

/** A value as JSON; undefined if it is nested too deeply for JSON, or too large. */
function jsonText(value: unknown): string | undefined {
  try {
    const text = JSON.stringify(value);
    return Buffer.byteLength(text) <= MAX_ALERT_BYTES ? text : undefined;
  } catch {
    return undefined;
  }
}

/** The text of a message without byte-order mark; invalid bytes become U+FFFD. Never throws. */
export function decodeText(bytes: Uint8Array): string {
  return new TextDecoder(detectEncoding(bytes)).decode(bytes);
}

/** UTF-8, or UTF-16 where a byte-order mark or zero bytes in every other place show it. */
function detectEncoding(bytes: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  // Text in UTF-16 that is mostly ASCII, such as any JSON: every other byte is zero, and the others are not.
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  const zeros = [0, 0];
  for (const [index, byte] of sample.entries())
    if (byte === 0) zeros[index % 2] = (zeros[index % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  const pairs = Math.floor(sample.length / 2);
  if (pairs < 2) return 'utf-8';
  if (odd > pairs * 0.7 && even === 0) return 'utf-16le';
  return even > pairs * 0.7 && odd === 0 ? 'utf-16be' : 'utf-8';
}

/**
 * Why a body holds no alert, in a few words; undefined when it can hold one.
 * @param body the decoded body, with U+FFFD for bytes that are not UTF-8
 * @param payload the body parsed as JSON; undefined when it is not JSON
 */
function whyNoAlert(body: string, payload: unknown): string | undefined {
  if (payload !== undefined) {
    if (!holdsSomething(payload)) return `JSON without content (${describePayloadKind(payload)})`;
    return isEmptyEnvelope(payload) ? 'an envelope of Alertmanager whose list of alerts is empty' : undefined;
  }
  if (isBinary(body)) return 'binary data, or text that is not UTF-8';
  return looksLikeJson(body) ? `broken JSON (${jsonFault(body)}: correct it there)` : undefined;
}

/** Whether there is text or an object with fields in it; lists nested three deep count as empty. */
function holdsSomething(value: unknown, lists = 3): boolean {
  if (typeof value === 'string') return /[^\s\p{Cc}\p{Cf}]/u.test(value);
  if (Array.isArray(value)) return lists > 0 && value.some((entry) => holdsSomething(entry, lists - 1));
  return isObject(value) && Object.keys(value).length > 0;
}

/** Whether a list of alerts, bare or in an answer of the alerts API, is the whole message and is empty. */
function isEmptyEnvelope(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { status, data, ...others } = value;
  if (status === 'success' && Object.keys(others).length === 0)
    return isEmptyList(data) || isEmptyEnvelope(data);
  return Object.keys(value).length === 1 && isEmptyList(value.alerts);
}

const isEmptyList = (value: unknown) => Array.isArray(value) && value.length === 0;

function describePayloadKind(value: unknown): string {
  if (Array.isArray(value)) return 'a list without an alert';
  if (typeof value === 'string') return 'blank text';
  return isObject(value) ? 'an empty object' : `the value ${String(value)}`;
}

/** Whether more than a third of the characters are of the kind that text has next to none of. */
function isBinary(text: string): boolean {
  const odd = text.match(/\ufffd|[^\P{Cc}\t\n\r]/gu)?.length ?? 0;
  return odd > text.length / 3;
}

/** Text can start with `[FIRING]`, an unfilled `{{ title }}`, or Prometheus' `{instance="db-7"}`. */
function looksLikeJson(text: string): boolean {
  return /^\s*(?:\{(?!\{|\s*\w+\s*=)|(?:\[\s*)+(?:[{"]|$))/.test(text);
}
