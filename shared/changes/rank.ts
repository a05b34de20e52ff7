// Orders changes by their relevance to an alert: closeness in time, distance of the resource, rarity. Pure.
// The rules are older than the cases that test them (rank.test.ts).

import type { Change } from './change.ts';
import { findNearestRelation, type Relation, weighRelation } from './scopes.ts';

/** How long before an alert changes are looked for. */
export const WINDOW_MS = 24 * 3_600_000;
/** How long after its start they are still looked for, when its session opens late. */
export const AFTER_MS = 6 * 3_600_000;
/** Changes that agents are shown. */
export const MAX_SHOWN = 20;
/** Changes of one resource among them: the others are only counted. */
const MAX_OF_RESOURCE = 3;
const HOUR_MS = 3_600_000;
/** What happened after the start of a problem did not cause it; what failed usually changed nothing. */
const AFTER_SHARE = 0.25;
const ATTEMPTED_SHARE = 0.4;
/** A clock of a source that is this far ahead still counts as before. */
const SKEW_MS = 60_000;

/** A change with its place in the order. */
export interface RankedChange {
  id: string;
  change: Change;
  relation: Relation;
  /** From 0 to 1. */
  score: number;
  /** Milliseconds before the alert; negative after it. */
  beforeMs: number;
}

/** The relevance of a change, from 0 to 1. @param start of the problem. */
export function rankChange(
  id: string,
  change: Change,
  { start, wanted }: { start: Date; wanted: ReadonlyMap<string, Relation> },
): RankedChange {
  const relation = findNearestRelation(change.scopes, wanted);
  const beforeMs = start.getTime() - change.at.getTime();
  const time = 1 / Math.sqrt(1 + Math.abs(beforeMs) / HOUR_MS);
  const rarity = 1 / Math.sqrt(1 + change.rate.count / change.rate.days);
  const order = beforeMs < -SKEW_MS ? AFTER_SHARE : 1;
  const effect = change.status === 'attempted' ? ATTEMPTED_SHARE : 1;
  return { id, change, relation, score: time * weighRelation(relation) * rarity * order * effect, beforeMs };
}

/**
 * The most relevant changes first.
 * @param limit default: 20.
 * @param maxOfResource changes of one resource. Default: 3.
 */
export function rankChanges(
  ranked: readonly RankedChange[],
  limit = MAX_SHOWN,
  maxOfResource = MAX_OF_RESOURCE,
): RankedChange[] {
  const shown = new Map<string, number>();
  const sorted = [...ranked].sort((one, other) => other.score - one.score || one.id.localeCompare(other.id));
  return sorted
    .filter(({ change: { resource } }) => {
      const number = (shown.get(resource) ?? 0) + 1;
      shown.set(resource, number);
      return number <= maxOfResource;
    })
    .slice(0, limit);
}
