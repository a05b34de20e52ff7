// Separates alerts from messages that are none: there is nothing to investigate in `null`, half a JSON object or a picture.

import { isObject } from '../text/json.ts';

/**
 * Why a body holds no alert, in a few words; undefined when it may hold one.
 * @param body the decoded body, with U+FFFD for bytes that are not UTF-8
 * @param payload what the body says as JSON; undefined when it is not JSON
 */
export function whyNoAlert(body: string, payload: unknown): string | undefined {
  if (payload !== undefined)
    return holdsSomething(payload) ? undefined : `JSON that says nothing (${kindOf(payload)})`;
  if (isBinary(body)) return 'binary data, or text that is not UTF-8';
  return looksLikeJson(body) ? 'broken JSON' : undefined;
}

/** Whether there is text or an object with fields in it; a list in a list in a list holds nothing worth a look. */
function holdsSomething(value: unknown, lists = 3): boolean {
  if (typeof value === 'string') return /[^\s\p{Cc}\p{Cf}]/u.test(value);
  if (Array.isArray(value)) return lists > 0 && value.some((entry) => holdsSomething(entry, lists - 1));
  return isObject(value) && Object.keys(value).length > 0;
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'a list without an alert';
  if (typeof value === 'string') return 'blank text';
  return isObject(value) ? 'an empty object' : `the value ${String(value)}`;
}

/** Whether more than a third of the characters are of the kind that text has next to none of. */
function isBinary(text: string): boolean {
  const odd = text.match(/\ufffd|[^\P{Cc}\t\n\r]/gu)?.length ?? 0;
  return odd > text.length / 3;
}

/** Text may begin with `[FIRING]`, with `{{ title }}` that was not filled in, or with Prometheus' `{instance="db-7"}`. */
function looksLikeJson(text: string): boolean {
  return /^\s*(?:\{(?!\{|\s*\w+\s*=)|(?:\[\s*)+(?:[{"]|$))/.test(text);
}
