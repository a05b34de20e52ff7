// The verdict of a session: a pure table over facts of the results. The first row that matches decides.

import { CHANGES } from '../text/mechanisms.ts';
import type { EvidenceState } from './match.ts';
import type { Mechanism } from './schema/mechanism.ts';
import type { Verdict } from './schema/verdict.ts';

/** The version of the table. Verdicts are compared within one version only. */
export const TABLE_VERSION = 2;

/** The rows, in the order in which they are tried. */
type Rule =
  | 'not_checked'
  | 'blocked'
  | 'never_true'
  | 'no_cause'
  | 'contradicted'
  | 'contrasted'
  | 'change'
  | 'state'
  | 'texts'
  | 'unsupported';

/** Reasons that cap a verdict to `likely`. */
type Cap = 'forced_conclusion' | 'server_missing' | 'tool_changed' | 'masked_quote' | 'contrast_off';

/** A hypothesis of the ledger. */
export interface CheckedHypothesis {
  id: string;
  /** A canonical resource. */
  component?: string;
  mechanism?: Mechanism;
  /** Whether the results have a record of its component, or a held text names it. */
  isSeen: boolean;
  /** How many the results have of: change, symptom after it, healthy pod of another revision. */
  changeThings: number;
  /** Whether a contrasted state of another mechanism remains that no effect or cause explains. */
  isContradicted: boolean;
}

/** Evidence after the search in the stored results. */
export interface CheckedEvidence {
  id: string;
  hypothesis: string;
  /** Whether it speaks for or against the hypothesis. */
  side: 'for' | 'against';
  state: EvidenceState;
  /**
   * The kind of its result. `alert`: the alert's body; `error`: a tool's error; `person`: a person's words.
   */
  yields: 'state' | 'text' | 'change' | 'alert' | 'error' | 'person';
  /**
   * How it is evidence of the mechanism of the hypothesis: a `state`, where a record of its component matches
   * a row and has the quote in a field that only a control plane writes; a `text` with words of the
   * mechanism; else `nothing`.
   */
  speaks: 'state' | 'text' | 'nothing';
  /** Whether its row matches elsewhere or earlier: `shown` if not, `usual` if so, `open` if unknown. */
  contrast: 'shown' | 'usual' | 'open';
  /** Whether it cites a change of the hypothesis, or a state of its component that can be an effect. */
  isOfChange: boolean;
  /** `server.tool`, and who wrote the text. Of two independent texts both differ. */
  tool: string;
  writer: string;
  /** Whether the result failed after all, or is not trusted: it can only contradict. */
  isFailed: boolean;
  /** Whether the quote holds the mark of a masked secret. */
  isMasked: boolean;
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
  /** Distinct calls of servers' tools; those without an answer were not refused for their arguments. */
  calls: { distinct: number; unanswered: number };
  /** The second reading of the alert's condition; absent unless the conclusion is that all is well. */
  allClear?: 'never_true' | 'recovered' | 'true_now' | 'incomplete';
  /** Whether the conclusion was forced or cut. */
  isForced: boolean;
  /** Whether a missing server would have answered a support. */
  isServerMissing: boolean;
  /** Whether a state of the first mechanism can be the effect or the cause of one of the second. */
  isLinked(one: Mechanism | undefined, other: Mechanism | undefined): boolean;
  /** Whether the chain makes no calls for contrast. */
  isContrastOff: boolean;
}

/** A verdict with its reasons. */
export interface Judgement {
  /** Absent where nothing was checked. */
  verdict?: Verdict;
  rule: Rule;
  /** The reasons for which it is `likely` and not `confirmed`. */
  caps: readonly Cap[];
  /** The cause with this verdict. Absent where no cause was judged. */
  cause?: string;
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
  const { isChecked, evidence, cause, calls, allClear, hypotheses } = facts;
  const recovered = allClear === 'recovered' ? { isRecovered: true as const } : {};
  if (!isChecked) return { rule: 'not_checked', caps: [] };
  const isBlocked = calls.distinct > 0 && calls.unanswered * 2 >= calls.distinct;
  if (isBlocked && !evidence.some(({ state, isFailed }) => state === 'held' && !isFailed)) {
    return { verdict: 'blocked', rule: 'blocked', caps: [] };
  }
  // A support that is no longer held must not clear the alert: every state that was named counts here.
  const hasState = evidence.some(({ side, yields }) => side === 'for' && yields === 'state');
  if (allClear === 'never_true' && cause.length === 0 && !hasState && !isBlocked) {
    return { verdict: 'not_an_incident', rule: 'never_true', caps: [] };
  }
  const causes = cause.flatMap((id) => hypotheses.filter((hypothesis) => hypothesis.id === id));
  if (causes.length === 0 || causes.length < cause.length || causes.some(({ isSeen }) => !isSeen)) {
    return { verdict: 'inconclusive', rule: 'no_cause', caps: [], ...recovered };
  }
  const judged = causes.map((one) => ({ ...judgeCause(one, facts), cause: one.id }));
  return {
    ...judged.reduce((lowest, next) => (rankJudgement(next) < rankJudgement(lowest) ? next : lowest)),
    ...recovered,
  };
}

const rankJudgement = ({ verdict }: Judgement): number =>
  verdict === undefined || verdict === 'not_an_incident' ? -1 : VERDICT_RANK[verdict];

function judgeCause(cause: CheckedHypothesis, facts: VerdictFacts): Judgement {
  if (isContradicted(cause, facts)) return { verdict: 'inconclusive', rule: 'contradicted', caps: [] };
  const held = facts.evidence.filter(
    ({ hypothesis, side, state, isFailed }) =>
      hypothesis === cause.id && side === 'for' && state === 'held' && !isFailed,
  );
  const changeThings = held.some(({ isOfChange }) => isOfChange) ? cause.changeThings : 0;
  const states = held.filter(({ speaks, contrast }) => speaks === 'state' && contrast !== 'usual');
  const contrasted = states.filter(({ contrast }) => contrast === 'shown' && !CHANGES.has(cause.mechanism));
  if (contrasted.length > 0 || changeThings === 3) {
    const rule = contrasted.length > 0 ? ('contrasted' as const) : ('change' as const);
    const caps = listVerdictCaps(contrasted, facts);
    return { verdict: caps.length === 0 ? 'confirmed' : 'likely', rule, caps };
  }
  const caps = facts.isContrastOff && states.length > 0 ? (['contrast_off'] as const) : [];
  if (states.length > 0) return { verdict: 'likely', rule: 'state', caps };
  if (changeThings === 2) return { verdict: 'likely', rule: 'change', caps };
  return areIndependent(held)
    ? { verdict: 'likely', rule: 'texts', caps }
    : { verdict: 'inconclusive', rule: 'unsupported', caps };
}

/**
 * Whether held evidence, a contrasted state that code found, or a contrasted state of another hypothesis
 * speaks against a cause. Marks of a result do not weaken a contradiction.
 */
function isContradicted(cause: CheckedHypothesis, { hypotheses, evidence, ...facts }: VerdictFacts): boolean {
  const others = hypotheses.filter(
    ({ id, component, mechanism }) =>
      id !== cause.id &&
      !facts.cause.includes(id) &&
      !(component === cause.component && mechanism === cause.mechanism) &&
      !facts.isLinked(cause.mechanism, mechanism),
  );
  return (
    cause.isContradicted ||
    evidence.some(({ hypothesis, side, state, speaks, contrast }) => {
      if (state !== 'held') return false;
      if (side === 'against') return hypothesis === cause.id;
      const isOther = others.some(({ id }) => id === hypothesis);
      return isOther && speaks === 'state' && contrast === 'shown';
    })
  );
}

/** @param contrasted the supports that confirm; empty where a change does. */
function listVerdictCaps(contrasted: readonly CheckedEvidence[], facts: VerdictFacts): Cap[] {
  const isNeeded = (isMarked: (one: CheckedEvidence) => boolean): boolean =>
    contrasted.length > 0 && contrasted.every(isMarked);
  const caps: [Cap, boolean][] = [
    ['forced_conclusion', facts.isForced],
    ['server_missing', facts.isServerMissing],
    ['tool_changed', isNeeded(({ isToolChanged }) => isToolChanged)],
    ['masked_quote', isNeeded(({ isMasked }) => isMasked)],
    ['contrast_off', facts.isContrastOff],
  ];
  return caps.filter(([, applies]) => applies).map(([cap]) => cap);
}

/** Whether two texts come from different tools and different writers. */
function areIndependent(held: readonly CheckedEvidence[]): boolean {
  const texts = held.filter(({ speaks }) => speaks === 'text');
  return texts.some((one) => texts.some((other) => one.tool !== other.tool && one.writer !== other.writer));
}
