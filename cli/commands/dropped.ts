// `dropped`: counts the alerts that the rules of triage.yaml dropped, by day and rule.

import { type Command, InvalidArgumentError } from 'commander';
import type { DroppedAlerts } from '../../shared/schema/droppedAlerts.ts';
import type { Unreadable } from '../../shared/schema/readable.ts';
import { dayOf } from '../../shared/text/utcPeriod.ts';
import { type ApiOptions, urlOption, withDates } from '../api/apiClient.ts';
import { withApi } from '../api/withApi.ts';
import { DATABASE_HELP } from '../options/project.ts';
import { escapeHidden } from '../print/documentText.ts';
import { printable } from '../print/printer.ts';
import { reportUnreadable } from '../print/reportUnreadable.ts';

const DAY_MS = 24 * 3_600_000;
/** The retention of the counts. */
const MAX_DAYS = 30;
const DEFAULT_DAYS = 7;

const HELP = `
Prints for each day (UTC) and rule the number of dropped alerts, the first five titles and the last alert. Counts are kept
for 30 days and include all tenants. \`inquest adapt FILE\` shows which rule of triage.yaml drops an alert.
`;

/** Adds the command to the program. */
export function registerDropped(program: Command): void {
  program
    .command('dropped')
    .option('--days <number>', `how many days back, 1 to ${MAX_DAYS}`, readDays, DEFAULT_DAYS)
    .option('--json', 'print one JSON object a line')
    .addOption(urlOption())
    .addHelpText('after', `${HELP}${DATABASE_HELP}`)
    .action(dropped);
}

interface Options extends ApiOptions {
  days: number;
  json?: boolean;
}

async function dropped(options: Options): Promise<void> {
  const { days } = options;
  await withApi(options, async (api) => {
    const found = withDates(await api.get('/v1/dropped-alerts', { days })) as {
      alerts: DroppedAlerts[];
      unreadable: Unreadable[];
    };
    found.unreadable.forEach(reportUnreadable);
    print(found.alerts, `${api.where} since ${dayOf(new Date(Date.now() - (days - 1) * DAY_MS))}`, options);
  });
}

function print(found: readonly DroppedAlerts[], where: string, { json }: Options): void {
  const lines = found.flatMap((alerts) => (json ? [droppedJson(alerts)] : droppedLines(alerts)));
  for (const line of lines) process.stdout.write(`${line}\n`);
  if (lines.length === 0 && !json) process.stdout.write(`no alert was dropped in ${where}\n`);
}

function droppedJson({ day, rule, count, text, examples, last }: DroppedAlerts): string {
  return escapeHidden(JSON.stringify({ day, rule, count, text, examples, last }));
}

function droppedLines({ day, rule, count, text, examples, last }: DroppedAlerts): string[] {
  const titles = examples.map(({ title }) => `"${title}"`).join(', ');
  return [
    `${day}  ${rule}  ${count} ${count === 1 ? 'alert' : 'alerts'}, the last at ${last.at.toISOString()}`,
    `            ${printable(text)}`,
    `            ${printable(titles)}${count > examples.length ? ', …' : ''}`,
  ];
}

function readDays(text: string): number {
  const days = Number(text);
  if (/^\d+$/.test(text) && days >= 1 && days <= MAX_DAYS) return days;
  throw new InvalidArgumentError(`It is a number from 1 to ${MAX_DAYS}.`);
}
