// `dropped`: counts the alerts that the rules of triage.yaml dropped, by day, rule and tenant.

import { DEFAULT_TENANT } from '../../../shared/core/schema/session.ts';
import { DROPPED_ALERT_ROUTES } from '../../../shared/features/alerts/droppedRoutes.ts';
import { utcDay } from '../../../shared/text/utcPeriod.ts';
import { type Answer, command, linesOr } from '../../api/command.ts';
import { jsonOption, urlOption } from '../../options/commandOptions.ts';
import { pageOptions, parameterOption } from '../../options/parameterOption.ts';
import { printableText } from '../../process/output.ts';

const DAY_MS = 24 * 3_600_000;
const ROUTE = 'GET /v1/dropped-alerts';

const HELP = `
Prints for each day (UTC) and rule the number of dropped alerts and the titles of the latest five, for each tenant.
Counts are kept for 30 days. \`inquest adapt FILE\` shows which rule of triage.yaml drops an alert.
`;

/** The command `dropped`. */
export const dropped = command({
  name: 'dropped',
  options: [
    parameterOption(DROPPED_ALERT_ROUTES, ROUTE, 'days'),
    ...pageOptions(),
    jsonOption(),
    urlOption(),
  ],
  help: HELP,
  route: ROUTE,
  pages: 'alerts',
  items: 'alerts',
  print({ alerts }, { api, options }) {
    const since = utcDay(new Date(Date.now() - (Number(options.days) - 1) * DAY_MS));
    return linesOr(alerts.flatMap(droppedLines), `no alert was dropped in ${api.where} since ${since}`);
  },
});

function droppedLines(dropped: Answer<typeof ROUTE>['alerts'][number]): string[] {
  const { day, rule, tenantId, count, text, examples, last } = dropped;
  const titles = examples.map(({ title }) => `"${title}"`).join(', ');
  const tenant = tenantId === null || tenantId === DEFAULT_TENANT ? '' : `  of ${tenantId}`;
  return [
    `${day}  ${rule}${tenant}  ${count} ${count === 1 ? 'alert' : 'alerts'}, the last at ${last.at}`,
    `            ${printableText(text)}`,
    `            ${printableText(titles)}${count > examples.length ? ', …' : ''}`,
  ];
}
