// Makes what senders wrote fit to be stored and shown: limited in length, valid Unicode, without control characters.

import { createHash } from 'node:crypto';
import type { Alert } from '../schema/session.ts';
import { quote } from '../text/quote.ts';
import { visible } from '../text/visible.ts';
import type { AlertFacts } from './adapter.ts';

const MAX_TITLE = 200;
const MAX_SUMMARY = 2000;
const MAX_SEVERITY = 50;
const MAX_IDENTITY = 256;
const MAX_URL = 2000;
/** 50 labels of at most 100 + 500 characters take less than 100 kB of the session document in any script. */
const MAX_LABELS = 50;
const MAX_LABEL_NAME = 100;
const MAX_LABEL_VALUE = 500;

/** The alert as it is stored. */
export function cleanAlert(facts: AlertFacts, bodyBytes: number): Omit<Alert, 'masked'> {
  return {
    source: facts.source,
    title: cleanTitle(facts.title ?? '', facts.counts),
    status: facts.status,
    severity: oneLine(facts.severity ?? '', MAX_SEVERITY) || null,
    identity: cleanIdentity(facts.identity ?? ''),
    summary: oneLine(facts.summary ?? '', MAX_SUMMARY) || null,
    url: webUrl(facts.url ?? ''),
    runbookUrl: webUrl(facts.runbookUrl ?? ''),
    startedAt: facts.startedAt,
    labels: cleanLabels(facts.labels),
    bodyBytes,
  };
}

/** A long title is cut before its counts, so that they are always seen. */
function cleanTitle(text: string, counts: string | undefined): string {
  const suffix = counts === undefined ? '' : ` (${counts})`;
  return (oneLine(text, MAX_TITLE - suffix.length) || 'Alert without a title') + suffix;
}

/** `text` on one line, cut to at most `max` UTF-16 code units with the `…` that marks the cut. */
export function oneLine(text: string, max: number): string {
  const line = visible(text).replace(/\s+/g, ' ').trim();
  return line.length <= max ? line : quote(line, max - 1);
}

/** Identities are compared: one that is too long is hashed, because cutting could make two different ones equal. */
function cleanIdentity(text: string): string | null {
  const identity = text.toWellFormed().trim();
  if (identity === '') return null;
  if (identity.length <= MAX_IDENTITY && visible(identity) === identity) return identity;
  return `sha256:${createHash('sha256').update(identity).digest('hex')}`;
}

/** A link that people may open: http or https. One that is too long is dropped, because a cut link leads nowhere. */
function webUrl(text: string): string | null {
  const url = URL.parse(text.trim());
  if (url === null || !['http:', 'https:'].includes(url.protocol)) return null;
  return url.href.length <= MAX_URL ? url.href : null;
}

/**
 * The first 50 labels that have a name and a plain value. Firestore reserves names such as `__name__`, so their leading
 * and trailing underscores are removed. Of labels whose names become equal the first is kept.
 */
function cleanLabels(labels: Record<string, unknown>): Record<string, string> {
  const cleaned = new Map<string, string>();
  for (const [key, value] of Object.entries(labels)) {
    if (cleaned.size === MAX_LABELS) break;
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') continue;
    const name = labelName(key);
    if (name !== '' && !cleaned.has(name)) cleaned.set(name, oneLine(String(value), MAX_LABEL_VALUE));
  }
  return Object.fromEntries(cleaned);
}

function labelName(key: string): string {
  const name = oneLine(key, MAX_LABEL_NAME);
  return /^__.*__$/.test(name) || /^_+$/.test(name) ? name.replace(/^_+|_+$/g, '') : name;
}
