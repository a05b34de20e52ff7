// Finds related alerts: those that share the labels of a rule and were published within its window. Pure.

import { createHash } from 'node:crypto';
import type { CorrelationKeys, RelatedAlert } from './schema/correlation.ts';

/** Maximum number of related alerts that agents and readers see. */
export const MAX_RELATED = 10;

/** Labels that alerts must share, and the maximum time between them. */
interface CorrelationRule {
  /** Names of labels. An alert that lacks one has no related alerts by this rule. */
  labels: readonly string[];
  /** The most milliseconds between two related alerts. */
  windowMs: number;
}

/** The keys of an alert: one for each rule of which it has all labels. Keys of different tenants differ. */
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

/** Number of the period of a time. A period has the window's length, so two adjacent ones cover it. */
const countPeriods = (at: Date, windowMs: number): number => Math.floor(at.getTime() / windowMs);

/** The id of the document that records an alert. */
export function currentId({ id, windowMs }: CorrelationKeys['keys'][number], at: Date): string {
  return `${id}.${countPeriods(at, windowMs)}`;
}

/** The ids of all documents that can contain alerts within the window. */
export function neighbourIds({ id, windowMs }: CorrelationKeys['keys'][number], at: Date): string[] {
  const period = countPeriods(at, windowMs);
  return [period - 1, period, period + 1].map((one) => `${id}.${one}`);
}

/**
 * Returns the alerts related to one, the nearest in time first, without duplicates.
 * @param found the recorded alerts under each key, in the order of the keys.
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
