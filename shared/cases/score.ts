// Scores runs against the truth, and sums them up by model and arm. Pure.

import { readSessionAlert } from '../alerts/schema/alert.ts';
import { readPart } from '../core/schema/parts.ts';
import { type Interval, wilson } from '../evidence/calibration.ts';
import { verdictPart } from '../evidence/schema/verdict.ts';
import { statesCondition } from '../evidence/symptom.ts';
import type { Judgement } from '../kits/judge/judgement.ts';
import type { Cause, Truth } from './caseFile.ts';
import { ARMS, type Arm } from './caseTools.ts';
import type { CaseRun } from './runCase.ts';

/** A piece of evidence that an agent stated, for readers of a report. */
interface StatedEvidence {
  quote: string;
  side: string;
  state: string;
}

/** The score of a run, as a report stores it. Shares are from 0 to 1. */
export interface Score {
  model: string;
  case: string;
  arm: Arm;
  repeat: number;
  verdict: string | null;
  causes: { component: string | null; mechanism: string | null }[];
  /**
   * Whether exactly the true causes are named. Without a true cause, as in the arm `healthy`: whether none is
   * named and, where the alert states its condition, the verdict is `not_an_incident`.
   */
  right: boolean;
  /** Whether it is right, with all gold evidence; without gold, with all of at least one stated item. */
  grounded: boolean;
  /** Share of the gold evidence that is held; null without any. */
  coverage: number | null;
  /** Share of the stated evidence that is held; null without any. */
  precision: number | null;
  falseConfirmed: boolean;
  /** Whether no cause is named. */
  abstained: boolean;
  calls: number;
  unrecorded: number;
  tokens: number;
  /** US dollars, at the standard price if a tier's is unknown; null if the price of a call is unknown. */
  usd: number | null;
  /** Seconds that models took for the answers, when these were paid for. */
  seconds: number;
  evidence: StatedEvidence[];
  /** Its calls as `tool arguments`, and whether the case had an answer. Absent in older scores. */
  made?: { call: string; isRecorded: boolean }[];
  /** The lines that prove the cause, and whether it quoted them. Absent in scores of older versions. */
  gold?: { line: string; isHeld: boolean }[];
  analysis: string;
  /** The opinion of a judge model. No other field depends on it. */
  judgement?: Judgement;
}

/** Above this share of unrecorded calls a run is not scored. */
const MAX_UNRECORDED = 0.2;
/** Fewer cases give no ranking. */
export const MIN_RANKED = 30;

/** Scores a run. */
export function scoreRun(
  run: CaseRun,
  truth: Truth,
  of: Pick<Score, 'model' | 'case' | 'arm' | 'repeat'>,
  paid: Pick<Score, 'seconds' | 'usd'>,
): Score {
  const { session, claims } = run;
  const causes = readPart(verdictPart, session)?.causes ?? [];
  const verdict = readPart(verdictPart, session)?.value ?? null;
  const expected = of.arm === 'healthy' ? [] : truth.causes;
  const right = isSameSet(causes, expected) && (expected.length > 0 || verdict === clearVerdict(session));
  const stated = claims.executions
    .filter(({ kind }) => kind === 'agent')
    .flatMap(({ ledger, matches }) =>
      [...ledger.evidence.values()].map(({ id, quote, value, side }) => ({
        quote: quote ?? value ?? '',
        side,
        state: matches.get(id)?.state ?? 'absent',
      })),
    );
  const held = stated.filter(({ state }) => state === 'held');
  const gold = truth.evidence.filter((line) => held.some(({ quote }) => isPart(quote, line)));
  const coverage = truth.evidence.length === 0 ? null : gold.length / truth.evidence.length;
  // An invented line beside true ones proves nothing.
  const isProved = held.length > 0 && held.length === stated.length && (coverage ?? 1) === 1;
  return {
    ...of,
    verdict,
    causes,
    right,
    grounded: right && isProved,
    coverage,
    precision: stated.length === 0 ? null : held.length / stated.length,
    falseConfirmed: verdict === 'confirmed' && !right,
    abstained: causes.length === 0,
    calls: run.calls,
    unrecorded: run.unrecorded.length,
    tokens: session.tokens.total,
    ...paid,
    evidence: stated,
    made: (run.log ?? []).map((call) => ({ call, isRecorded: !run.unrecorded.includes(call) })),
    gold: truth.evidence.map((line) => ({ line, isHeld: gold.includes(line) })),
    analysis: session.finalAnalysis ?? '',
  };
}

/** The verdict of a session without incident. Only the alert's condition, read again, can prove it. */
function clearVerdict(session: CaseRun['session']): string {
  const { input } = session;
  const alert = readSessionAlert(session);
  const urls = [alert?.url, ...(alert?.links ?? []).map(({ url }) => url)].flatMap((url) => url ?? []);
  return statesCondition({ urls, text: input ?? '' }) ? 'not_an_incident' : 'inconclusive';
}

const squash = (text: string): string => text.replace(/\s+/g, ' ').trim().toLowerCase();

/** A quote proves a line if one is part of the other, and it is no single word of it. */
function isPart(quote: string, line: string): boolean {
  const [short, long] = [squash(quote), squash(line)].toSorted((a, b) => a.length - b.length);
  return (short?.length ?? 0) >= 8 && (long ?? '').includes(short ?? '');
}

/** Whether exactly the true causes are named. A true name without colon also matches a resource of it. */
function isSameSet(named: Score['causes'], expected: readonly Cause[]): boolean {
  const isNamed = (cause: Cause, { component, mechanism }: Score['causes'][number]) =>
    mechanism === cause.mechanism &&
    [cause.component, ...(cause.also ?? [])].some((name) => {
      const [own, other] = [squash(component ?? ''), squash(name)];
      return own === other || (!other.includes(':') && own.endsWith(`/${other}`));
    });
  return (
    expected.every((cause) => named.some((one) => isNamed(cause, one))) &&
    named.every((one) => expected.some((cause) => isNamed(cause, one)))
  );
}

/**
 * The score of an answer as a share: right, with all of the gold evidence, and with stated evidence that is
 * all held. An answer that states no evidence proves nothing.
 */
export const answerScore = ({ right, coverage, precision }: Score): number =>
  right ? (coverage ?? 1) * (precision ?? 0) : 0;

/** The sum of a model in an arm. */
export interface Row {
  model: string;
  arm: Arm;
  /** Cases that were scored, and those that were not because too many calls were not recorded. */
  cases: number;
  notScored: number;
  right: Interval;
  grounded: Interval;
  falseConfirmed: Interval;
  abstained: Interval;
  /** Null without gold evidence. */
  coverage: number | null;
  precision: number | null;
  /** Share of right, proved answers minus twice false confirmed; in `withheld`, `likely` counts half. */
  score: number;
  unrecorded: number;
  calls: number;
  tokens: number;
  usd: number | null;
  seconds: number;
}

/** A difference between two models over the same cases. */
export interface Comparison {
  one: string;
  other: string;
  /** Cases in which both were scored. */
  cases: number;
  /** The interval has no width where all cases differ equally. Null below two cases: no spread. */
  score: Interval | null;
}

const mean = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;

/** The score of a run: of its answer minus twice false confirmed. Without evidence a cause is a guess. */
function computeRunPoints(run: Score): number {
  const { arm, right, falseConfirmed, verdict, abstained } = run;
  if (arm === 'withheld') return verdict === 'confirmed' ? -2 : verdict === 'likely' && !abstained ? 0.5 : 1;
  // In a healthy system there is nothing to prove.
  return (arm === 'healthy' ? Number(right) : answerScore(run)) - (falseConfirmed ? 2 : 0);
}

/** Sums up all runs; repeats of a case are averaged first, because the unit is the case. */
export function summarizeScores(scores: readonly Score[]): { rows: Row[]; comparisons: Comparison[] } {
  const models = [...new Set(scores.map(({ model }) => model))];
  const rows = models.flatMap((model) =>
    ARMS.flatMap((arm) => {
      const own = scores.filter((one) => one.model === model && one.arm === arm);
      return own.length === 0 ? [] : [summarizeArm(model, arm, own)];
    }),
  );
  const points = (model: string) => byCase(scores.filter((one) => one.model === model && one.arm === 'base'));
  const comparisons = models.flatMap((one, index) =>
    models.slice(index + 1).map((other) => {
      const [a, b] = [points(one), points(other)];
      const shared = [...a.keys()].filter((name) => b.has(name));
      const of = (runs: Map<string, Score[]>) =>
        shared.map((name) => mean((runs.get(name) ?? []).map(computeRunPoints)));
      const score = shared.length < 2 ? null : pairedDifference(of(a), of(b));
      return { one, other, cases: shared.length, score };
    }),
  );
  return { rows, comparisons };
}

function byCase(scores: readonly Score[]): Map<string, Score[]> {
  return Map.groupBy(scores.filter(isScored), (one) => one.case);
}

const isScored = ({ calls, unrecorded }: Score): boolean =>
  calls === 0 || unrecorded / calls <= MAX_UNRECORDED;

function summarizeArm(model: string, arm: Arm, own: readonly Score[]): Row {
  const cases = [...byCase(own).values()];
  const share = (read: (score: Score) => boolean): Interval =>
    wilson(
      cases.reduce((sum, runs) => sum + mean(runs.map((run) => Number(read(run)))), 0),
      cases.length,
    );
  const average = (read: (score: Score) => number) => mean(cases.map((runs) => mean(runs.map(read))));
  const known = (read: (score: Score) => number | null): number | null => {
    const means = cases
      .map((runs) => runs.flatMap((run) => read(run) ?? []))
      .filter(({ length }) => length > 0);
    return means.length === 0 ? null : mean(means.map(mean));
  };
  const prices = own.map(({ usd }) => usd);
  return {
    model,
    arm,
    cases: cases.length,
    notScored: new Set(own.map((one) => one.case)).size - cases.length,
    right: share(({ right }) => right),
    grounded: share(({ grounded }) => grounded),
    falseConfirmed: share(({ falseConfirmed }) => falseConfirmed),
    abstained: share(({ abstained }) => abstained),
    coverage: known(({ coverage }) => coverage),
    precision: known(({ precision }) => precision),
    score: average(computeRunPoints),
    unrecorded: mean(own.map(({ calls, unrecorded }) => (calls === 0 ? 0 : unrecorded / calls))),
    calls: average(({ calls }) => calls),
    tokens: average(({ tokens }) => tokens),
    usd: prices.includes(null) ? null : prices.reduce<number>((sum, one) => sum + (one ?? 0), 0),
    seconds: average(({ seconds }) => seconds),
  };
}

/** Resamples of a bootstrap. */
const RESAMPLES = 2_000;

/** The mean difference of paired values with a bootstrap over the pairs, the same every time. @internal */
export function pairedDifference(one: readonly number[], other: readonly number[]): Interval {
  const differences = one.map((value, index) => value - (other[index] ?? 0));
  const n = differences.length;
  const random = lehmerGenerator(n);
  const means = Array.from({ length: RESAMPLES }, () =>
    mean(differences.map(() => differences[Math.floor(random() * n)] ?? 0)),
  ).sort((a, b) => a - b);
  const at = (share: number) => means[Math.floor(share * (RESAMPLES - 1))] ?? 0;
  return { value: mean(differences), low: at(0.025), high: at(0.975) };
}

/** A small generator: a report must come out the same twice. */
function lehmerGenerator(seed: number): () => number {
  let state = (seed * 48_271 + 11) % 2_147_483_647;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}
