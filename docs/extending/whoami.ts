// `whoami`: the name, role and tenant of the caller.

import type { Command } from 'commander';
import { withApi } from '../../cli/api/withApi.ts';
import { type ApiOptions, urlOption } from '../../cli/options/commandOptions.ts';

/** Adds the command to the program. */
export function registerWhoami(program: Command): void {
  program.command('whoami').addOption(urlOption()).action(whoami);
}

async function whoami(options: ApiOptions): Promise<void> {
  await withApi(options, async (api) => {
    const { name, role, tenantId } = (await api.get('/v1/me')) as Record<string, string>;
    process.stdout.write(`${name}, ${role} of ${tenantId}\n`);
  });
}
