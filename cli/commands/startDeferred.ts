// `start-deferred`: starts a deferred investigation.

import type { Command } from 'commander';
import { type ApiOptions, SESSION_ARGUMENT, urlOption } from '../api/apiClient.ts';
import * as steering from '../api/steering.ts';
import { withApi } from '../api/withApi.ts';
import { SYSTEM_HELP } from '../options/project.ts';
import { tenantOption } from '../options/tenantOption.ts';

const HELP = `
An alert is stored as deferred when it is resolved, acknowledged or a test, when a budget of system.yaml or chains.yaml is
exhausted (sessionsPerHour, dailyTokens), or when it is about Inquest itself. Its timeline gives the reason. A session that
waits for a budget starts automatically when the budget has room. This command ignores budgets and does not count against
them. The session starts once, even if several callers start it at the same time.
`;

/** Adds the command to the program. */
export function registerStartDeferred(program: Command): void {
  program
    .command('start-deferred')
    .argument('<session>', SESSION_ARGUMENT)
    .addOption(tenantOption())
    .addOption(urlOption())
    .option('--json', 'print the outcome as a line of JSON')
    .addHelpText('after', `${HELP}${SYSTEM_HELP}`)
    .action(start);
}

async function start(
  session: string,
  options: ApiOptions & { tenant: string; json?: boolean },
): Promise<void> {
  await withApi({ ...options, publishes: true }, async (api) => {
    const { fields, line } = await steering.startDeferred(api, await api.findSession(session));
    process.stdout.write(`${options.json ? JSON.stringify(fields) : line}\n`);
  });
}
