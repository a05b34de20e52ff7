// The calls for contrast of a session, by the evidence for the hypotheses that its agents conclude. Pure.

import type { Session } from '../../core/schema/session.ts';
import { contrastCalls } from '../../evidence/contrast.ts';
import type { ContrastCall } from '../../evidence/schema/contrast.ts';
import { mergeHypotheses } from '../../kits/claims/mergeHypotheses.ts';
import type { ReadClaims } from '../../kits/claims/readClaims.ts';
import { verdictFacts } from '../../kits/claims/verdictFacts.ts';

/** The calls, in the order in which they are made; none without a marked cause. */
export function contrastsToAsk(session: Session, read: ReadClaims): readonly ContrastCall[] {
  const { evidence, scope } = verdictFacts(session, read);
  const causes = new Set(
    mergeHypotheses(read.executions).all.flatMap(({ id, cause }) => (cause ? [id] : [])),
  );
  const supports = evidence.flatMap(({ id, hypothesis, side, state, cited }) =>
    cited !== undefined && causes.has(hypothesis) && side === 'for' && state === 'held'
      ? [{ ...cited.state, id }]
      : [],
  );
  return contrastCalls(
    supports.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    scope,
  );
}
