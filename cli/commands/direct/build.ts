// `build`: bundles the functions, the API and its dashboard into a folder that can be deployed.

import { resolve } from 'node:path';
import type { Command } from 'commander';
import { buildWeb } from '../../../deploy/buildWeb.ts';
import { loadAccess, loadSessionConfig } from '../../../shared/config/load.ts';
import { configFolderOf } from '../../../shared/environment.ts';
import { EXTENSION_NAMES } from '../../../shared/wiring/extensions.ts';
import { beforeAbort, interruptSignal, STOP_DEADLINE_MS } from '../../process/interrupt.ts';

const HELP = `
Checks the configuration first, except for secrets; \`check-config\` checks all of it.`;

/** Adds the command to the program. */
export function registerBuild(program: Command): void {
  program
    .command('build')
    .option('--config <folder>', 'the configuration (default: INQUEST_CONFIG, else config/)')
    .addHelpText('after', HELP)
    .action(build);
}

async function build({ config }: { config?: string }): Promise<void> {
  const signal = interruptSignal({ deadlineMs: STOP_DEADLINE_MS });
  const folder = resolve(config ?? configFolderOf(process.env));
  loadSessionConfig(folder, EXTENSION_NAMES);
  loadAccess(folder);
  await buildWeb((line) => void process.stderr.write(`${line}\n`), signal);
  // Only this command needs the bundler.
  const { buildReport } = await import('../../../deploy/build.ts');
  const lines = await beforeAbort(buildReport(folder), signal);
  process.stdout.write(`${lines.join('\n')}\n`);
}
