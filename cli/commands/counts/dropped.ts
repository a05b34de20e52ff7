// `dropped`: counts the alerts that the rules of triage.yaml dropped, by day, rule and tenant.

import type { Command } from 'commander';
import type { DroppedAlerts } from '../../../shared/schema/features/droppedAlerts.ts';
import type { Unreadable } from '../../../shared/schema/readable.ts';
import { DEFAULT_TENANT } from '../../../shared/schema/session.ts';
import { dayOf } from '../../../shared/text/utcPeriod.ts';
import { withDates } from '../../api/apiClient.ts';
import { withApi } from '../../api/withApi.ts';
import { type ApiOptions, urlOption, wholeNumber } from '../../options/commandOptions.ts';
import { DATABASE_HELP } from '../../options/project.ts';
import { escapeHidden, printableText, reportUnreadable, write } from '../../process/output.ts';

const DAY_MS = 24 * 3_600_000;
/** The retention of the counts. */
const MAX_DAYS = 30;
const DEFAULT_DAYS = 7;

const HELP = `
Prints for each day (UTC) and rule the number of dropped alerts, the first five titles and the last alert, for each tenant.
Counts are kept for 30 days. \`inquest adapt FILE\` shows which rule of triage.yaml drops an alert.
`;

/** Adds the command to the program. */
export function registerDropped(program: Command): void {
  program
    .command('dropped')
    .option('--days <number>', `how many days back, 1 to ${MAX_DAYS}`, wholeNumber(MAX_DAYS), DEFAULT_DAYS)
    .option('--json', 'print one JSON object a line')
    .addOption(urlOption())
    .addHelpText('after', `${HELP}${DATABASE_HELP}`)
    .action(listDropped);
}

async function listDropped({
  days,
  json,
  ...options
}: ApiOptions & { days: number; json?: boolean }): Promise<void> {
  await withApi(options, async (api) => {
    type Listed = { alerts: DroppedAlerts[]; unreadable: Unreadable[] };
    const { alerts, unreadable } = withDates(await api.get('/v1/dropped-alerts', { days })) as Listed;
    unreadable.forEach(reportUnreadable);
    for (const line of alerts.flatMap((one) => (json ? [droppedJson(one)] : droppedLines(one)))) write(line);
    const since = dayOf(new Date(Date.now() - (days - 1) * DAY_MS));
    if (alerts.length === 0 && !json) write(`no alert was dropped in ${api.where} since ${since}`);
  });
}

function droppedJson({ day, rule, tenantId, count, text, examples, last }: DroppedAlerts): string {
  return escapeHidden(JSON.stringify({ day, rule, tenantId, count, text, examples, last }));
}

function droppedLines({ day, rule, tenantId, count, text, examples, last }: DroppedAlerts): string[] {
  const titles = examples.map(({ title }) => `"${title}"`).join(', ');
  const tenant = tenantId === null || tenantId === DEFAULT_TENANT ? '' : `  of ${tenantId}`;
  return [
    `${day}  ${rule}${tenant}  ${count} ${count === 1 ? 'alert' : 'alerts'}, the last at ${last.at.toISOString()}`,
    `            ${printableText(text)}`,
    `            ${printableText(titles)}${count > examples.length ? ', …' : ''}`,
  ];
}
