// The resources and times that evidence of a session can be about. Pure.

import { DEFAULT_LOOKBACK_MS } from '../../schema/agent.ts';
import type { Session } from '../../schema/session.ts';
import { isSameResource, parseResource } from '../../text/resource.ts';

/** The scope of evidence. */
export interface EvidenceScope {
  /** Milliseconds since 1970, both included. Absent: times are not checked. */
  window?: { from: number; to: number };
  /** The resources that a component is declared to depend on. */
  dependenciesOf(component: string): readonly string[];
}

/** Checks no times, and knows no dependencies. */
export const NO_SCOPE: EvidenceScope = { dependenciesOf: () => [] };

/** The scope of a session. @param until the latest time of its evidence. */
export function scopeOf(session: Session, until: Date): EvidenceScope {
  const { alert, chain, createdAt, dependencies } = session;
  const start = (alert?.startedAt ?? createdAt).getTime();
  return {
    window: { from: start - (chain.lookbackMs ?? DEFAULT_LOOKBACK_MS), to: until.getTime() },
    dependenciesOf: (component) => declaredFor(component, dependencies),
  };
}

/** The resources that a component depends on. A part of its name that is not known matches any. */
function declaredFor(component: string, declared: Session['dependencies']): string[] {
  if (declared.length === 0) return [];
  const named = parseResource(component);
  const own = declared.filter(
    ({ of }) => of === component || (named !== undefined && isSameResource(named, parseResource(of))),
  );
  return [...new Set(own.flatMap(({ on }) => on))];
}
