// `build`: bundles the services and the dashboard into a folder and an archive that can be deployed.

import { resolve } from 'node:path';
import type { Command } from 'commander';
import { readConfigFolder } from '../../../shared/environment.ts';
import { buildDist } from '../../deploy/buildRelease.ts';
import { interruptSignal, STOP_DEADLINE_MS } from '../../process/interrupt.ts';
import { report, write } from '../../process/output.ts';

const HELP = `
Writes dist/ and its archive: the services, the configuration, the packages of its model providers, a list of all packages
(CycloneDX) and manifest.json. \`INQUEST_SERVICE=api node start.js\` starts a service in it.
Checks the configuration first, except for secrets; \`check-config\` checks all of it.`;

/** Adds the command to the program. */
export function registerBuild(program: Command): void {
  program
    .command('build')
    .option('--config <folder>', 'the configuration (default: INQUEST_CONFIG, else config/)')
    .option('--local', 'accept MCP servers of this machine, for services that run on it')
    .addHelpText('after', HELP)
    .action(buildAll);
}

async function buildAll({ config, local = false }: { config?: string; local?: boolean }): Promise<void> {
  const signal = interruptSignal({ deadlineMs: STOP_DEADLINE_MS });
  const folder = resolve(config ?? readConfigFolder(process.env));
  const lines = await buildDist(folder, { local, onLine: report, signal });
  write(lines.join('\n'));
}
