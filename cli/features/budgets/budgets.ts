// `budgets`: the used share of each budget of tokens, and the forecast.

import { shareText } from '../../../shared/client/shareText.ts';
import type { BudgetUsage } from '../../../shared/lists/apiTypes.ts';
import { command, linesOr } from '../../api/command.ts';
import { configOption, jsonOption, urlOption } from '../../options/commandOptions.ts';
import { printableText } from '../../process/output.ts';

const HELP = `
Prints for each budget of system.yaml and chains.yaml its used tokens in this day or month (UTC), the tokens at its end if
usage continues as it was, and its state. large: agents have their own models. small: 80 % are used, and new sessions get
smallModel. record: alerts are only recorded (budgets) or wait for the next day (dailyTokens). The state is that of alerts that
are not critical; the line names the tokens that are kept for critical ones (reserveForCritical).
`;

/** The command `budgets`. */
export const budgets = command({
  name: 'budgets',
  options: [jsonOption(), configOption(), urlOption()],
  help: HELP,
  route: 'GET /v1/budgets',
  items: 'budgets',
  print: ({ budgets }) =>
    linesOr(
      budgets.map(budgetLine),
      'no budget of tokens is set: see dailyTokens and budgets in system.yaml',
    ),
});

/** The line of a budget. */
export function budgetLine(budget: BudgetUsage): string {
  const { name, of, period, limit, critical, used, state, forecast, reachedAt } = budget;
  const whole = of === null ? name : `${name} (${of})`;
  const end = forecast === null ? 'no forecast yet' : `forecast ${shareText(forecast, limit)}`;
  const kept = critical === 0 ? '' : `, ${critical} kept for critical`;
  const reached = reachedAt === null ? '' : `, reached at ${reachedAt}`;
  return printableText(
    `${whole}  ${used} of ${limit} a ${period} (${shareText(used, limit)}${kept})  ${state}  ${end}${reached}`,
  );
}
