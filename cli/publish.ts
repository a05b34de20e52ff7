// `publish`: an alert from a file to a running system, and its timeline.

import type { Command } from 'commander';
import { hasColor } from './color.ts';
import { Interrupted, interruptSignal } from './interrupt.ts';
import { jsonPrinter, textPrinter } from './printer.ts';
import { checkSystemIsNamed } from './project.ts';
import { publishAlert } from './publishAlert.ts';

interface PublishCommandOptions {
  json?: boolean;
  follow: boolean;
  chain?: string;
}

export function registerPublish(program: Command): void {
  program
    .command('publish')
    .description(
      'publish an alert to the system the environment names (GOOGLE_CLOUD_PROJECT, PUBSUB_EMULATOR_HOST, FIRESTORE_EMULATOR_HOST), and follow it',
    )
    .argument('<file>', 'the alert: Alertmanager or Cloud Monitoring JSON, any JSON, or text')
    .option('--json', 'print the timeline as lines of JSON')
    .option('--no-follow', 'publish only')
    .option('--chain <name>', 'the chain to run, instead of the default one')
    .action(publish);
}

async function publish(file: string, options: PublishCommandOptions): Promise<void> {
  const write = (line: string) => process.stdout.write(`${line}\n`);
  const printer = options.json
    ? jsonPrinter(write)
    : textPrinter(write, hasColor(process.stdout, process.env));
  const say = (line: string) => process.stderr.write(`${line}\n`);
  const signal = interruptSignal();
  checkSystemIsNamed(process.env);
  try {
    const session = await publishAlert({
      file,
      say,
      signal,
      chain: options.chain,
      ...(options.follow && { printer }),
    });
    process.exitCode = session === undefined || session.status === 'completed' ? 0 : 1;
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    process.exitCode = error.exitCode;
  }
}
