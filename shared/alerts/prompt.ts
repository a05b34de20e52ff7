// Writes the alert for the first user message: its facts and its body, framed as data.

import { cutText } from '../text/cut.ts';
import { oneLine } from '../text/labels.ts';
import { frameData } from '../text/untrustedFrame.ts';
import type { Alert } from './schema/alert.ts';

/** Longest fact, in characters: as long as the longest field of an alert. */
const MAX_FACT = 2000;
/** Longest list of links, or of alerts of a group, in characters. */
const MAX_LIST = 1000;
/** Precedes the body. Each fact has one line, so the first occurrence is the one that precedes the body. */
const BODY = '\n\nThe body as it came:\n';

/**
 * The text about an alert for the first user message, framed as data: its facts, then at most `maxBytes`
 * UTF-8 bytes of `body`, with a note below the frame when there is more. Facts and frame add at most 12 kB,
 * and each marked line two bytes. The same alert and nonce give the same text.
 */
export function alertForPrompt(
  alert: Alert,
  body: string,
  { maxBytes, nonce }: { maxBytes: number; nonce: string },
): string {
  const text = cutText(body, maxBytes, 'bytes');
  const note =
    text.length < body.length
      ? `\n\nThe body is cut: ${Buffer.byteLength(text)} of ${alert.bodyBytes} bytes are shown.`
      : '';
  const facts = `${factLines(alert)}${BODY}${text}`;
  return `An alert came in.\n\n${frameData(facts, { nonce, source: 'alert' })}${note}`;
}

/** The body in a text of `alertForPrompt`, as far as it is there; empty for null. */
export function alertBodyIn(text: string | null): string {
  const [, ...rest] = (text ?? '').split(BODY);
  const framed = rest.join(BODY);
  const end = framed.lastIndexOf('\n</data-');
  return end === -1 ? framed : framed.slice(0, end);
}

function factLines(alert: Alert): string {
  const facts: [string, string | null][] = [
    ['Source', alert.source],
    ['Title', alert.title],
    ['Status', alert.status],
    ['Severity', alert.severity],
    ['Started', alert.startedAt?.toISOString() ?? null],
    ['Link', alert.url],
    ['Runbook', alert.runbookUrl],
    ['Links', joinFacts(alert.links.map(({ title, url }) => `${title} ${url}`))],
    ['Alerts of the group', joinFacts(alert.members.map(({ status, title }) => `${status}: ${title}`))],
  ];
  return facts
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name}: ${oneLine(value ?? '', MAX_FACT)}`)
    .join('\n');
}

/** Several facts on one line; null when there is none. Facts that do not fit are in the body. */
function joinFacts(texts: readonly string[]): string | null {
  return texts.length === 0 ? null : oneLine(texts.join('; '), MAX_LIST);
}
