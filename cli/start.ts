// `start`: the whole system on this machine, until Ctrl-C.

import type { Command } from 'commander';
import { FUNCTION_NAMES, FUNCTIONS, type FunctionName } from '../functions/manifest.ts';
import { DEFAULT_EXAMPLE, exampleNames, shortPath } from '../local/examples.ts';
import { projectIdOf } from '../shared/environment.ts';
import { interruptSignal, STOP_DEADLINE_MS, untilAborted } from './interrupt.ts';
import { exampleOf, type LocalOptions, openSystem, withLocalOptions } from './openSystem.ts';

/** Adds the command to the program. */
export function registerStart(program: Command): void {
  const command = program
    .command('start')
    .description('run the system on this machine until Ctrl-C')
    .argument(
      '[example]',
      `whose configuration and scripted model to use, a folder of examples/: ${exampleNames().join(', ')}`,
      DEFAULT_EXAMPLE,
    )
    .option('--quiet', "do not print the functions' logs")
    .action(start);
  withLocalOptions(command, 'the name of the project on the emulators (default: demo-inquest)');
}

async function start(name: string, options: LocalOptions & { quiet?: boolean }): Promise<void> {
  const example = exampleOf(name);
  const { system, model, configFolder, signal, stop } = await openSystem({
    ...options,
    example,
    projectId: projectIdOf(process.env),
    onProgress: (line) => process.stderr.write(`${line}\n`),
    verbose: options.quiet !== true,
    signal: interruptSignal({ deadlineMs: STOP_DEADLINE_MS }),
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
    await untilAborted(signal);
  } finally {
    await stop();
  }
}

/** For a function that a schedule calls: how often. */
function schedule(name: FunctionName): string {
  const settings = FUNCTIONS[name];
  return settings.signature === 'http' ? `  (every ${settings.everySeconds} s)` : '';
}
