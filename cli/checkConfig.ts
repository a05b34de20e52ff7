// `check-config`: whether a configuration can be used, without running anything but its servers.

import type { Command } from 'commander';
import { realModel } from '../local/model.ts';
import type { Config } from '../shared/config/config.ts';
import { ConfigError } from '../shared/config/configError.ts';
import { NO_TRIAGE, type TriageConfig } from '../shared/config/triageFile.ts';
import { type WebhooksConfig, webhookFaults } from '../shared/config/webhooks.ts';
import { configFolderOf } from '../shared/environment.ts';
import { fallbackKeyFaults } from './checkFallback.ts';
import { type Inspection, inspectServers, readConfig } from './inspectConfig.ts';
import { interruptSignal, STOP_DEADLINE_MS } from './interrupt.ts';
import { asksGemini } from './systemModel.ts';

/** Adds the command to the program. */
export function registerCheckConfig(program: Command): void {
  program
    .command('check-config')
    .description(
      'check a configuration: its files, the commands of its servers, the tools its agents name, whether their fallback models can be asked, and the secrets of webhooks',
    )
    .argument('[folder]', 'the configuration (default: INQUEST_CONFIG, else config/)')
    .option('--no-connect', 'do not connect to its MCP servers; tools are not checked then')
    .option(
      '--no-keys',
      'do not look for the keys and packages of fallback models, and the secrets of webhooks',
    )
    .addHelpText(
      'after',
      `
Connecting starts the servers that are processes, lists their tools and ends them again.
Exit codes: 0 it can be used; 1 it has faults, one line each with file and line; 2 called wrongly.`,
    )
    .action(checkConfig);
}

async function checkConfig(
  folder: string = configFolderOf(process.env),
  { connect, keys }: { connect: boolean; keys: boolean },
): Promise<void> {
  const signal = interruptSignal({ deadlineMs: STOP_DEADLINE_MS });
  const config = readConfig(folder, process.env);
  const keyFaults = keys
    ? [...(await fallbackKeyFaults(folder, process.env)), ...webhookFaults(folder, process.env)]
    : [];
  const write = (lines: string[]) => process.stdout.write(`${lines.join('\n')}\n`);
  if (!connect) {
    write([...summary(folder, config), 'servers        not asked']);
    if (keyFaults.length > 0) throw new ConfigError(keyFaults);
    return;
  }
  const inspection = await inspectServers(folder, config, process.env, signal);
  const agents = inspection.apart.map((line) => `agents         ${line}`);
  write([...summary(folder, config), ...serverLines(config, inspection), ...agents]);
  const faults = [...keyFaults, ...inspection.faults, ...inspection.unreachable];
  if (faults.length > 0) throw new ConfigError(faults);
}

function summary(folder: string, config: Config): string[] {
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
    ...(noKey ? ['model          GEMINI_API_KEY is not set here; the function runIteration needs it'] : []),
  ];
}

/** One line about triage.yaml; none where it says nothing. Windows that are over are named, so that they are taken out. */
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

/** One line that names the sources that may send webhooks; none where there is none. */
function webhookSummary(webhooks: WebhooksConfig = {}): string[] {
  const sources = Object.entries(webhooks).map(([source, { chain, tenant } = {}]) => {
    const notes = [...(chain ? [`chain ${chain}`] : []), ...(tenant ? [`tenant ${tenant}`] : [])];
    return notes.length === 0 ? source : `${source} (${notes.join(', ')})`;
  });
  return sources.length === 0 ? [] : [`webhooks       ${sources.join(', ')}`];
}

function serverLines({ servers }: Config, { tools, withheld }: Inspection): string[] {
  return Object.keys(servers).flatMap((name) => {
    const offered = tools.get(name);
    const text = offered === undefined ? 'does not answer' : `${offered.length} tools: ${offered.join(', ')}`;
    const held = (withheld.get(name) ?? []).map(
      ({ tool, reason }) => `${name}.${tool} is not offered: ${reason}`,
    );
    return [`server         ${name}: ${text}`, ...held.map((line) => `               ${line}`)];
  });
}
