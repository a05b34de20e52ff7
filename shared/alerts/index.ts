// Turns a Pub/Sub message into an alert: with the adapter that recognises the payload, else the fallback.

import { makeVisible } from '../text/hiddenCharacters.ts';
import { ADAPTERS } from './adapters.ts';
import { cleanAlert } from './cleanAlertText.ts';
import { type AlertFailure, type DecodedAlert, decodeAlert } from './decodeAlert.ts';
import type { AlertAdapter, AlertPayload, FactPlaces } from './fields/adapter.ts';
import { limitTexts } from './limitTexts.ts';
import { readPayload } from './readPayload.ts';
import type { Alert } from './schema/alert.ts';

/** How an alert was read, for people. */
export interface ReadingTrace {
  /** Why the payload counts as one of its source. */
  reason: string;
  /** The envelopes that were taken off, the outermost first. */
  envelopes: string[];
  /** The places that its fields were read from. */
  places: FactPlaces;
}

/** An alert without its secrets. */
export interface MaskedAlert {
  /** The alert as it is stored. */
  alert: Alert;
  /**
   * The body as text, without byte-order mark; invisible characters and bytes that are not text become
   * U+FFFD. Base64 is decoded in it.
   */
  body: string;
  /** When the problem ended, according to the source; null if unknown, or if the alert is not resolved. */
  endedAt: Date | null;
  /** How the message was read, for people. */
  trace: ReadingTrace;
}

/** The alert, or why the message contains none. */
export type AlertReading = ({ ok: true } & MaskedAlert) | { ok: false; failure: AlertFailure };

/** Masks secrets in alerts. */
export interface AlertMasker {
  /** Masks secrets in the body. */
  mask: (text: string) => { text: string; count: number };
  /** Masks secrets in the body as JSON. */
  maskJson: (value: unknown) => { value: unknown };
}

interface GradualAlertMasker {
  /** Masks secrets in the body. */
  maskGradually: (text: string) => Promise<{ text: string; count: number }>;
  /** Masks secrets in the body as JSON, whose text has `length` characters. */
  maskJsonGradually: (value: unknown, length: number) => Promise<{ value: unknown }>;
}

/** Facts about a message beside its body and its attributes. */
interface MaskAlertOptions {
  /** When Pub/Sub accepted the message; null, the default, if unknown. */
  receivedAt?: Date | null;
  /** The adapters that are tried before the fallback; all by default. */
  adapters?: readonly AlertAdapter[];
}

/** Facts about a message beside its body. */
interface ReadAlertOptions extends MaskAlertOptions {
  /** Attributes of the message, which can name its source; none by default. */
  attributes?: Record<string, string>;
}

/**
 * Reads the body of an alert message and masks its secrets. Never throws.
 * @returns a failure for a body that `decodeAlert` refuses.
 */
export function readAlert(
  bytes: Uint8Array,
  masker: AlertMasker,
  { attributes = {}, ...options }: ReadAlertOptions = {},
): AlertReading {
  const opening = decodeAlert(bytes, attributes);
  return opening.ok ? { ok: true, ...maskAlert(opening.opened, masker, options) } : opening;
}

/**
 * Masks the secrets of an opened alert and reads its fields. Maskers of different sessions put different
 * marks in the place of the same secret, so an alert that belongs to an existing session is masked again for
 * that session. Never throws.
 */
export function maskAlert(
  opened: DecodedAlert,
  { mask, maskJson }: AlertMasker,
  options: MaskAlertOptions = {},
): MaskedAlert {
  const body = mask(opened.text);
  const payload = opened.isText ? body.text : maskJson(limitTexts(opened.payload)).value;
  return readMasked(opened, body, payload, options);
}

/** As `maskAlert`, and lets other work of the process run between pieces of a long alert. */
export async function maskAlertGradually(
  opened: DecodedAlert,
  { maskGradually, maskJsonGradually }: GradualAlertMasker,
  options: MaskAlertOptions = {},
): Promise<MaskedAlert> {
  const { text, payload, isText } = opened;
  const body = await maskGradually(text);
  // A mark is not always valid JSON in its place, so JSON is masked as a value, plain text as the body.
  const fields = isText ? body.text : (await maskJsonGradually(limitTexts(payload), text.length)).value;
  return readMasked(opened, body, fields, options);
}

function readMasked(
  { isText, attributes, envelopes, bytes }: DecodedAlert,
  body: { text: string; count: number },
  payload: unknown,
  { receivedAt = null, adapters = ADAPTERS }: MaskAlertOptions,
): MaskedAlert {
  const input: AlertPayload = { payload, attributes, receivedAt };
  const reading = readPayload(input, adapters, isText ? 'text' : 'json');
  const alert = { ...cleanAlert(reading.source, reading.facts, bytes), masked: body.count };
  const trace = { reason: reading.reason, envelopes, places: reading.places };
  const endedAt = alert.status === 'resolved' ? reading.facts.endedAt : null;
  return { alert, body: makeVisible(body.text), endedAt, trace };
}
