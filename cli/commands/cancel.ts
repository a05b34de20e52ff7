// `cancel`: cancels a running investigation.

import type { Command } from 'commander';
import { type ApiOptions, SESSION_ARGUMENT, urlOption } from '../api/apiClient.ts';
import * as steering from '../api/steering.ts';
import { withApi } from '../api/withApi.ts';
import { SYSTEM_HELP } from '../options/project.ts';
import { readLine, readName } from '../options/readLine.ts';
import { tenantOption } from '../options/tenantOption.ts';

/** Maximum length of a reason, in characters. */
const MAX_REASON = 2_000;

const HELP = `
Stops all agents within 5 s, and calls that wait for approval at once. The timeline names the user of this machine as the
person who cancelled. Repeating the command has no effect, and ended sessions are not changed.
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
