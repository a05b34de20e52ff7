// `budgets`: the used share of each budget of tokens, and the forecast.

import type { Command } from 'commander';
import type { BudgetUsage } from '../../../shared/api/types.ts';
import type { Unreadable } from '../../../shared/schema/readable.ts';
import { shareText } from '../../../shared/text/shareText.ts';
import { withApi } from '../../api/withApi.ts';
import { type ApiOptions, urlOption } from '../../options/commandOptions.ts';
import { DATABASE_HELP } from '../../options/project.ts';
import { escapeHidden, printableText, reportUnreadable, write } from '../../process/output.ts';

const HELP = `
Prints for each budget of system.yaml and chains.yaml its used tokens in this day or month (UTC), the tokens at its end if
usage continues as it was, and its state. large: agents have their own models. small: 80 % are used, and new sessions get
smallModel. record: alerts are only recorded (budgets) or wait for the next day (dailyTokens). The state is that of alerts that
are not critical; the line names the tokens that are kept for critical ones (reserveForCritical).
`;

/** Adds the command to the program. */
export function registerBudgets(program: Command): void {
  program
    .command('budgets')
    .option('--json', 'print one JSON object a line')
    .option('--config <folder>', 'the configuration, without --url (default: INQUEST_CONFIG, else config/)')
    .addOption(urlOption())
    .addHelpText('after', `${HELP}${DATABASE_HELP}`)
    .action(listBudgets);
}

async function listBudgets({
  json,
  ...options
}: ApiOptions & { json?: boolean; config?: string }): Promise<void> {
  await withApi(options, async (api) => {
    const listed = (await api.get('/v1/budgets')) as { budgets: BudgetUsage[]; unreadable: Unreadable[] };
    listed.unreadable.forEach(reportUnreadable);
    for (const budget of listed.budgets)
      write(json ? escapeHidden(JSON.stringify(budget)) : budgetLine(budget));
    if (listed.budgets.length === 0 && !json)
      write('no budget of tokens is set: see dailyTokens and budgets in system.yaml');
  });
}

/** The line of a budget. */
export function budgetLine({
  name,
  of,
  period,
  limit,
  critical,
  used,
  state,
  forecast,
  reachedAt,
}: BudgetUsage): string {
  const whole = of === null ? name : `${name} (${of})`;
  const end = forecast === null ? 'no forecast yet' : `forecast ${shareText(forecast, limit)}`;
  const kept = critical === 0 ? '' : `, ${critical} kept for critical`;
  const reached = reachedAt === null ? '' : `, reached at ${reachedAt}`;
  return printableText(
    `${whole}  ${used} of ${limit} a ${period} (${shareText(used, limit)}${kept})  ${state}  ${end}${reached}`,
  );
}
