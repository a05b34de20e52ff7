// `packs`: lists, shows and copies packs, and compares them with running servers.

import type { Command } from 'commander';
import { readConfigFolder } from '../../../shared/environment.ts';
import { withoutFields } from '../../../shared/evidence/records/fieldList.ts';
import { asText } from '../../../shared/text/json.ts';
import { addPack, entryNames } from '../../packs/addPack.ts';
import { checkPack } from '../../packs/checkPack.ts';
import { editFolder, readVariables } from '../../packs/folderEdit.ts';
import { indentLines } from '../../packs/insertYaml.ts';
import {
  describeList,
  describeTrial,
  type Pack,
  type PackServer,
  packNames,
  readPack,
} from '../../packs/pack.ts';
import { alignColumns } from '../../print/textTable.ts';
import { interruptSignal, STOP_DEADLINE_MS } from '../../process/interrupt.ts';
import { loadVariables } from '../../process/loadVariables.ts';
import { printableText, write } from '../../process/output.ts';
import { UsageError } from '../../process/usageError.ts';
import { readConfig } from '../../system/inspectConfig.ts';

const CONFIG = ['--config <folder>', 'the configuration (default: INQUEST_CONFIG, else config/)'] as const;

const HELP = `
A pack is plain text about one MCP server: its entry in servers.yaml, the names of its read-only tools, an agent with
instructions, a runbook, the rights that its account needs, and its settings. \`inquest init\` adds packs with questions.`;

/** Adds the command to the program. */
export function registerPacks(program: Command): void {
  const packs = program.command('packs').addHelpText('after', HELP);
  packs
    .command('list')
    .description(
      'list the packs, the day on which the tools of each were checked, and the service that it was tried on',
    )
    .action(() => listPacks());
  packs
    .command('show')
    .description('print what a pack adds to a configuration')
    .argument('<name>', 'a pack')
    .action((name: string) => showPack(readPack(name)));
  packs
    .command('add')
    .description('add the server, the agent and the runbook of a pack to a configuration')
    .argument('<name>', 'a pack')
    .option(...CONFIG)
    .addHelpText(
      'after',
      `
Writes servers.yaml, agents.yaml and runbooks/NAME.md. Entries that are there already stay as they are, and no chain gets
the agent: add it to a stage of chains.yaml. Prints the variables to set.`,
    )
    .action(addToConfig);
  packs
    .command('check')
    .description('compare packs with the servers of a configuration')
    .argument('[name]', 'a pack (default: all whose servers the configuration has)')
    .option(...CONFIG)
    .addHelpText(
      'after',
      `
Starts or asks the servers, and reports tools that were added, removed or changed since the pack was checked, and tools under
readOnly that the server does not have. Then makes the pack's probe: one read-only call. For a server that npx starts, asks
npm which packages it would download now, and compares them with the lock of the pack. Changes nothing.
Exit codes: 0 no difference; 1 differences, a failed probe, or a server that does not answer; 2 wrong usage.`,
    )
    .action(checkPacks);
}

function listPacks(): void {
  const rows = packNames().map((name) => {
    const pack = readPack(name);
    const [list, trial] = stateLines(pack);
    return [name, list, trial, describeStates(pack), pack.description];
  });
  for (const line of alignColumns(rows)) write(line);
}

/** The tools whose fields can confirm a cause, and those that only count as texts. */
function describeStates({ servers }: Pack): string {
  const states = servers.flatMap(({ tools }) =>
    Object.keys(tools).filter((tool) => tools[tool]?.yields === 'state'),
  );
  const texts = servers.flatMap(textTools);
  if (texts.length === states.length) return 'verdicts: likely at most';
  return `verdicts: ${states.length - texts.length} tools${texts.length > 0 ? `, as texts ${texts.join(', ')}` : ''}`;
}

/** The tools of a server that yield `state` without a field list. */
const textTools = ({ tools, server }: PackServer): string[] =>
  withoutFields(Object.keys(tools), {
    yields: Object.fromEntries(Object.entries(tools).map(([tool, { yields }]) => [tool, yields])),
    fields: asText(server.fields),
  });

/** How far a pack is proved. */
const stateLines = (pack: Pack) =>
  [`list checked ${describeList(pack)}`, `tried on the service: ${describeTrial(pack)}`] as const;

function showPack(pack: Pack): void {
  const { name, description, source, roles, settings, servers, agent, runbook } = pack;
  const variables = Object.entries(settings).map(
    ([variable, { description: text, default: standard, secret }]) => [
      variable,
      `${text}${secret ? ', a secret' : ''}${standard === undefined ? '' : ` (default: ${standard})`}`,
    ],
  );
  const lines = [
    `${name}: ${description}`,
    ...stateLines(pack),
    `documented  ${source}`,
    ...roles.map((role) => `rights      ${role}`),
    '',
    'Settings',
    ...alignColumns(variables).map((line) => `  ${line}`),
    '',
    ...servers.flatMap(serverLines),
    `agents.yaml: ${pack.agentName}`,
    indentLines(agent.instructions.trimEnd(), 2),
    '',
    `runbooks/${name}.md`,
    indentLines(runbook.trimEnd(), 2),
  ];
  for (const line of lines) write(line);
}

function serverLines(server: PackServer): string[] {
  const { name, tools, probe, yaml } = server;
  const texts = textTools(server);
  const rows = Object.entries(tools).map(([tool, { yields }]) => [
    tool,
    texts.includes(tool) ? `${yields}, without a field list: a text to a verdict` : yields,
  ]);
  return [
    `Read-only tools of ${name}, and the kind of their results`,
    ...alignColumns(rows).map((line) => `  ${line}`),
    '',
    `Probe       ${probe.tool} ${JSON.stringify(probe.arguments)}`,
    '',
    'servers.yaml',
    indentLines(`${name}:\n${indentLines(yaml, 2)}`, 2),
    '',
  ];
}

interface ConfigOption {
  config?: string;
}

function addToConfig(name: string, { config = readConfigFolder(process.env) }: ConfigOption): void {
  const pack = readPack(name);
  const edit = editFolder(config);
  const added = addPack(edit, pack);
  edit.save();
  for (const line of added) write(`added  ${line}`);
  if (added.length === 0) write(`nothing added: ${config} has the server, the agent and the runbook`);
  const known = { ...process.env, ...readVariables(edit) };
  for (const [variable, { description, default: standard }] of Object.entries(pack.settings))
    if (!known[variable])
      write(`set    ${variable}: ${description}${standard ? ` (default: ${standard})` : ''}`);
  write(
    `next   give ${pack.agentName} a place in a stage of chains.yaml, then \`inquest check-config ${config}\``,
  );
}

async function checkPacks(
  name: string | undefined,
  { config = readConfigFolder(process.env) }: ConfigOption,
): Promise<void> {
  const signal = interruptSignal({ deadlineMs: STOP_DEADLINE_MS });
  loadVariables(config, process.env);
  const servers = entryNames(editFolder(config), 'servers');
  const isThere = (pack: Pack) => pack.servers.every((server) => servers.includes(server.name));
  const packs = name === undefined ? packNames().map(readPack).filter(isThere) : [readPack(name)];
  const absent = packs.find((pack) => !isThere(pack));
  if (absent !== undefined)
    throw new UsageError(
      `${config} lacks the servers of ${absent.name}: \`inquest packs add ${absent.name}\` adds them`,
    );
  if (packs.length === 0)
    throw new UsageError(`no pack has its servers in ${config}: \`inquest packs add NAME\` adds one`);
  const { servers: configured } = readConfig(config, process.env);
  for (const one of packs) {
    const { lines, isSame } = await checkPack(config, configured, one, signal);
    for (const line of lines) write(printableText(`${one.name.padEnd(12)} ${line}`));
    if (!isSame) process.exitCode = 1;
  }
}
