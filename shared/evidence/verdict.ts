// The verdict of a session: a pure table over the checked ledger. The first rule that matches decides.

import type { Mechanism } from '../schema/features/mechanism.ts';
import type { Verdict } from '../schema/verdict.ts';
import type { EvidenceState } from './match.ts';
import { countIndependent, type Observation } from './observation.ts';

/** The rules, in the order in which they are tried. */
type Rule = 'R0' | 'R1' | 'R2' | 'R3' | 'R4' | 'R5' | 'R7' | 'R8';

/** Reasons that cap a verdict to `likely`. */
type Cap = 'forced_conclusion' | 'server_missing' | 'tool_changed' | 'masked_quote' | 'text_only';

/** A hypothesis of the ledger. */
interface CheckedHypothesis {
  id: string;
  /** A canonical resource. */
  component?: string;
  mechanism?: Mechanism;
}

/** Evidence after the search in the stored results. */
export interface CheckedEvidence {
  id: string;
  hypothesis: string;
  /** Whether it speaks for or against the hypothesis. */
  side: 'for' | 'against';
  state: EvidenceState;
  /** The kind of its result. `error`: the text of a tool's error; `alert`: the alert's body. */
  yields: 'state' | 'text' | 'change' | 'alert' | 'error';
  observation: Observation;
  /** Whether its line proves the mechanism of the hypothesis. */
  isDecisive: boolean;
  /** Whether the result failed after all. It supports nothing; it still speaks against. */
  isFailed: boolean;
  /** Whether the quote holds the mark of a masked secret. */
  isMasked: boolean;
  /** Whether the result is not trusted to be a state. */
  isUntrusted: boolean;
  /** Whether the tool was changed during the session. */
  isToolChanged: boolean;
}

/** Everything that the table decides by. */
export interface VerdictFacts {
  /** Whether the ledger is on and the claims could be read. */
  isChecked: boolean;
  hypotheses: readonly CheckedHypothesis[];
  evidence: readonly CheckedEvidence[];
  /** The hypotheses that the analysis names as cause. */
  cause: readonly string[];
  /** Whether the analysis names the component of each cause. */
  isComponentNamed: boolean;
  /** Distinct calls of servers' tools; those without an answer were not refused for their arguments. */
  calls: { distinct: number; unanswered: number };
  /** The result of a second reading of the alert's own condition; absent where the conclusion does not state that all is well. */
  allClear?: 'never_true' | 'recovered' | 'true_now' | 'incomplete';
  /** Whether the symptom was read again and holds. */
  isSymptomHeld: boolean;
  /** Whether the conclusion was forced or cut. */
  isForced: boolean;
  /** Whether a missing server would have answered a support. */
  isServerMissing: boolean;
}

/** A verdict with its reasons. */
export interface Judgement {
  /** Absent where nothing was checked. */
  verdict?: Verdict;
  rule: Rule;
  /** The reasons for which it is `likely` and not `confirmed`. */
  caps: readonly Cap[];
  /** Set where the alert's condition was true and is not any more. */
  isRecovered?: true;
}

/** The rank of a verdict in the order of trust; `not_an_incident` is not in it. */
export const VERDICT_RANK: Record<Exclude<Verdict, 'not_an_incident'>, number> = {
  confirmed: 2,
  likely: 1,
  inconclusive: 0,
  blocked: 0,
};

/** The verdict of a session. Of several causes the lowest verdict counts. */
export function judgeSession(facts: VerdictFacts): Judgement {
  const { isChecked, evidence, cause, calls, allClear, isComponentNamed } = facts;
  const recovered = allClear === 'recovered' ? { isRecovered: true as const } : {};
  if (!isChecked) return { rule: 'R0', caps: [] };
  const isBlocked = calls.distinct > 0 && calls.unanswered * 2 >= calls.distinct;
  if (isBlocked && !evidence.some(({ state, isFailed }) => state === 'held' && !isFailed)) {
    return { verdict: 'blocked', rule: 'R1', caps: [] };
  }
  // A support that is no longer held must not clear the alert: every support that was named counts here.
  const hasState = evidence.some(({ side, yields }) => side === 'for' && yields === 'state');
  if (allClear === 'never_true' && cause.length === 0 && !hasState && !isBlocked) {
    return { verdict: 'not_an_incident', rule: 'R2', caps: [] };
  }
  const causes = cause.flatMap((id) => facts.hypotheses.filter((hypothesis) => hypothesis.id === id));
  if (causes.length === 0 || causes.length < cause.length || !isComponentNamed) {
    return { verdict: 'inconclusive', rule: 'R3', caps: [], ...recovered };
  }
  const judged = causes.map((one) => judgeCause(one, facts));
  return {
    ...judged.reduce((lowest, next) => (rankOf(next) < rankOf(lowest) ? next : lowest)),
    ...recovered,
  };
}

const rankOf = ({ verdict }: Judgement): number =>
  verdict === undefined || verdict === 'not_an_incident' ? -1 : VERDICT_RANK[verdict];

function judgeCause(cause: CheckedHypothesis, facts: VerdictFacts): Judgement {
  const supports = supportsOf(cause, facts);
  const rivals = rivalsOf(cause, facts);
  const open = rivals.filter((rival) => !isRefuted(rival, facts));
  const count = independentSupports(supports);
  if (isContradicted(cause, facts) || open.some((rival) => rivalSupports(rival, facts) >= count)) {
    return { verdict: 'inconclusive', rule: 'R4', caps: [] };
  }
  if (open.length === 0 && isConfirmed(supports, facts)) {
    const caps = capsOf(supports, facts);
    return { verdict: caps.length === 0 ? 'confirmed' : 'likely', rule: 'R5', caps };
  }
  return isLikely(supports)
    ? { verdict: 'likely', rule: 'R7', caps: isTextOnly(supports) ? ['text_only'] : [] }
    : { verdict: 'inconclusive', rule: 'R8', caps: [] };
}

/** Held evidence for a hypothesis whose result did not fail. */
function supportsOf({ id }: CheckedHypothesis, { evidence }: VerdictFacts): CheckedEvidence[] {
  return evidence.filter(
    ({ hypothesis, side, state, isFailed }) =>
      hypothesis === id && side === 'for' && state === 'held' && !isFailed,
  );
}

const kindOf = ({ yields, isUntrusted }: CheckedEvidence): CheckedEvidence['yields'] =>
  yields === 'state' && isUntrusted ? 'text' : yields;

const ofKind = (supports: readonly CheckedEvidence[], kind: CheckedEvidence['yields']): CheckedEvidence[] =>
  supports.filter((support) => kindOf(support) === kind);

/** The alert is no observation of a call. */
function independentSupports(supports: readonly CheckedEvidence[]): number {
  return countIndependent(
    supports.filter(({ yields }) => yields !== 'alert').map(({ observation }) => observation),
  );
}

/** The independent supports of a rival. A result that failed or is not trusted still speaks against the cause. */
function rivalSupports({ id }: CheckedHypothesis, { evidence }: VerdictFacts): number {
  const supports = evidence.filter(
    ({ hypothesis, side, state }) => hypothesis === id && side === 'for' && state === 'held',
  );
  return Math.max(1, independentSupports(supports));
}

/** The hypotheses with a held support that are no cause. */
function rivalsOf(cause: CheckedHypothesis, facts: VerdictFacts): CheckedHypothesis[] {
  const { hypotheses, evidence } = facts;
  return hypotheses.filter(({ id, component, mechanism }) => {
    if (id === cause.id || facts.cause.includes(id)) return false;
    if (component === cause.component && mechanism === cause.mechanism) return false;
    return evidence.some(
      ({ hypothesis, side, state }) => hypothesis === id && side === 'for' && state === 'held',
    );
  });
}

/** Whether a rival is refuted by a trusted state against it. */
function isRefuted({ id }: CheckedHypothesis, { evidence }: VerdictFacts): boolean {
  return evidence.some(
    (one) =>
      one.hypothesis === id &&
      one.side === 'against' &&
      one.state === 'held' &&
      kindOf(one) === 'state' &&
      !one.isFailed &&
      !one.isMasked &&
      !one.isToolChanged,
  );
}

/** Whether evidence stands against a cause. Marks of a result do not weaken it. */
function isContradicted({ id }: CheckedHypothesis, { evidence }: VerdictFacts): boolean {
  return evidence.some(
    ({ hypothesis, side, state }) => hypothesis === id && side === 'against' && state === 'held',
  );
}

/** R5 */
const isConfirmed = (supports: readonly CheckedEvidence[], { isSymptomHeld }: VerdictFacts): boolean =>
  isSymptomHeld && ofKind(supports, 'state').some(({ isDecisive }) => isDecisive);

function capsOf(supports: readonly CheckedEvidence[], facts: VerdictFacts): Cap[] {
  /** Whether the cause is confirmed without some of its supports. */
  const holdsWithout = (isLeftOut: (support: CheckedEvidence) => boolean): boolean =>
    isConfirmed(
      supports.filter((support) => !isLeftOut(support)),
      facts,
    );
  const caps: [Cap, boolean][] = [
    ['forced_conclusion', facts.isForced],
    ['server_missing', facts.isServerMissing],
    ['tool_changed', !holdsWithout(({ isToolChanged }) => isToolChanged)],
    ['masked_quote', !holdsWithout(({ isMasked }) => isMasked)],
  ];
  return caps.filter(([, applies]) => applies).map(([cap]) => cap);
}

/** R7: one state, or two independent texts, or the alert and a text. An error counts as a text that needs a second support. */
function isLikely(supports: readonly CheckedEvidence[]): boolean {
  if (ofKind(supports, 'state').length > 0) return true;
  const texts = ofKind(supports, 'text');
  const all = [...texts, ...ofKind(supports, 'error')];
  if (texts.length > 0 && independentSupports(all) >= 2) return true;
  return texts.length > 0 && ofKind(supports, 'alert').length > 0;
}

const isTextOnly = (supports: readonly CheckedEvidence[]): boolean => ofKind(supports, 'state').length === 0;
