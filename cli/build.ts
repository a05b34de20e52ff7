// `build`: the functions as a folder that deploys as it is.

import type { Command } from 'commander';

/** Adds the command to the program. */
export function registerBuild(program: Command): void {
  program
    .command('build')
    .description('bundle the functions and the configuration of config/ into dist/, ready to deploy')
    .action(build);
}

async function build(): Promise<void> {
  // The bundler is loaded for this command alone.
  const { buildReport } = await import('../deploy/build.ts');
  const lines = await buildReport();
  process.stdout.write(`${lines.join('\n')}\n`);
}
