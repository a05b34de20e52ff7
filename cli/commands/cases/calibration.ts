// `calibration`: how often analyses were right by people's reviews.

import type { Command } from 'commander';
import type { SessionReviews } from '../../../shared/api/types.ts';
import {
  type CalibrationRow,
  calibrationOf,
  type Interval,
  MIN_LABELS,
} from '../../../shared/evidence/calibration.ts';
import type { Unreadable } from '../../../shared/schema/readable.ts';
import { outcomeWords } from '../../../shared/text/outcomeWords.ts';
import { withApi } from '../../api/withApi.ts';
import { type TenantOptions, tenantCommand, wholeNumber } from '../../options/commandOptions.ts';
import { DATABASE_HELP } from '../../options/project.ts';
import { escapeHidden, printableText, reportUnreadable, write } from '../../process/output.ts';

const MAX_DAYS = 90;

const HELP = `
Counts the sessions that people reviewed (\`inquest work SESSION review\`, or the page), by chain, models and verdict. A session
counts once: as right, partly or wrong if all reviewers agree, else as disputed. From ${MIN_LABELS} sessions on, a line has the share of
right ones with an interval of 95 %; of fewer it would say nothing. Reviews are of the sessions that people chose to review.
Outcomes (docs/trust.md) are counted beside them: from ${MIN_LABELS} that held, recurred or were overridden on, a line has the share
that held.
`;

interface Page {
  reviews: SessionReviews[];
  unreadable: Unreadable[];
  next: string | null;
}

/** Adds the command to the program. */
export function registerCalibration(program: Command): void {
  tenantCommand(program, 'calibration')
    .option('--days <number>', `sessions of the last days, 1 to ${MAX_DAYS}`, wholeNumber(MAX_DAYS), 30)
    .option('--json', 'print one JSON object a line')
    .addHelpText('after', `${HELP}${DATABASE_HELP}`)
    .action(printCalibration);
}

async function printCalibration({
  days,
  json,
  ...options
}: TenantOptions & { days: number; json?: boolean }): Promise<void> {
  await withApi(options, async (api) => {
    const reviews: SessionReviews[] = [];
    for (let after: string | null | undefined; after !== null; ) {
      const page: Page = await api.get('/v1/reviews', { days, after });
      page.unreadable.forEach(reportUnreadable);
      reviews.push(...page.reviews);
      after = page.next;
    }
    const rows = calibrationOf(reviews);
    for (const row of rows) write(json ? escapeHidden(JSON.stringify(row)) : lineOf(row));
    if (rows.length === 0 && !json)
      write(
        `no session of the last ${days} days in ${api.where} has a review or an outcome; add one: inquest work SESSION review --rating right`,
      );
  });
}

function lineOf({
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
  const number = `${sessions} ${sessions === 1 ? 'session' : 'sessions'}`;
  return `${printableText(about.join('; '))}: ${number}, ${right} right, ${partly} partly, ${wrong} wrong, ${disputed} disputed; ${text}${ended}${heldText}`;
}
