// `build`: the functions, the API and its dashboard as a folder that deploys as it is.

import type { Command } from 'commander';
import { buildWeb } from '../local/buildWeb.ts';
import { interruptSignal } from './interrupt.ts';

/** Adds the command to the program. */
export function registerBuild(program: Command): void {
  program
    .command('build')
    .description(
      'bundle the functions, the API with its dashboard and the configuration of config/ into dist/',
    )
    .action(build);
}

async function build(): Promise<void> {
  await buildWeb((line) => void process.stderr.write(`${line}\n`), interruptSignal());
  // The bundler is loaded for this command alone.
  const { buildReport } = await import('../deploy/build.ts');
  const lines = await buildReport();
  process.stdout.write(`${lines.join('\n')}\n`);
}
