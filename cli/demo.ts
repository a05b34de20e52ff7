// `demo`: the whole way of an alert on one machine, from an example, and nothing left running.

import type { Command } from 'commander';
import pc from 'picocolors';
import { DEFAULT_EXAMPLE, exampleNames, findExample } from '../local/examples.ts';
import { hasColor } from './color.ts';
import { Interrupted, interruptSignal } from './interrupt.ts';
import { LOCAL_HELP, openSystem } from './openSystem.ts';
import { jsonPrinter, textPrinter } from './printer.ts';
import { publishAlert } from './publishAlert.ts';

interface DemoOptions {
  json?: boolean;
  verbose?: boolean;
  keep?: boolean;
}

/** Adds the command to the program. */
export function registerDemo(program: Command): void {
  program
    .command('demo')
    .description('run the system on this machine, investigate the alert of an example, and stop everything')
    .argument('[example]', `a folder of examples/: ${exampleNames().join(', ')}`, DEFAULT_EXAMPLE)
    .option('--json', 'print the timeline as lines of JSON')
    .option('--verbose', "print the functions' logs, too, on standard error")
    .option('--keep', 'keep the system running afterwards, until Ctrl-C')
    .addHelpText('after', LOCAL_HELP)
    .action(demo);
}

async function demo(name: string, options: DemoOptions): Promise<void> {
  const example = findExample(name);
  const signal = interruptSignal();
  const colors = pc.createColors(hasColor(process.stderr, process.env));
  const write = (line: string) => process.stdout.write(`${line}\n`);
  const onProgress = (line: string) => process.stderr.write(`${colors.dim(line)}\n`);
  const printer = options.json
    ? jsonPrinter(write)
    : textPrinter(write, hasColor(process.stdout, process.env));

  try {
    const system = await openSystem({ example, onProgress, verbose: options.verbose === true, signal });
    try {
      const session = await publishAlert({ file: example.alertFile, printer, onProgress, signal });
      process.exitCode = session?.status === 'completed' ? 0 : 1;
      if (options.keep) {
        onProgress('Everything keeps running. Ctrl-C stops it.');
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
      }
    } finally {
      await system.stop();
    }
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    process.exitCode = error.exitCode;
  }
}
