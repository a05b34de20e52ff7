// The times that evidence of a session can have. Pure.

import { readSessionAlert } from '../../alerts/schema/alert.ts';
import { DEFAULT_LOOKBACK_MS } from '../../core/schema/agent.ts';
import type { Session } from '../../core/schema/session.ts';

/** Milliseconds since 1970, both included. */
export interface EvidenceWindow {
  from: number;
  to: number;
}

/** The window of a session. @param until the latest time of its evidence. */
export function evidenceWindow(session: Session, until: Date): EvidenceWindow {
  const { chain, createdAt } = session;
  const start = (readSessionAlert(session)?.startedAt ?? createdAt).getTime();
  return { from: start - (chain.lookbackMs ?? DEFAULT_LOOKBACK_MS), to: until.getTime() };
}
