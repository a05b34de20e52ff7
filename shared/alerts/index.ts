// Turns the bytes of a Pub/Sub message into an alert: by the adapter that recognises the payload, else by the fallback.

import type { ErrorCode } from '../errors.ts';
import type { Alert } from '../schema/session.ts';
import { parseJson } from '../text/json.ts';
import { visible } from '../text/visible.ts';
import type { AlertAdapter, AlertFacts } from './adapter.ts';
import { alertmanager } from './adapters/alertmanager.ts';
import { cloudMonitoring } from './adapters/cloudMonitoring.ts';
import { readJson, readText } from './adapters/fallback.ts';
import { cleanAlert } from './clean.ts';
import { whyNoAlert } from './readable.ts';

/** Tried in this order; the first that recognises a payload reads it. */
const ADAPTERS: readonly AlertAdapter[] = [alertmanager, cloudMonitoring];

/** The largest alert that is accepted. */
export const MAX_ALERT_BYTES = 1_048_576;

/** The alert, or why the message holds none. */
export type AlertReading =
  | {
      ok: true;
      alert: Alert;
      /** The body as text, without byte-order mark; what cannot be seen, and bytes that are not UTF-8, become U+FFFD. */
      body: string;
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

/**
 * Reads the body of an alert message, without its secrets. Refuses a body over 1 MiB (`ALERT_TOO_LARGE`), one without a visible character,
 * such as a message that has only attributes (`ALERT_EMPTY`), and what is neither text nor JSON that says something
 * (`ALERT_INVALID`). Never throws.
 * @param adapters what is tried before the fallback; all there are by default.
 */
export function readAlert(
  bytes: Uint8Array,
  { mask, maskJson }: AlertMasker,
  adapters: readonly AlertAdapter[] = ADAPTERS,
): AlertReading {
  if (bytes.byteLength > MAX_ALERT_BYTES) {
    const message = `the alert has ${bytes.byteLength} bytes; at most ${MAX_ALERT_BYTES} are accepted`;
    return { ok: false, failure: { code: 'ALERT_TOO_LARGE', message } };
  }
  const text = new TextDecoder().decode(bytes);
  if (!/[^\s\p{Cc}\p{Cf}]/u.test(text)) {
    const message = 'the alert is empty; send its JSON or text as the data of the message';
    return { ok: false, failure: { code: 'ALERT_EMPTY', message } };
  }
  const payload = parseJson(text);
  const reason = whyNoAlert(text, payload);
  if (reason !== undefined) {
    const message = `the message is no alert but ${reason}; send an alert as JSON or as text`;
    return { ok: false, failure: { code: 'ALERT_INVALID', message } };
  }
  const body = mask(text);
  // A mark need not be JSON where it stands, so that the payload is masked by itself.
  const facts = readBody(body.text, payload === undefined ? undefined : maskJson(payload).value, adapters);
  const alert = { ...cleanAlert(facts, bytes.byteLength), masked: body.count };
  return { ok: true, alert, body: visible(body.text) };
}

function readBody(body: string, payload: unknown, adapters: readonly AlertAdapter[]): AlertFacts {
  if (payload === undefined) return readText(body);
  for (const adapter of adapters) {
    const facts = adapter(payload);
    if (facts !== undefined) return facts;
  }
  return readJson(payload);
}
