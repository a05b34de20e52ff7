// `doctor`: checks the installation and the environment, and prints remedies.

import type { Command } from 'commander';
import pc from 'picocolors';
import { isRefused } from '../../../local/emulators/emulatorWatch.ts';
import {
  EmulatorUnavailableError,
  findEmulators,
  thisMachine,
} from '../../../local/emulators/findEmulators.ts';
import { realModel } from '../../../local/model.ts';
import { defaultServerPaths } from '../../../shared/config/checkServers.ts';
import { ConfigError } from '../../../shared/config/configError.ts';
import { missingWebhookSecrets, type WebhooksConfig } from '../../../shared/config/webhooks.ts';
import type { Fault } from '../../../shared/config/yamlFile.ts';
import { errorMessage, InquestError } from '../../../shared/core/errors.ts';
import { readConfigFolder } from '../../../shared/environment.ts';
import { withoutFields } from '../../../shared/evidence/records/fieldList.ts';
import {
  EMULATOR_VARIABLES,
  type Emulator,
  emulatorHostFault,
  readEmulatorAddress,
} from '../../../shared/store/emulator.ts';
import { servedApi } from '../../api/apiClient.ts';
import { resolveDeployedConfig } from '../../deploy/configFolder.ts';
import { DEFAULT_NAME, resolveTarget, type TargetOptions } from '../../deploy/target.ts';
import type { Finding } from '../../deployed/finding.ts';
import { openGoogleApi } from '../../google/googleApi.ts';
import { interruptSignal, STOP_DEADLINE_MS } from '../../process/interrupt.ts';
import { loadVariables } from '../../process/loadVariables.ts';
import { escapeHidden, hasColor, printableText, write } from '../../process/output.ts';
import { UsageError } from '../../process/usageError.ts';
import { inspectServers, readConfig } from '../../system/inspectConfig.ts';

const HELP = `
Each line is about one part: \`ok\` available, \`--\` absent and not needed, \`!!\` missing or wrong, with a remedy. The MCP
servers of the configuration are started or asked for their tools, as \`check-config\` does, and servers of packs get the
read-only call of their pack. Nothing is changed, and no model is called.

With \`--deployed\` it checks an installation on Google Cloud instead, through Google's APIs: APIs, services and their release,
secrets, indexes, time to live, versions of documents, subscriptions, the hourly test alert (canary), rights of Google's agents, quota, and features that
Vertex AI lacks. The credentials are those of \`deploy\`.

Exit codes: 0 all required parts are available; 1 a part is missing; 2 wrong usage.`;

interface DoctorOptions extends Partial<TargetOptions> {
  config?: string;
  deployed?: boolean;
  json?: boolean;
}

/** Adds the command to the program. */
export function registerDoctor(program: Command): void {
  program
    .command('doctor')
    .option('--config <folder>', 'the configuration (default: INQUEST_CONFIG, else config/)')
    .option('--deployed', 'check an installation on Google Cloud')
    .option('--project <id>', 'its project (default: GOOGLE_CLOUD_PROJECT)')
    .option('--region <region>', 'its region')
    .option('--name <name>', `its name (default: INQUEST_NAME, else ${DEFAULT_NAME})`)
    .option('--json', 'print one JSON object a line')
    .addHelpText('after', HELP)
    .action(doctor);
}

async function doctor(options: DoctorOptions): Promise<void> {
  const signal = interruptSignal({ deadlineMs: STOP_DEADLINE_MS });
  if (options.deployed) return printFindings(await deployedFindings(options, signal), options);
  const given = (['project', 'region', 'name'] as const).filter((option) => options[option] !== undefined);
  if (given.length > 0) throw new UsageError(`--${given.join(', --')} is for --deployed only`);
  printFindings(await localFindings(options, signal), options);
}

async function deployedFindings(options: DoctorOptions, signal: AbortSignal): Promise<Finding[]> {
  const { env } = process;
  const { project = env.GOOGLE_CLOUD_PROJECT, region, name = env.INQUEST_NAME || DEFAULT_NAME } = options;
  if (!project || region === undefined)
    throw new UsageError(
      '--deployed needs --region of the installation, and --project or GOOGLE_CLOUD_PROJECT',
    );
  const target = resolveTarget({ project, region, name, config: options.config }, env);
  // Only this check needs the APIs of Google.
  const { checkDeployed } = await import('../../deployed/checkDeployed.ts');
  return await checkDeployed(openGoogleApi(project, signal), target, resolveDeployedConfig(target));
}

async function localFindings({ config }: DoctorOptions, signal: AbortSignal): Promise<Finding[]> {
  const { env } = process;
  if (config !== undefined) loadVariables(config, env);
  return [
    { part: 'Node', state: 'ok' as const, text: process.version },
    modelFinding(env),
    ...(await Promise.all((['firestore', 'pubsub'] as const).map((name) => cloudFinding(name, env)))),
    officialFinding(env),
    ...(await apiFindings(env)),
    ...(await configFindings(config ?? readConfigFolder(env), env, signal, config ?? env.INQUEST_CONFIG)),
  ];
}

function printFindings(findings: readonly Finding[], { json }: DoctorOptions): void {
  const colors = pc.createColors(hasColor(process.stdout, process.env));
  const paint = { ok: colors.green, absent: colors.dim, missing: colors.red };
  const sign = { ok: 'ok', absent: '--', missing: '!!' };
  for (const { part, state, text } of findings) {
    const line = json
      ? escapeHidden(JSON.stringify({ part, state, text }))
      : `${paint[state](sign[state])}  ${part.padEnd(22)}  ${printableText(text)}`;
    write(line);
  }
  if (findings.some(({ state }) => state === 'missing')) process.exitCode = 1;
}

function modelFinding(env: NodeJS.ProcessEnv): Finding {
  const model = realModel(env);
  if (model !== undefined) return { part: 'model', state: 'ok', text: model.description };
  const text =
    'no key: demo and start answer from scripts. GEMINI_API_KEY, or GOOGLE_GENAI_USE_VERTEXAI=true with GOOGLE_CLOUD_PROJECT and GOOGLE_CLOUD_LOCATION, asks Gemini';
  return { part: 'model', state: 'absent', text };
}

/** Checks the emulator that the environment names, if any. */
async function cloudFinding(name: Emulator, env: NodeJS.ProcessEnv): Promise<Finding> {
  const part = name === 'firestore' ? 'Firestore' : 'Pub/Sub';
  const variable = EMULATOR_VARIABLES[name];
  const host = readEmulatorAddress(name, env);
  if (host === undefined)
    return { part, state: 'absent', text: `${variable} is not set: demo and start serve it` };
  const fault = emulatorHostFault(name, env);
  if (fault !== undefined) return { part, state: 'missing', text: fault };
  if (await isRefused(host))
    return {
      part,
      state: 'missing',
      text: `nothing answers at ${host} (${variable}): run \`inquest start\` and set the variables it prints, or unset it`,
    };
  return { part, state: 'ok', text: `${host} answers` };
}

/** Checks the API that the environment names, if any. */
async function apiFindings(env: NodeJS.ProcessEnv): Promise<Finding[]> {
  const part = 'HTTP API';
  const { INQUEST_URL: url } = env;
  if (!url)
    return [{ part, state: 'absent', text: 'INQUEST_URL is not set: commands use the database directly' }];
  try {
    const api = servedApi({ url }, env);
    await api?.get('/v1/sessions', { limit: 1 });
    const read = await api?.get('/v1/system');
    return [
      { part, state: 'ok', text: `${url} answers, and accepts the key` },
      canaryFinding(read?.health.lateCanary ?? null),
    ];
  } catch (error) {
    return [{ part, state: 'missing', text: `${url}: ${errorMessage(error)}` }];
  }
}

/** Whether the hourly test alert of the system with the API arrives. */
function canaryFinding(lateSince: string | null): Finding {
  const part = 'canary';
  if (lateSince === null) return { part, state: 'ok', text: 'no test alert is missing' };
  const text = `no test alert has arrived since ${lateSince}: alerts can be waiting or lost. See "Canary missing" in docs/runbook.md`;
  return { part, state: 'missing', text };
}

function officialFinding(env: NodeJS.ProcessEnv): Finding {
  const part = "Google's emulators";
  const { FIRESTORE_EMULATOR_HOST: _, PUBSUB_EMULATOR_HOST: __, ...rest } = env;
  try {
    const found = Object.values(findEmulators(thisMachine(rest), true)).map(({ from }) => from);
    return { part, state: 'ok', text: `from ${[...new Set(found)].join(' and ')}, for --emulators` };
  } catch (error) {
    if (!(error instanceof EmulatorUnavailableError)) throw error;
    return { part, state: 'absent', text: `only --emulators needs them. ${error.message}` };
  }
}

async function configFindings(
  folder: string,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
  named: string | undefined,
): Promise<Finding[]> {
  const part = 'configuration';
  const faultsOf = (error: unknown): Finding[] => {
    if (error instanceof ConfigError)
      return error.message.split('\n').map((text) => ({ part, state: 'missing' as const, text }));
    if (error instanceof InquestError) return [{ part, state: 'missing', text: errorMessage(error) }];
    throw error;
  };
  try {
    const config = readConfig(folder, env);
    const chains = Object.keys(config.chains).length;
    const text = `${folder}: ${chains} ${chains === 1 ? 'chain' : 'chains'}`;
    const asTexts = (name: string, own: readonly string[]): string => {
      const texts = withoutFields(own, config.servers[name] ?? {});
      return texts.length === 0 ? '' : `; without a field list, so texts to a verdict: ${texts.join(', ')}`;
    };
    const { tools, systems, faults, unreachable } = await inspectServers(folder, config, env, signal);
    // The default configuration is optional: `demo` and `start` use that of an example, with its own servers.
    const optional = named ? [] : defaultServerPaths(folder, env);
    const isOptional = ({ path }: Fault) => optional.includes(path);
    const missing = unreachable.filter((fault) => !isOptional(fault));
    return [
      { part, state: 'ok', text },
      ...webhookFindings(config.webhooks, env),
      ...[...tools].map(([name, own]): Finding => {
        return { part: `MCP server ${name}`, state: 'ok', text: `${own.length} tools${asTexts(name, own)}` };
      }),
      ...systems.map(
        ({ server, system, tool }): Finding => ({
          part: `MCP server ${server}`,
          state: 'ok',
          text: `${system} answers ${tool}`,
        }),
      ),
      ...unreachable.filter(isOptional).map(({ message }): Finding => {
        const advice = 'demo and start use an example. Set the variable in its url, or name a configuration';
        return { part, state: 'absent', text: `${message}; ${advice} of your own` };
      }),
      ...(faults.length + missing.length > 0 ? faultsOf(new ConfigError([...faults, ...missing])) : []),
    ];
  } catch (error) {
    return faultsOf(error);
  }
}

/** Checks for each webhook source whether its secret is set. */
function webhookFindings(webhooks: WebhooksConfig = {}, env: NodeJS.ProcessEnv): Finding[] {
  const missing = missingWebhookSecrets(webhooks, env);
  return Object.entries(webhooks).map(([source, entry]): Finding => {
    const part = `webhook ${source}`;
    const faults = missing.filter((one) => one.source === source).map(({ message }) => message);
    if (faults.length > 0) return { part, state: 'missing', text: faults.join('; ') };
    const text = entry && 'topics' in entry ? `topics: ${entry.topics.join(', ')}` : 'its secret is set';
    return { part, state: 'ok', text };
  });
}
