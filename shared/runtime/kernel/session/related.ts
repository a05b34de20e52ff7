// Which alerts have to do with each other: those that share the labels of a rule and were published within its window. Pure.

import { createHash } from 'node:crypto';
import type { CorrelationKeys, RelatedAlert } from '../../../schema/correlation.ts';

/** Alerts that agents and readers are shown. */
export const MAX_RELATED = 10;

/** Labels whose values alerts must share, and how far apart they may be. */
export interface CorrelationRule {
  labels: readonly string[];
  windowMs: number;
}

/** The keys of an alert: one for each rule of whose labels it has all. Alerts of other tenants have other keys. */
export function correlationKeys(
  rules: readonly CorrelationRule[],
  { tenantId, labels }: { tenantId: string; labels: Readonly<Record<string, string>> },
): CorrelationKeys['keys'] {
  return rules.flatMap(({ labels: names, windowMs }) => {
    const sorted = [...new Set(names)].sort();
    const pairs = sorted.map((name) => [name, Object.hasOwn(labels, name) ? labels[name] : undefined]);
    if (pairs.some(([, value]) => value === undefined || value === '')) return [];
    const text = JSON.stringify([tenantId, windowMs, pairs]);
    return [{ id: createHash('sha256').update(text).digest('hex').slice(0, 32), windowMs }];
  });
}

/** Number of the period of a moment. Periods are as long as the window, so that two neighbours hold what is within it. */
const periodOf = (at: Date, windowMs: number): number => Math.floor(at.getTime() / windowMs);

/** The id of the document in which an alert is noted. */
export function currentId({ id, windowMs }: CorrelationKeys['keys'][number], at: Date): string {
  return `${id}.${periodOf(at, windowMs)}`;
}

/** The ids of all documents that may hold alerts within the window. */
export function neighbourIds({ id, windowMs }: CorrelationKeys['keys'][number], at: Date): string[] {
  const period = periodOf(at, windowMs);
  return [period - 1, period, period + 1].map((one) => `${id}.${one}`);
}

/**
 * The alerts to show beside one, the nearest in time first, each once.
 * @param found what is noted under each key, in the order of the keys.
 */
export function relatedTo(
  own: { sessionId: string; title: string },
  { keys, at }: CorrelationKeys,
  found: readonly (readonly RelatedAlert[])[],
): RelatedAlert[] {
  const distance = (alert: RelatedAlert) => Math.abs(alert.at.getTime() - at.getTime());
  const near = keys.flatMap(({ windowMs }, index) =>
    (found[index] ?? []).filter((alert) => distance(alert) <= windowMs),
  );
  const byName = new Map<string, RelatedAlert>();
  for (const alert of near.sort((a, b) => distance(a) - distance(b))) {
    if (alert.sessionId === own.sessionId && alert.title === own.title) continue;
    const name = JSON.stringify([alert.sessionId, alert.title]);
    if (!byName.has(name)) byName.set(name, alert);
  }
  return [...byName.values()].slice(0, MAX_RELATED);
}
