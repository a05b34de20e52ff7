// `check-config`: checks whether a configuration can be used. Runs nothing but its MCP servers.

import { basename } from 'node:path';
import type { Command } from 'commander';
import { SERVICE_NAMES } from '../../../functions/manifest.ts';
import { serviceVariables } from '../../../functions/serviceVariables.ts';
import { realModel } from '../../../local/model.ts';
import type { Config } from '../../../shared/config/config.ts';
import { ConfigError, faultLine, maskQuoted } from '../../../shared/config/configError.ts';
import { configVariables } from '../../../shared/config/configVariables.ts';
import { ineffectiveFaults, remarks } from '../../../shared/config/ineffectiveSettings.ts';
import { NO_TRIAGE, type TriageConfig } from '../../../shared/config/triageFile.ts';
import { recordedServers } from '../../../shared/config/unreachableServers.ts';
import { coveredChainFaults, unnamedChainRemarks } from '../../../shared/config/unreachedChains.ts';
import { type WebhooksConfig, webhookFaults } from '../../../shared/config/webhooks.ts';
import type { Fault } from '../../../shared/config/yamlFile.ts';
import { readConfigFolder } from '../../../shared/environment.ts';
import { interruptSignal, STOP_DEADLINE_MS } from '../../process/interrupt.ts';
import { loadVariables } from '../../process/loadVariables.ts';
import { escapeHidden, write } from '../../process/output.ts';
import { destinationFaults } from '../../system/checkDestinations.ts';
import { fallbackKeyFaults } from '../../system/checkFallback.ts';
import { type Inspection, inspectServers, readConfig } from '../../system/inspectConfig.ts';
import { asksGemini } from '../../system/systemModel.ts';

/** Adds the command to the program. */
export function registerCheckConfig(program: Command): void {
  program
    .command('check-config')
    .argument('[folder]', 'the configuration (default: INQUEST_CONFIG, else config/)')
    .option('--no-connect', 'do not connect to its MCP servers and destinations, and do not check tools')
    .option(
      '--no-keys',
      'do not check keys and packages of fallback models, secrets of webhooks, and destinations',
    )
    .option('--json', 'print one JSON object a line: each fault and note, then the configuration')
    .addHelpText(
      'after',
      `
Reports faults that prevent a start, and settings without effect: files that are not read, labels that no alert has, regular
expressions in labels, chains whose alerts an earlier chain takes, mistyped tools under \`readOnly\`, texts that a comma
splits, arguments of \`collect\` that the tool does not accept.
Notes, without a fault: keys that look like known ones, arguments of \`collect\` that the tool does not describe, members
that nothing identifies, tools under \`readOnly\` that the server does not have, chains that only messages name, and servers
with \`transport: recorded\`, which only cases of \`evaluate\` answer for.
Servers that are processes are started, asked for their tools and stopped. Servers of packs get one read-only call, which
shows whether the system behind them answers.
Exit codes: 0 valid; 1 faults, one line each with file and line; 2 wrong usage.`,
    )
    .action(checkConfig);
}

async function checkConfig(
  folder: string = readConfigFolder(process.env),
  { connect, keys, json = false }: { connect: boolean; keys: boolean; json?: boolean },
): Promise<void> {
  const signal = interruptSignal({ deadlineMs: STOP_DEADLINE_MS });
  const report = json ? reportJson : reportText;
  loadVariables(folder, process.env);
  const loaded = readOrFaults(folder);
  if ('faults' in loaded) {
    const known = loaded.faults.map(({ message }) => message).join('\n');
    // The failed load reports some of them already.
    const others = faultsIfExisting(() => ineffectiveFaults(folder)).filter(
      ({ file }) => !known.includes(basename(file)),
    );
    const notes = faultsIfExisting(() => remarks(folder)).map(faultLine);
    return report({ folder, notes, faults: withoutDuplicates([...loaded.faults, ...others]) });
  }
  const { config } = loaded;
  const found = [
    ...ineffectiveFaults(folder),
    ...coveredChainFaults(folder, config),
    ...(keys
      ? [...(await fallbackKeyFaults(folder, process.env)), ...webhookFaults(folder, process.env)]
      : []),
    ...(keys && connect ? await destinationFaults(folder, process.env) : []),
  ];
  const notes = [
    ...new Set([
      ...(config.agents?.remarks ?? []),
      ...[...remarks(folder), ...unnamedChainRemarks(folder, config)].map(faultLine),
    ]),
    ...recordedServers(folder).map(
      (name) => `server ${name} is recorded: cases of \`evaluate\` answer for it; start and build refuse it`,
    ),
  ];
  const inspection = connect ? await inspectServers(folder, config, process.env, signal) : undefined;
  const { faults = [], unreachable = [] } = inspection ?? {};
  report({
    folder,
    config,
    inspection,
    notes,
    faults: withoutDuplicates([...found, ...faults, ...unreachable]),
  });
}

interface Findings {
  folder: string;
  /** Undefined when it cannot be loaded. */
  config?: Config;
  /** Undefined when the servers were not asked. */
  inspection?: Inspection | undefined;
  /** Lines about settings without effect. */
  notes: string[];
  faults: Fault[];
}

function readOrFaults(folder: string): { config: Config } | { faults: readonly Fault[] } {
  try {
    return { config: readConfig(folder, process.env, 'accepted') };
  } catch (error) {
    if (error instanceof ConfigError) return { faults: error.faults };
    throw error;
  }
}

/** The faults that `read` finds; none when the folder does not exist. */
function faultsIfExisting(read: () => Fault[]): Fault[] {
  try {
    return read();
  } catch (error) {
    if (error instanceof ConfigError) return [];
    throw error;
  }
}

/** Removes duplicates: a failed load reports some faults that other checks also find. */
function withoutDuplicates(faults: readonly Fault[]): Fault[] {
  return [...new Map(faults.map((fault) => [formatFault(fault), fault])).values()];
}

function formatFault({ file, position, message }: Fault): string {
  return `${file}:${position?.line}:${position?.column} ${message}`;
}

/** @throws ConfigError when there are faults. */
function reportText({ folder, config, inspection, notes, faults }: Findings): void {
  const lines = [
    ...(config ? summarizeConfig(folder, config) : []),
    ...(config && !inspection ? ['servers        not asked'] : []),
    ...(config && inspection ? serverLines(config, inspection) : []),
    ...(inspection?.systems ?? []).map(({ system, tool }) => `answers        ${system} (${tool})`),
    ...(inspection?.apart ?? []).map((line) => `agents         ${line}`),
    ...notes.map((note) => `note           ${note}`),
  ];
  for (const line of lines) write(line);
  if (faults.length > 0) throw new ConfigError(faults);
}

/** A line for each finding, then a line for the configuration. */
function reportJson({ folder, config, inspection, notes, faults }: Findings): void {
  const writeJson = (line: object) => write(escapeHidden(JSON.stringify(line)));
  for (const { file, position, path, message, code = 'CONFIG_INVALID' } of faults)
    writeJson({
      type: 'fault',
      code,
      file,
      ...(position ?? { line: null, column: null }),
      path: maskQuoted(path),
      message: maskQuoted(message),
    });
  for (const text of [...notes, ...(inspection?.apart ?? [])]) writeJson({ type: 'note', text });
  const servers = Object.keys(config?.servers ?? {}).map((name) => [
    name,
    inspection?.tools.get(name) ?? null,
  ]);
  writeJson({
    type: 'configuration',
    folder,
    ok: faults.length === 0,
    chains: Object.keys(config?.chains ?? {}),
    servers: Object.fromEntries(servers),
    secrets: secretsByService(folder),
  });
  if (faults.length > 0) process.exitCode = 1;
}

function summarizeConfig(folder: string, config: Config): string[] {
  const chains = Object.keys(config.chains).map((name) => {
    const rules = config.alertRules[name]?.length ?? 0;
    const notes = [
      ...(name === config.defaultChain ? ['default'] : []),
      ...(rules > 0 ? [`${rules} ${rules === 1 ? 'rule' : 'rules'}`] : []),
    ];
    return notes.length === 0 ? `${name} (only by name)` : `${name} (${notes.join(', ')})`;
  });
  const noKey = asksGemini(config) && realModel(process.env) === undefined;
  return [
    `configuration  ${folder}`,
    `chains         ${chains.join(', ')}`,
    ...triageSummary(config.triage),
    ...webhookSummary(config.webhooks),
    ...skillSummary(config.skills),
    ...secretSummary(folder),
    ...(noKey ? ['model          GEMINI_API_KEY is not set here; the function runIteration needs it'] : []),
  ];
}

/** One line about triage.yaml; none when it is empty. Lists expired windows, so that users remove them. */
function triageSummary({ rules, windows, default: rest }: TriageConfig = NO_TRIAGE): string[] {
  const spans = Object.entries(windows);
  if (rules.length === 0 && spans.length === 0 && rest === 'investigate') return [];
  const over = spans
    .filter(([, span]) => span.kind === 'dated' && span.to <= new Date())
    .map(([name]) => name);
  const named = rules.map(({ name, action }) => `${name} (${action})`);
  const parts = [
    `${named.join(', ') || 'no rules'}; else ${rest}`,
    ...(over.length > 0 ? [`windows that are over: ${over.join(', ')}`] : []),
  ];
  return [`triage         ${parts.join('; ')}`];
}

/** One line with the sources that can send webhooks; no line without a source. */
function webhookSummary(webhooks: WebhooksConfig = {}): string[] {
  const sources = Object.entries(webhooks).map(([source, entry = {}]) => {
    const { chain, tenant } = { chain: undefined, tenant: undefined, ...entry };
    const notes = [...(chain ? [`chain ${chain}`] : []), ...(tenant ? [`tenant ${tenant}`] : [])];
    return notes.length === 0 ? source : `${source} (${notes.join(', ')})`;
  });
  return sources.length === 0 ? [] : [`webhooks       ${sources.join(', ')}`];
}

/** One line with the skills; no line without one. */
function skillSummary(skills: Config['skills'] = []): string[] {
  const names = skills.map(({ name, allowedTools }) =>
    allowedTools === undefined ? name : `${name} (only ${allowedTools.join(', ') || 'built-in tools'})`,
  );
  return names.length === 0 ? [] : [`skills         ${names.join('; ')}`];
}

/** One line with the secrets that each deployed service needs; no line when none needs any. */
function secretSummary(folder: string): string[] {
  const services = Object.entries(secretsByService(folder)).map(
    ([name, secrets]) => `${name}: ${secrets.join(', ')}`,
  );
  return services.length === 0 ? [] : [`secrets        ${services.join('; ')}`];
}

function secretsByService(folder: string): Record<string, string[]> {
  const variables = configVariables(folder, process.env);
  const entries = SERVICE_NAMES.map((name) => [name, serviceVariables(name, variables).secrets] as const);
  return Object.fromEntries(entries.filter(([, secrets]) => secrets.length > 0));
}

function serverLines({ servers }: Config, { tools, withheld }: Inspection): string[] {
  return Object.keys(servers).flatMap((name) => {
    const offered = tools.get(name);
    const text = offered === undefined ? 'does not answer' : `${offered.length} tools: ${offered.join(', ')}`;
    const held = (withheld.get(name) ?? []).map(
      ({ tool, reason }) => `${name}.${tool} is not offered: ${reason}`,
    );
    const places = placeLines(servers[name]);
    return [
      `server         ${name}: ${text}`,
      ...[...places, ...held].map((line) => `               ${line}`),
    ];
  });
}

/** The instances of a server, and the scope of its calls. */
function placeLines(server: Config['servers'][string] | undefined): string[] {
  const { instances, scope } = server ?? {};
  return [
    ...(instances === undefined
      ? []
      : [`instances by the parameter ${instances.parameter}: ${Object.keys(instances.list).join(', ')}`]),
    ...(scope?.keys.length ? [`calls are limited to the labels ${scope.keys.join(', ')} of the alert`] : []),
    ...Object.entries(scope?.tools ?? {}).map(
      ([pattern, { labels }]) => `${pattern} only for alerts with ${labelText(labels)}`,
    ),
  ];
}

const labelText = (labels: Readonly<Record<string, readonly string[]>>): string =>
  Object.entries(labels)
    .map(([name, values]) => `${name}=${values.join('|')}`)
    .join(' and ');
