// The causes and the evidence of two sessions side by side. Pure.

import { causeWords } from '../../../../shared/evidence/causeWords.ts';
import type { Claims } from '../../../../shared/lists/apiTypes.ts';

/** A cause or a piece of evidence, with its state in each session: null where it was not stated. */
export interface ComparedClaim {
  /** Component and mechanism, or the quote. */
  text: string;
  isEvidence: boolean;
  states: readonly [string | null, string | null];
}

/** Statements of a session by their text: causes and rivals first, evidence below. */
function indexStatements({
  hypotheses,
  evidence,
}: Claims): Map<string, Omit<ComparedClaim, 'states'> & { state: string }> {
  const causes = hypotheses.map(({ id, text, component, mechanism, cause }) => ({
    text: causeWords({ component, mechanism }) || (text ?? id),
    isEvidence: false,
    state: cause ? 'cause' : 'hypothesis',
  }));
  const quotes = evidence.map(({ side, quote, pointer, value, state }) => ({
    text: `${side}: ${quote ?? `${pointer ?? ''} = ${value ?? ''}`}`,
    isEvidence: true,
    state,
  }));
  return new Map([...causes, ...quotes].map((one) => [`${one.isEvidence} ${one.text}`, one]));
}

/** Statements of both: causes, then evidence; the first session's before the second's. */
export function compareClaims(one: Claims, other: Claims): ComparedClaim[] {
  const [a, b] = [indexStatements(one), indexStatements(other)];
  const all = new Map([...b, ...a]);
  const keys = [...new Set([...a.keys(), ...b.keys()])];
  return keys
    .flatMap((key): ComparedClaim[] => {
      const claim = all.get(key);
      if (claim === undefined) return [];
      const { text, isEvidence } = claim;
      return [{ text, isEvidence, states: [a.get(key)?.state ?? null, b.get(key)?.state ?? null] }];
    })
    .sort((x, y) => Number(x.isEvidence) - Number(y.isEvidence));
}
