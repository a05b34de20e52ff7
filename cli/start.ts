// `start`: the whole system on this machine, until Ctrl-C.

import type { Command } from 'commander';
import { FUNCTION_NAMES, FUNCTIONS, type FunctionName } from '../functions/manifest.ts';
import { DEFAULT_EXAMPLE, exampleNames, findExample, shortPath } from '../local/examples.ts';
import { Interrupted, interruptSignal } from './interrupt.ts';
import { LOCAL_HELP, openSystem } from './openSystem.ts';

/** Adds the command to the program. */
export function registerStart(program: Command): void {
  program
    .command('start')
    .description('run the system on this machine until Ctrl-C')
    .argument(
      '[example]',
      `whose configuration and scripted model to use, a folder of examples/: ${exampleNames().join(', ')}`,
      DEFAULT_EXAMPLE,
    )
    .option('--quiet', "do not print the functions' logs")
    .addHelpText('after', LOCAL_HELP)
    .action(start);
}

async function start(name: string, options: { quiet?: boolean }): Promise<void> {
  const example = findExample(name);
  const signal = interruptSignal();
  const onProgress = (line: string) => process.stderr.write(`${line}\n`);
  try {
    const { system, model, configFolder, stop } = await openSystem({
      example,
      onProgress,
      verbose: options.quiet !== true,
      signal,
    });
    try {
      process.stdout.write(
        [
          '',
          `project        ${system.projectId}`,
          `Firestore      ${system.endpoints.firestore}`,
          `Pub/Sub        ${system.endpoints.pubsub}`,
          ...FUNCTION_NAMES.map((name) => `${name.padEnd(13)}  ${system.endpoints[name]}${schedule(name)}`),
          `model          ${model.description}`,
          `configuration  ${shortPath(configFolder)}`,
          '',
          'Publish an alert from another terminal:',
          ...Object.entries(system.env).map(([key, value]) => `  export ${key}=${value}`),
          `  npx --no inquest publish ${shortPath(example.alertFile)}`,
          '  npx --no inquest cancel SESSION',
          '',
          'Ctrl-C stops everything.',
          '',
        ].join('\n'),
      );
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
    } finally {
      await stop();
    }
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    process.exitCode = error.exitCode;
  }
}

/** For a function that a schedule calls: how often. */
function schedule(name: FunctionName): string {
  const settings = FUNCTIONS[name];
  return settings.signature === 'http' ? `  (every ${settings.everySeconds} s)` : '';
}
