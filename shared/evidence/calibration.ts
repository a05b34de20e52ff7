// How often analyses were right by people's reviews and by outcomes: by chain, models and verdict.

import { type CountRow, OTHER_KEYS } from './countRow.ts';

/** A value with its interval of 95 %. */
export interface Interval {
  value: number;
  low: number;
  high: number;
}

const Z = 1.959964;

/** Wilson's interval of a share. @param hits can be a sum of averages between 0 and 1. */
export function wilson(hits: number, n: number): Interval {
  if (n === 0) return { value: 0, low: 0, high: 1 };
  const p = hits / n;
  const middle = p + (Z * Z) / (2 * n);
  const half = Z * Math.sqrt((p * (1 - p)) / n + (Z * Z) / (4 * n * n));
  const scale = 1 + (Z * Z) / n;
  return { value: p, low: Math.max(0, (middle - half) / scale), high: Math.min(1, (middle + half) / scale) };
}

/** A percentage of fewer reviewed sessions would promise more than it knows. */
export const MIN_LABELS = 50;

/** The facts of a session that are counted. */
export interface ReviewedSession {
  chain: string | null;
  /** Models of its calls, in the order of their names. */
  models: readonly string[];
  /** `confirmed`, `likely`, ...; null where its claims were not checked. */
  verdict: string | null;
  /** The number of people who gave each rating. */
  right: number;
  partly: number;
  wrong: number;
  /** Whether its problem ended; null where it was not checked. */
  outcome: string | null;
  /** What a judge model made of it, and when; null without a score. */
  score: { total: number; rubric: number; model: string; at: string } | null;
}

/** The scores of a week by one judge. */
export interface ScoreTrend {
  /** Its Monday (UTC), `2026-11-30`. */
  week: string;
  judge: string;
  /** The version of the criteria. */
  rubric: number;
  sessions: number;
  /** The mean of the points, 0 to 100. */
  mean: number;
}

/** The sessions of a chain with the same models and verdict that have a review or an outcome. */
export interface CalibrationRow {
  chain: string | null;
  models: string[];
  verdict: string | null;
  /** Sessions with reviews. */
  sessions: number;
  /** Sessions that all reviewers rated so. */
  right: number;
  partly: number;
  wrong: number;
  /** Sessions with different ratings. They count as not right. */
  disputed: number;
  /** The share of right sessions, 0 to 1, with an interval of 95 %; null below 50 sessions. */
  share: Interval | null;
  /** Number of sessions of each outcome, `unknown` among them. */
  outcomes: Record<string, number>;
  /**
   * The share of sessions whose problem ended after the action that the analysis named, of those with another
   * outcome than `unknown` and `self_resolved`, with an interval of 95 %; null below 50 of them.
   */
  held: Interval | null;
}

/** A session with a review or an outcome, counted by chain, models and verdict; else nothing. */
export function countReview(session: ReviewedSession): CountRow[] {
  const { chain, models, verdict, outcome } = session;
  const label = labelReviewedSession(session);
  if (label === undefined && outcome === null) return [];
  const sums = {
    ...(label !== undefined && { sessions: 1, [label]: 1 }),
    ...(outcome !== null && { [OUTCOME + outcome]: 1 }),
  };
  return [{ key: JSON.stringify([chain, models, verdict]), sums }];
}

/** A session with a score, counted by week, judge and criteria; else nothing. */
export function countScore({ score }: ReviewedSession): CountRow[] {
  if (score === null) return [];
  const { at, model, rubric, total } = score;
  return [{ key: JSON.stringify([startOfWeek(at), model, rubric]), sums: { sessions: 1, total } }];
}

/** The mean score of each week, the oldest first. Scores of other criteria or models are no trend. */
export function computeScoreTrend(counted: readonly CountRow[]): ScoreTrend[] {
  return counted
    .toSorted((one, other) => (one.key < other.key ? -1 : 1))
    .flatMap(({ key, sums: { sessions = 0, total = 0 } }) => {
      if (key === OTHER_KEYS || sessions === 0) return [];
      const [week, judge, rubric] = JSON.parse(key) as [string, string, number];
      return [{ week, judge, rubric, sessions, mean: Math.round((total / sessions) * 10) / 10 }];
    });
}

const DAY_MS = 86_400_000;

function startOfWeek(at: string): string {
  const time = new Date(at);
  const daysSinceMonday = (time.getUTCDay() + 6) % 7;
  return new Date(time.getTime() - daysSinceMonday * DAY_MS).toISOString().slice(0, 10);
}

/** Names of sums: `outcome.held`. */
const OUTCOME = 'outcome.';

/** The rows of counted sessions, the largest groups first. */
export function computeCalibration(counted: readonly CountRow[]): CalibrationRow[] {
  const rows = counted.map(({ key, sums }): CalibrationRow => {
    const [chain, models, verdict] =
      key === OTHER_KEYS
        ? [OTHER_KEYS, [], null]
        : (JSON.parse(key) as [string | null, string[], string | null]);
    const { sessions = 0, right = 0, partly = 0, wrong = 0, disputed = 0 } = sums;
    const outcomes = Object.fromEntries(
      Object.entries(sums)
        .filter(([name, count]) => name.startsWith(OUTCOME) && count > 0)
        .map(([name, count]) => [name.slice(OUTCOME.length), count]),
    );
    const { held = 0, overridden = 0, recurred = 0 } = outcomes;
    return {
      ...{ chain, models, verdict, sessions, right, partly, wrong, disputed, outcomes },
      share: estimateShare(right, sessions),
      held: estimateShare(held, held + overridden + recurred),
    };
  });
  return rows.sort((one, other) => other.sessions - one.sessions);
}

const estimateShare = (hits: number, n: number): Interval | null => (n < MIN_LABELS ? null : wilson(hits, n));

/** Undefined without a review. */
function labelReviewedSession(
  session: ReviewedSession,
): 'right' | 'partly' | 'wrong' | 'disputed' | undefined {
  const given = (['right', 'partly', 'wrong'] as const).filter((rating) => session[rating] > 0);
  return given.length > 1 ? 'disputed' : given[0];
}
