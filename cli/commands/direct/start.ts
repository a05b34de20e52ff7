// `start`: runs the whole system on this machine until Ctrl-C.

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { buildWeb } from '../../../deploy/buildWeb.ts';
import { FUNCTION_NAMES, FUNCTIONS, type FunctionName } from '../../../functions/manifest.ts';
import type { DataFile } from '../../../local/emulators/launchEmulators.ts';
import { DEFAULT_EXAMPLE, exampleNames } from '../../../local/examples.ts';
import { shortPath } from '../../../local/processes/shortPath.ts';
import { errorMessage } from '../../../shared/core/errors.ts';
import { readProjectId } from '../../../shared/environment.ts';
import { workFile } from '../../../shared/projectFiles.ts';
import { readEmulatorAddress } from '../../../shared/store/emulator.ts';
import { interruptSignal, STOP_DEADLINE_MS, untilAborted } from '../../process/interrupt.ts';
import { UsageError } from '../../process/usageError.ts';
import { type LocalOptions, openSystem, requireExample, withLocalOptions } from '../../system/openSystem.ts';

const KEPT = ' (continues from the last start; --fresh starts empty)';
const DATA_FILE = workFile('.inquest/cloud.db');

interface StartOptions extends LocalOptions {
  quiet?: boolean;
  data?: string;
  fresh?: boolean;
  slack?: boolean;
}

/** Adds the command to the program. */
export function registerStart(program: Command): void {
  const command = program
    .command('start')
    .argument(
      '[example]',
      `whose configuration and scripted model to use, a folder of examples/: ${exampleNames().join(', ')}`,
      DEFAULT_EXAMPLE,
    )
    .option('--quiet', "do not print the functions' logs")
    .option(
      '--data <file>',
      'file in which the local cloud keeps documents and messages between starts\n(default: .inquest/cloud.db in the checkout; with the package, in the current folder)',
    )
    .option('--fresh', 'clear that file first')
    .option(
      '--slack',
      'show on a page what Slack would get, on a copy of the configuration; nothing is sent to Slack',
    )
    .action(startLocalSystem);
  withLocalOptions(command, 'the name of the project (default: demo-inquest)');
}

async function startLocalSystem(name: string, options: StartOptions): Promise<void> {
  const example = requireExample(name);
  const data = chooseDataFile(options);
  const onProgress = (line: string) => process.stderr.write(`${line}\n`);
  const interrupted = interruptSignal({ deadlineMs: STOP_DEADLINE_MS });
  // The API works without the dashboard.
  await buildWeb(onProgress, interrupted).catch((error: unknown) => {
    interrupted.throwIfAborted();
    onProgress(`${errorMessage(error)}. The older one is served, if there is one`);
  });
  const continues = data !== undefined && data.fresh !== true && existsSync(data.file);
  const { system, model, configFolder, slackPage, signal, stop } = await openSystem({
    ...options,
    data,
    api: true,
    example,
    projectId: readProjectId(process.env),
    onProgress,
    verbose: options.quiet !== true,
    signal: interrupted,
  });
  try {
    process.stdout.write(
      [
        '',
        `project        ${system.projectId}`,
        `Firestore      ${system.endpoints.firestore}`,
        `Pub/Sub        ${system.endpoints.pubsub}`,
        ...FUNCTION_NAMES.filter((name) => system.endpoints[name] !== '').map(
          (name) => `${name.padEnd(13)}  ${system.endpoints[name]}${scheduleText(name)}`,
        ),
        `model          ${model.description}`,
        `dashboard      ${system.endpoints.api}/`,
        `API            ${system.endpoints.api}/v1  (described at ${system.endpoints.api}/v1/docs; this machine only, no login)`,
        `metrics        ${system.endpoints.api}/metrics  (for Prometheus)`,
        `configuration  ${shortPath(configFolder)}`,
        ...(slackPage === undefined ? [] : [`Slack          ${slackPage}  (a stand-in; nothing is sent)`]),
        ...(data ? [`data           ${shortPath(data.file)}${continues ? KEPT : ''}`] : []),
        '',
        'Publish an alert from another terminal:',
        `  npx --no inquest send ${shortPath(example.alertFile)} --url ${system.endpoints.api}`,
        `  curl ${system.endpoints.api}/v1/sessions`,
        '',
        'Commands need no --url, and all of them work, with:',
        ...Object.entries(system.env).map(([key, value]) => `  export ${key}=${value}`),
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

/** The local cloud's file; undefined with emulators. @throws UsageError for options that need it. */
function chooseDataFile({ emulators, data, fresh }: StartOptions): DataFile | undefined {
  const isServed = [
    readEmulatorAddress('firestore', process.env),
    readEmulatorAddress('pubsub', process.env),
  ].includes(undefined);
  if (isServed && !emulators) return { file: resolve(data ?? DATA_FILE), fresh: fresh === true };
  const given = data !== undefined ? '--data' : fresh && '--fresh';
  if (!given) return undefined;
  const reason = emulators ? 'with --emulators' : 'with emulators that run already';
  throw new UsageError(
    `${given} is for the local cloud, which serves nothing ${reason}: leave one of them out`,
  );
}

function scheduleText(name: FunctionName): string {
  const settings = FUNCTIONS[name];
  return settings.trigger === 'schedule' ? `  (every ${settings.everySeconds} s)` : '';
}
