// `start-deferred`: starts an investigation that was stored and not begun.

import type { Command } from 'commander';
import { type ApiOptions, SESSION_ARGUMENT, urlOption } from '../api/apiClient.ts';
import * as steering from '../api/steering.ts';
import { withApi } from '../api/withApi.ts';
import { SYSTEM_HELP } from '../options/project.ts';
import { tenantOption } from '../options/tenantOption.ts';

const HELP = `
An alert is stored as deferred when it is resolved, acknowledged or a test, when a budget of system.yaml or chains.yaml is
used up (sessionsPerHour, dailyTokens), or when it is about Inquest itself. Its timeline says which. A session that waits for
a budget also starts without this command, when the budget has room. Starting it asks no budget, and takes nothing from one.
It is started once, also when several callers start it at the same time.
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
