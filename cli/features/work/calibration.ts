// `calibration`: how often analyses were right by people's reviews.

import { type CalibrationRow, type Interval, MIN_LABELS } from '../../../shared/evidence/calibration.ts';
import { outcomeWords } from '../../../shared/evidence/outcomeWords.ts';
import { WORK_ROUTES } from '../../../shared/features/work/routes.ts';
import { command, linesOr } from '../../api/command.ts';
import { parameterOption } from '../../options/parameterOption.ts';
import { printableText } from '../../process/output.ts';

const ROUTE = 'GET /v1/calibration';

const HELP = `
Counts the sessions that people reviewed (\`inquest work SESSION review\`, or the page), by chain, models and verdict. A session
counts once: as right, partly or wrong if all reviewers agree, else as disputed. From ${MIN_LABELS} sessions on, a line has the share of
right ones with an interval of 95 %; of fewer it would say nothing. Reviews are of the sessions that people chose to review.
Outcomes (shared/features/outcomes/README.md) are counted beside them: from ${MIN_LABELS} that held, recurred or were overridden on, a line has the share
that held. Scores of a judge model (\`inquest score\`) follow by week, judge and rubric: an opinion of a model, for trends.
Sessions are counted within a minute after they end, and again after a review, an outcome or a score.
`;

/** The command `calibration`. */
export const calibration = command({
  name: 'calibration',
  options: [parameterOption(WORK_ROUTES, ROUTE, 'days')],
  help: HELP,
  route: ROUTE,
  items: ({ calibration: rows, scores }) => [...rows, ...scores],
  print: ({ calibration: rows, scores, countedSince }, { api, options }) =>
    linesOr(
      [
        ...rows.map(formatCalibrationLine),
        ...scores.map(
          ({ week, judge, rubric, sessions, mean }) =>
            `week of ${week}; scored by ${printableText(judge)}, rubric ${rubric}: ${countText(sessions)}, mean score ${mean} of 100`,
        ),
        ...(countedSince === null ? [] : [`counted since ${countedSince}`]),
      ],
      `no session of the last ${options.days} days in ${api.where} has a review, an outcome or a score; add one: inquest work SESSION review --rating right`,
    ),
});

const countText = (sessions: number): string => `${sessions} ${sessions === 1 ? 'session' : 'sessions'}`;

function formatCalibrationLine({
  chain,
  models,
  verdict,
  sessions,
  share,
  outcomes,
  held,
  ...counts
}: CalibrationRow): string {
  const { right, partly, wrong, disputed } = counts;
  const about = [chain ?? 'unknown chain', models.join(', ') || 'no model', verdict ?? 'claims not checked'];
  const percent = (value: number) => `${Math.round(value * 100)} %`;
  const shareText = (of: Interval, word: string) =>
    `${percent(of.value)} ${word} (${percent(of.low)} to ${percent(of.high)})`;
  const text = share === null ? `no percentage below ${MIN_LABELS} sessions` : shareText(share, 'right');
  const counted = Object.entries(outcomes).map(([outcome, count]) => `${count} ${outcomeWords(outcome)}`);
  const ended = counted.length === 0 ? '' : `; outcomes: ${counted.join(', ')}`;
  const heldText = held === null ? '' : `; ${shareText(held, 'held')}`;
  return `${printableText(about.join('; '))}: ${countText(sessions)}, ${right} right, ${partly} partly, ${wrong} wrong, ${disputed} disputed; ${text}${ended}${heldText}`;
}
