// Reads alerts of unknown sources, JSON or text, by the names that fields commonly have.

import type { Alert } from '../../schema/session.ts';
import type { AlertFacts } from '../adapter.ts';
import { firstText, looseMap } from './fields.ts';

const TITLE_KEYS = ['title', 'alertname', 'summary', 'subject', 'name', 'message', 'description', 'text'];
/** Fields in which senders commonly wrap the alert; the first entry of a list is unwrapped as well. */
const WRAPPER_KEYS = ['alert', 'incident', 'event', 'data', 'payload'];

/** Reads any JSON value. It gets no identity, because an `id` may be that of the message instead of the alert. */
export function readJson(payload: unknown): AlertFacts {
  if (typeof payload === 'string') return { ...readText(payload), source: 'json' };
  const outer = lowerCaseKeys(Array.isArray(payload) ? payload[0] : payload);
  const inner = WRAPPER_KEYS.map((key) => lowerCaseKeys(outer[key])).filter(
    (map) => Object.keys(map).length > 0,
  );
  const find = (...keys: string[]) =>
    [outer, ...inner].map((map) => firstText(map, ...keys)).find((text) => text !== undefined);
  return {
    source: 'json',
    title: find(...TITLE_KEYS),
    status: STATUSES.get(find('status', 'state')?.trim().toLowerCase() ?? '') ?? 'unknown',
    severity: find('severity', 'priority', 'level'),
    identity: undefined,
    summary: find('summary', 'message', 'description'),
    url: find('url', 'link', 'externalurl'),
    startedAt: null,
    labels: looseMap.parse(outer.labels ?? outer.commonlabels ?? inner[0]?.labels),
  };
}

/** Reads any text: the first line that is not blank is the title. */
export function readText(text: string): AlertFacts {
  return {
    source: 'text',
    title: /\S.*/.exec(text)?.[0],
    status: 'unknown',
    severity: undefined,
    identity: undefined,
    summary: undefined,
    url: undefined,
    startedAt: null,
    labels: {},
  };
}

/** A mapping with its top-level keys in lower case; an empty one for any other value. */
function lowerCaseKeys(value: unknown): Record<string, unknown> {
  const entries = Object.entries(looseMap.parse(value));
  return Object.fromEntries(entries.map(([key, entry]) => [key.toLowerCase(), entry]));
}

const STATUSES: ReadonlyMap<string, Alert['status']> = new Map([
  ...(['firing', 'open', 'opened', 'alerting', 'alarm', 'triggered', 'active'] as const).map(
    (word) => [word, 'firing'] as const,
  ),
  ...(['resolved', 'closed', 'ok', 'recovered', 'inactive'] as const).map(
    (word) => [word, 'resolved'] as const,
  ),
]);
