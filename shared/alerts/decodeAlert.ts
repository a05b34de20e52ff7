// Opens the bytes of an alert message: decodes base64, removes envelopes, refuses messages without alert.

import type { ErrorCode } from '../core/errors.ts';
import { parseJson } from '../text/json.ts';
import { decodeText, whyNoAlert } from './decode.ts';
import { decodeBase64, removeEnvelopes } from './removeEnvelopes.ts';

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
