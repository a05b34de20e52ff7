// Prepares texts of senders for storage and display: limited length, valid Unicode, no control characters.

import { createHash } from 'node:crypto';
import { makeVisible } from '../text/hiddenCharacters.ts';
import { labelName, labelValue, oneLine } from '../text/labels.ts';
import type { AlertFacts, MemberFacts } from './fields/adapter.ts';
import type { Alert, AlertLink, AlertMember } from './schema/alert.ts';

const MAX_TITLE = 200;
const MAX_SUMMARY = 2000;
const MAX_SEVERITY = 50;
const MAX_IDENTITY = 256;
const MAX_URL = 2000;
/** 50 labels of at most 100 + 500 characters take less than 100 kB of the session document in any script. */
const MAX_LABELS = 50;
/** Ten links of the greatest length take less than 25 kB, because an address contains only ASCII. */
const MAX_LINKS = 10;
const MAX_LINK_TITLE = 100;
const MAX_MEMBERS = 30;
const MAX_MEMBER_TITLE = 120;

/** The alert as it is stored. */
export function cleanAlert(source: string, facts: AlertFacts, bodyBytes: number): Omit<Alert, 'masked'> {
  return {
    source,
    title: cleanTitle(facts.title ?? '', facts.counts),
    status: facts.status,
    severity: oneLine(facts.severity ?? '', MAX_SEVERITY) || null,
    identity: cleanIdentity(facts.identity ?? ''),
    summary: oneLine(facts.summary ?? '', MAX_SUMMARY) || null,
    url: webUrl(facts.url ?? ''),
    runbookUrl: webUrl(facts.runbookUrl ?? ''),
    links: cleanLinks(facts.links),
    startedAt: facts.startedAt,
    labels: cleanLabels(facts.labels),
    members: facts.members.slice(0, MAX_MEMBERS).map(cleanMember),
    bodyBytes,
  };
}

/** A long title is cut before its counts, so that they are always seen. */
function cleanTitle(text: string, counts: string | undefined): string {
  const suffix = counts === undefined ? '' : ` (${counts})`;
  return (oneLine(text, MAX_TITLE - suffix.length) || 'Alert without a title') + suffix;
}

/** Identities are compared: a long one is hashed, because cutting could make two different ones equal. */
function cleanIdentity(text: string): string | null {
  const identity = text.toWellFormed().trim();
  if (identity === '') return null;
  if (identity.length <= MAX_IDENTITY && makeVisible(identity) === identity) return identity;
  return `sha256:${createHash('sha256').update(identity).digest('hex')}`;
}

/**
 * A link that people can open: http or https. A link that is too long is dropped, because a cut link leads
 * nowhere.
 */
function webUrl(text: string): string | null {
  const url = URL.parse(text.trim());
  if (url === null || !['http:', 'https:'].includes(url.protocol)) return null;
  return url.href.length <= MAX_URL ? url.href : null;
}

/** The first ten links that people can open, each once. */
function cleanLinks(links: readonly AlertLink[]): AlertLink[] {
  const cleaned = new Map<string, AlertLink>();
  for (const link of links) {
    const url = webUrl(link.url);
    if (cleaned.size === MAX_LINKS) break;
    if (url === null || cleaned.has(url)) continue;
    cleaned.set(url, { title: oneLine(link.title, MAX_LINK_TITLE) || 'Link', url });
  }
  return [...cleaned.values()];
}

function cleanMember({ title, status, severity, identity, startedAt }: MemberFacts): AlertMember {
  return {
    title: oneLine(title ?? '', MAX_MEMBER_TITLE) || 'Alert without a title',
    status,
    severity: oneLine(severity ?? '', MAX_SEVERITY) || null,
    identity: cleanIdentity(identity ?? ''),
    startedAt,
  };
}

/** The first 50 labels with a name and a plain value. Of labels with equal names the first is kept. */
function cleanLabels(labels: Record<string, unknown>): Record<string, string> {
  const cleaned = new Map<string, string>();
  for (const [key, value] of Object.entries(labels)) {
    if (cleaned.size === MAX_LABELS) break;
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') continue;
    const name = labelName(key);
    if (name !== '' && !cleaned.has(name)) cleaned.set(name, labelValue(String(value)));
  }
  return Object.fromEntries(cleaned);
}
