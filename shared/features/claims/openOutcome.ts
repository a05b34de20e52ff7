// The document that lets the sweep look after the end of a session whether its problem is over. Pure.

import type { Session } from '../../core/schema/session.ts';
import { CHECKS_AFTER_MS, type Outcome, type Probe } from '../../kits/alerts/outcome.ts';

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
