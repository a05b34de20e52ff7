// Turns the bytes of a Pub/Sub message into an alert: by the adapter that recognises the payload, else by the fallback.

import type { ErrorCode } from '../errors.ts';
import type { Alert } from '../schema/session.ts';
import { parseJson } from '../text/json.ts';
import { visible } from '../text/visible.ts';
import type { AlertAdapter, AlertPayload, FactPlaces } from './adapter.ts';
import { ADAPTERS } from './adapters.ts';
import { cleanAlert } from './clean.ts';
import { decodeText } from './decode.ts';
import { whyNoAlert } from './readable.ts';
import { readPayload } from './readPayload.ts';
import { decodeBase64, unwrap } from './unwrap.ts';

/** The largest alert that is accepted. */
export const MAX_ALERT_BYTES = 1_048_576;

/** How an alert was read, for people. */
export interface ReadingTrace {
  /** By what its source was recognised. */
  reason: string;
  /** The envelopes that were taken off, the outermost first. */
  envelopes: string[];
  /** The places that its fields were read from. */
  places: FactPlaces;
}

/** The alert, or why the message holds none. */
export type AlertReading =
  | {
      ok: true;
      alert: Alert;
      /**
       * The body as text, without byte-order mark; what cannot be seen, and bytes that are no text, become U+FFFD. What was
       * in base64 stands in it as what it says.
       */
      body: string;
      /** When the problem was over, as the source says; null when it does not, or the alert is not resolved. */
      endedAt: Date | null;
      trace: ReadingTrace;
    }
  | {
      ok: false;
      failure: {
        code: Extract<ErrorCode, 'ALERT_EMPTY' | 'ALERT_INVALID' | 'ALERT_TOO_LARGE'>;
        message: string;
      };
    };

/** Takes secrets out of alerts. */
export interface AlertMasker {
  /** Takes secrets out of the body. */
  mask: (text: string) => { text: string; count: number };
  /** Takes secrets out of the body as JSON. */
  maskJson: (value: unknown) => { value: unknown };
}

/** What is known of a message beside its body. */
export interface ReadAlertOptions {
  /** Attributes of the message, which may name its source; none by default. */
  attributes?: Record<string, string>;
  /** When Pub/Sub took the message; null, the default, when that is not known. */
  receivedAt?: Date | null;
  /** What is tried before the fallback; all there are by default. */
  adapters?: readonly AlertAdapter[];
}

/**
 * Reads the body of an alert message, without its secrets. Refuses a body over 1 MiB (`ALERT_TOO_LARGE`), one without a visible character,
 * such as a message that has only attributes (`ALERT_EMPTY`), and what is neither text nor JSON that says something
 * (`ALERT_INVALID`). Never throws.
 */
export function readAlert(
  bytes: Uint8Array,
  { mask, maskJson }: AlertMasker,
  { attributes = {}, receivedAt = null, adapters = ADAPTERS }: ReadAlertOptions = {},
): AlertReading {
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
  const unwrapped = unwrap(legible.payload ?? text, attributes);
  const envelopes = legible.isDecoded ? ['base64', ...unwrapped.envelopes] : unwrapped.envelopes;
  const body = mask(legible.text);
  const input: AlertPayload = {
    // A mark need not be JSON where it stands, so that the payload is masked by itself. Text is masked as the body is, or
    // what an envelope holds by itself.
    payload: unwrapped.payload === text ? body.text : maskJson(unwrapped.payload).value,
    attributes: unwrapped.attributes,
    receivedAt,
  };
  const reading = readPayload(input, adapters, unwrapped.payload === text ? 'text' : 'json');
  const alert = { ...cleanAlert(reading.source, reading.facts, bytes.byteLength), masked: body.count };
  const trace = { reason: reading.reason, envelopes, places: reading.places };
  const endedAt = alert.status === 'resolved' ? reading.facts.endedAt : null;
  return { ok: true, alert, body: visible(body.text), endedAt, trace };
}

/** A body in which what was in base64 stands as what it says. One that would grow too large is left as it is. */
function legibleBody(parsed: unknown, text: string): { payload: unknown; text: string; isDecoded: boolean } {
  const decoded = decodeBase64(parsed, text);
  const legible = decoded === undefined ? undefined : jsonText(decoded.value);
  if (decoded === undefined || legible === undefined) return { payload: parsed, text, isDecoded: false };
  return { payload: decoded.value, text: legible, isDecoded: true };
}

/** A value as JSON; undefined when it is nested too deeply to be written, or too large. */
function jsonText(value: unknown): string | undefined {
  try {
    const text = JSON.stringify(value);
    return Buffer.byteLength(text) <= MAX_ALERT_BYTES ? text : undefined;
  } catch {
    return undefined;
  }
}
