// Checks the configuration, starts model and system for a command, and sets their variables.

import { type Command, InvalidArgumentError } from 'commander';
import { API_NAME } from '../../functions/manifest.ts';
import type { DataFile } from '../../local/emulators/launchEmulators.ts';
import { type Example, findExample } from '../../local/examples.ts';
import { type FixedPorts, PARTS, parseFirstPort, takePorts } from '../../local/functions/fixedPorts.ts';
import type { SelectedModel } from '../../local/model.ts';
import { type RunningSystem, startSystem } from '../../local/system.ts';
import { ConfigError } from '../../shared/config/configError.ts';
import { errorMessage } from '../../shared/core/errors.ts';
import { readConfigFolder } from '../../shared/environment.ts';
import { readEmulatorAddress } from '../../shared/store/emulator.ts';
import { asUsage } from '../process/usageError.ts';
import { inspectServers, readFiles } from './inspectConfig.ts';
import { showSlack } from './showSlack.ts';
import { chooseModel } from './systemModel.ts';

const LOCAL_HELP = `
Environment:
  INQUEST_CONFIG           a folder with your configuration, instead of the example's
  GEMINI_API_KEY           uses the real Gemini; without a key, the script of the example or of --script answers
  FIRESTORE_EMULATOR_HOST  a Firestore emulator that runs already, as host:port; not set: the local cloud, or with
                           --emulators the official one, is started
  PUBSUB_EMULATOR_HOST     the same for Pub/Sub
`;

/** Options of the commands that run the system. */
export interface LocalOptions {
  script?: string;
  port?: number;
  /** Whether the official emulators are started instead of the local cloud. */
  emulators?: boolean;
  /** Whether each function has a process of its own. */
  processes?: boolean;
}

/** Adds the common options and help of commands that run the system. */
export function withLocalOptions(command: Command, project: string): Command {
  return command
    .option('--script <file>', 'a script for the scripted Gemini, which is then used even if a key is set')
    .option(
      '--emulators',
      "Google's emulators (from a gcloud SDK or firebase-tools) instead of the local cloud",
    )
    .option('--processes', 'run each function in its own process, as in production')
    .option(
      '--port <number>',
      `the port of the page and the API; the others take the ${PARTS.length - 1} ports after it (default: any free ports)`,
      readPort,
    )
    .addHelpText('after', `${LOCAL_HELP}  GOOGLE_CLOUD_PROJECT     ${project}`);
}

function readPort(text: string): number {
  try {
    return parseFirstPort(text);
  } catch (error) {
    throw new InvalidArgumentError(errorMessage(error));
  }
}

/** The example with this name. @throws UsageError that lists the examples. */
export function requireExample(name: string): Example {
  return asUsage(() => findExample(name));
}

/** Options of `openSystem`. */
interface OpenSystemOptions extends LocalOptions {
  example: Example;
  /** The project of the system. */
  projectId: string;
  /** The file in which the local cloud stores documents and messages. Default: in memory. */
  data?: DataFile | undefined;
  /** Whether to serve the HTTP API. Default: false. */
  api?: boolean;
  /** Whether to delete its topics and subscriptions at the end. Default: false. */
  temporary?: boolean;
  /** Whether messages for Slack go to a stand-in with a page. Default: false. */
  slack?: boolean | undefined;
  /** Called with a line for people when a part is ready. */
  onProgress: (line: string) => void;
  /** Whether `onProgress` also gets the log lines of the functions. */
  verbose: boolean;
  /** Ends the start. */
  signal: AbortSignal;
}

/** A running system and its model. */
interface OpenedSystem {
  system: RunningSystem;
  model: SelectedModel;
  /** The folder of its configuration. */
  configFolder: string;
  /** The page that shows what Slack would get; undefined without one. */
  slackPage: string | undefined;
  /** Aborts with the signal of the options, or when an emulator dies, with the reason. */
  signal: AbortSignal;
  /** Stops the system and the model; resolves when both have stopped. */
  stop(): Promise<void>;
}

/**
 * Starts a model and the system with `INQUEST_CONFIG`, or the example's configuration if that is not set.
 * @throws ConfigError for faults in the configuration or the script, UsageError without a model, and Error
 *   for a used port, all before a process is started; errors of `startSystem`. No process keeps running then.
 */
export async function openSystem(options: OpenSystemOptions): Promise<OpenedSystem> {
  const { example, onProgress, signal, script } = options;
  const ownFolder = process.env.INQUEST_CONFIG ? readConfigFolder(process.env) : example.configFolder;
  const slack = options.slack === true ? await showSlack(ownFolder) : undefined;
  const configFolder = slack?.configFolder ?? ownFolder;
  const config = readFiles(configFolder, process.env);
  const { ports, release } = await reserveFixedPorts(options);
  const chosen = { config, configFolder: ownFolder, example, script, port: ports.model };
  const model = await chooseModel(process.env, chosen).catch((error: unknown) => {
    release();
    throw error;
  });
  try {
    // The servers of the examples are tested.
    if (process.env.INQUEST_CONFIG) await checkServers();
    onProgress(`model: ${model.description}`);
    const system = await startSystem({
      projectId: options.projectId,
      env: {
        ...model.env,
        INQUEST_CONFIG: configFolder,
        // For GET /metrics of the API.
        ...(options.api && { INQUEST_TELEMETRY: process.env.INQUEST_TELEMETRY || 'metrics' }),
      },
      ports,
      separate: options.processes === true,
      official: options.emulators === true,
      data: options.data,
      temporary: options.temporary === true,
      api: options.api === true,
      onProgress,
      onLine: (name, line) => options.verbose && onProgress(`[${name}] ${line}`),
      signal,
    });
    // The clients of this process find the emulators through the environment, as any client does.
    Object.assign(process.env, system.env);
    const died = new AbortController();
    void system.died.then((error) => died.abort(error));
    const stop = async (): Promise<void> => {
      await Promise.all([system.stop(), model.stop(), slack?.stop()]);
      release();
    };
    if (system.endpoints.api !== undefined) slack?.connect(system.endpoints.api);
    const slackPage = slack?.url;
    return { system, model, configFolder, slackPage, signal: AbortSignal.any([signal, died.signal]), stop };
  } catch (error) {
    await Promise.all([model.stop(), slack?.stop()]);
    release();
    throw error;
  }

  async function checkServers(): Promise<void> {
    onProgress(`configuration ${configFolder}: asking its servers for their tools`);
    const inspection = await inspectServers(configFolder, config, process.env, signal);
    const { tools, apart, faults, unreachable } = inspection;
    for (const line of apart) onProgress(`warning: ${line}`);
    if (faults.length > 0) throw new ConfigError(faults);
    for (const [name, { length }] of tools) onProgress(`server ${name}: ${length} tools`);
    if (unreachable.length > 0)
      onProgress(`continuing without an answer: ${new ConfigError(unreachable).message}`);
  }
}

async function reserveFixedPorts({ port, api }: OpenSystemOptions): Promise<FixedPorts> {
  if (port === undefined) return { ports: {}, release: () => {} };
  const running = (['firestore', 'pubsub'] as const).filter((part) => readEmulatorAddress(part, process.env));
  return takePorts(port, [...running, ...(api ? [] : ([API_NAME] as const))]);
}
