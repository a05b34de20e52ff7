// `cancel`: ends an investigation that runs.

import type { Command } from 'commander';
import { type ApiOptions, SESSION_ARGUMENT, urlOption } from '../api/apiClient.ts';
import * as steering from '../api/steering.ts';
import { withApi } from '../api/withApi.ts';
import { SYSTEM_HELP } from '../options/project.ts';
import { readLine, readName } from '../options/readLine.ts';
import { tenantOption } from '../options/tenantOption.ts';

/** Characters of a reason: people read it. */
const MAX_REASON = 2_000;

const HELP = `
What runs is stopped: agents, also those side by side, within 5 s; calls that wait for a person at once. The timeline says
who cancelled (the user of this machine). Cancelling twice is cancelling once; a session that has ended stays as it is.
`;

/** Adds the command to the program. */
export function registerCancel(program: Command): void {
  program
    .command('cancel')
    .argument('<session>', SESSION_ARGUMENT)
    .addOption(tenantOption())
    .addOption(urlOption())
    .option('--reason <text>', 'why, for readers of the timeline')
    .addHelpText('after', `${HELP}${SYSTEM_HELP}`)
    .action(cancel);
}

async function cancel(
  session: string,
  options: ApiOptions & { tenant: string; reason?: string },
): Promise<void> {
  const reason = options.reason === undefined ? null : readLine('--reason', options.reason, MAX_REASON);
  await withApi({ ...options, by: readName(), publishes: true }, async (api) => {
    const { line } = await steering.cancel(api, await api.findSession(session), reason);
    process.stdout.write(`${line}\n`);
  });
}
