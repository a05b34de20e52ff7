// Masks JSON text: arguments of calls, and data that only its own provider reads.

import { isObject, parseJson } from '../text/json.ts';

/** Only the provider reads it, and it must be sent back byte for byte. */
const SIGNATURE = /^thought_?signature$/i;
/** Deeper values are not traversed; their text is masked as one. */
const MAX_DEPTH = 200;

/** Masks the arguments of a call, as JSON: first as a whole, so that keys count, then text by text. */
export function maskArguments(args: string, mask: (text: string) => string): string {
  return maskData(mask(args), mask);
}

/**
 * Masks JSON text by text, so that it stays JSON. Without a secret, it stays byte-identical.
 * @param change a further change of the parsed value. Default: none.
 */
export function maskData(
  json: string,
  mask: (text: string) => string,
  change: (data: unknown) => unknown = (data) => data,
): string {
  const value = parseJson(json);
  if (value === undefined || isDeeper(value, MAX_DEPTH)) return mask(json);
  let isMasked = false;
  const maskText = (text: string): string => {
    const masked = mask(text);
    isMasked ||= masked !== text;
    return masked;
  };
  const masked = mapTexts(value, maskText);
  const changed = change(masked);
  return isMasked || changed !== masked ? JSON.stringify(changed) : json;
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((entry) => isDeeper(entry, levels - 1));
}

function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((entry) => mapTexts(entry, change));
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([key, entry]) =>
    SIGNATURE.test(key) ? [key, entry] : [change(key), mapTexts(entry, change)],
  );
  return Object.fromEntries(entries);
}
