// The document that lets the sweep look after the end of a session whether its problem is over. Pure.

import type { Session } from '../../core/schema/session.ts';
import type { Outcome, Probe } from '../../kits/alerts/outcome.ts';

/** The times of the checks, in milliseconds after the claims of a session were checked. */
export const CHECKS_AFTER_MS: readonly number[] = [30 * 60_000, 24 * 3_600_000];

/**
 * The outcome of a session before its checks: a later check of its claims replaces it. Undefined without
 * probes.
 */
export function openOutcome(
  { sessionId, expireAt }: Pick<Session, 'sessionId' | 'expireAt'>,
  probes: readonly Probe[],
  now: Date,
): Outcome | undefined {
  if (probes.length === 0) return undefined;
  return {
    sessionId,
    probes: [...probes],
    checks: [],
    value: null,
    reason: null,
    dueAt: new Date(now.getTime() + (CHECKS_AFTER_MS[0] ?? 0)),
    expireAt,
    createdAt: now,
  };
}
