// `pause` and `resume`: pauses a running investigation after its current iterations, and resumes it.

import type { Command } from 'commander';
import { type ApiOptions, SESSION_ARGUMENT, urlOption } from '../api/apiClient.ts';
import { pauseOrResume } from '../api/steering.ts';
import { withApi } from '../api/withApi.ts';
import { DATABASE_HELP, SYSTEM_HELP } from '../options/project.ts';
import { readName } from '../options/readLine.ts';
import { tenantOption } from '../options/tenantOption.ts';

const PAUSE_HELP = `
Running iterations finish, and no other starts until \`inquest resume\`. The deadlines of the investigation and of approvals
are not extended. Calls can be approved or denied during the pause, and run after it. A paused investigation accepts guidance
and can be cancelled.
`;
const RESUME_HELP = `
All open agents continue where they stopped. If Pub/Sub fails, the sweep starts the remaining agents within minutes, and so
does the same command.
`;

interface Options extends ApiOptions {
  by?: string;
  tenant: string;
  json?: boolean;
}

/** Adds the command `pause` to the program. */
export function registerPause(program: Command): void {
  program
    .command('pause')
    .argument('<session>', SESSION_ARGUMENT)
    .option('--by <name>', 'who pauses it (default: the user of this machine)')
    .addOption(tenantOption())
    .addOption(urlOption())
    .option('--json', 'print the outcome as a line of JSON')
    .addHelpText('after', `${PAUSE_HELP}${DATABASE_HELP}`)
    .action((session: string, options: Options) => steer(session, 'pause', options));
}

/** Adds the command `resume` to the program. */
export function registerResume(program: Command): void {
  program
    .command('resume')
    .argument('<session>', SESSION_ARGUMENT)
    .option('--by <name>', 'who resumes it (default: the user of this machine)')
    .addOption(tenantOption())
    .addOption(urlOption())
    .option('--json', 'print the outcome as a line of JSON')
    .addHelpText('after', `${RESUME_HELP}${SYSTEM_HELP}`)
    .action((session: string, options: Options) => steer(session, 'resume', options));
}

async function steer(session: string, verb: 'pause' | 'resume', options: Options): Promise<void> {
  const needs = { ...options, by: readName(options.by), publishes: verb === 'resume' };
  await withApi(needs, async (api) => {
    const { fields, line } = await pauseOrResume(api, await api.findSession(session), verb);
    print(options, fields, line);
  });
}

function print({ json }: Options, fields: object, line: string): void {
  process.stdout.write(`${json ? JSON.stringify(fields) : line}\n`);
}
