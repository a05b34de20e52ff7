// How often analyses were right by people's reviews and by outcomes: by chain, models and verdict.

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

/** The counted facts of a session with a review or an outcome. */
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
  /** What a judge model made of it; null without a score. Times are texts in answers of the API. */
  score: { total: number; rubric: number; model: string; at: Date | string } | null;
}

/** The scores of a week by one judge. */
interface ScoreTrend {
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
  models: readonly string[];
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
  outcomes: Readonly<Record<string, number>>;
  /**
   * The share of sessions whose problem ended after the action that the analysis named, of those with another
   * outcome than `unknown` and `self_resolved`, with an interval of 95 %; null below 50 of them.
   */
  held: Interval | null;
}

/** The mean score of each week, the oldest first. Scores of other criteria or models are no trend. */
export function computeScoreTrend(sessions: readonly ReviewedSession[]): ScoreTrend[] {
  const scores = sessions.flatMap(({ score }) => score ?? []);
  const groups = Map.groupBy(scores, ({ at, model, rubric }) =>
    JSON.stringify([startOfWeek(at), model, rubric]),
  );
  return [...groups]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([, group]) => {
      const [first] = group;
      if (first === undefined) return [];
      const mean = group.reduce((sum, { total }) => sum + total, 0) / group.length;
      const { model: judge, rubric, at } = first;
      return [
        { week: startOfWeek(at), judge, rubric, sessions: group.length, mean: Math.round(mean * 10) / 10 },
      ];
    });
}

const DAY_MS = 86_400_000;

function startOfWeek(at: Date | string): string {
  const time = new Date(at);
  const daysSinceMonday = (time.getUTCDay() + 6) % 7;
  return new Date(time.getTime() - daysSinceMonday * DAY_MS).toISOString().slice(0, 10);
}

/** Sums reviewed sessions, the largest groups first. */
export function computeCalibration(sessions: readonly ReviewedSession[]): CalibrationRow[] {
  const counted = sessions.filter(
    ({ right, partly, wrong, outcome }) => right + partly + wrong > 0 || outcome !== null,
  );
  const groups = Map.groupBy(counted, ({ chain, models, verdict }) =>
    JSON.stringify([chain, models, verdict]),
  );
  const rows = [...groups.values()].map((group): CalibrationRow => {
    const [{ chain, models, verdict } = { chain: null, models: [], verdict: null }] = group;
    const counts = { right: 0, partly: 0, wrong: 0, disputed: 0 };
    const reviewed = group.filter(({ right, partly, wrong }) => right + partly + wrong > 0);
    for (const one of reviewed) counts[labelReviewedSession(one)]++;
    const outcomes: Record<string, number> = {};
    for (const { outcome } of group) if (outcome !== null) outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    const { held = 0, overridden = 0, recurred = 0 } = outcomes;
    const about = { chain, models, verdict, sessions: reviewed.length, ...counts, outcomes };
    const acted = held + overridden + recurred;
    return {
      ...about,
      share: estimateShare(counts.right, reviewed.length),
      held: estimateShare(held, acted),
    };
  });
  return rows.sort((one, other) => other.sessions - one.sessions);
}

const estimateShare = (hits: number, n: number): Interval | null => (n < MIN_LABELS ? null : wilson(hits, n));

function labelReviewedSession(session: ReviewedSession): 'right' | 'partly' | 'wrong' | 'disputed' {
  const given = (['right', 'partly', 'wrong'] as const).filter((rating) => session[rating] > 0);
  return given.length === 1 && given[0] !== undefined ? given[0] : 'disputed';
}
