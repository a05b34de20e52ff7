// `agents`: the agents of a configuration and of the store, in the notation of agents/NAME.yaml.

import { Argument, type Command, Option } from 'commander';
import { type Answer, type Call, command, groupCommand, plannedCommand, request } from '../../api/command.ts';
import { byOption, jsonOption, urlOption } from '../../options/commandOptions.ts';
import { pageOptions } from '../../options/parameterOption.ts';
import { DATABASE_HELP } from '../../options/project.ts';
import { printableText, report } from '../../process/output.ts';
import { UsageError } from '../../process/usageError.ts';

const LIST = 'GET /v1/agents';
const SHOW = 'GET /v1/agents/{name}';

const STORE_HELP = `
An agent in the store replaces the one of the same name in the configuration's files. It is read when a session is opened or
an agent is asked. Instances cache it for up to 300 s, and open sessions keep their agents. If the environment names no
database, only the files are read.`;
const TOOLS_HELP = `With --tools the servers of the configuration are connected from this machine, as for the first request of an
investigation in the first chain that uses the agent. The client of each provider writes the request, and nothing is sent to a
model: --tools needs no key. Tools that need a label of the alert are printed, too. Providers whose packages are not installed are
named. Exit codes of --tools: 0 printed; 1 a server does not answer, or the agent's own model cannot be sent the request.
`;
const VALIDATE_HELP = `
A setting without effect is reported in a line that starts with \`note:\`; it is no fault.
Exit codes: 0 valid; 1 faults, one line each with file and line; 2 wrong usage.`;

const folderOption = () =>
  new Option('--config <folder>', 'the configuration (default: INQUEST_CONFIG, else config/)');
const withoutDatabase = () => ({ withoutDatabase: true });

/** The command `agents`. */
export const agents = groupCommand('agents', `${STORE_HELP}\n${DATABASE_HELP}`, [
  command({
    name: 'list',
    description: 'list the agents of the configuration and of the store',
    options: [folderOption(), ...pageOptions(), urlOption(), jsonOption()],
    help: `${STORE_HELP}\n`,
    route: LIST,
    needs: withoutDatabase,
    pages: 'agents',
    items: 'agents',
    print: agentLines,
  }),
  plannedCommand({
    name: 'show',
    description: 'print an agent: from the store, else from the files',
    args: [new Argument('<name>', 'of the agent')],
    options: [
      folderOption(),
      urlOption(),
      new Option('--prompt', 'print its prompt instead, as sent to the model'),
      new Option('--structured', 'with --prompt: the prompt for structured output'),
      new Option('--tools', 'print its tools instead, as each provider is sent them'),
    ],
    help: `${STORE_HELP}
${TOOLS_HELP}`,
    plan: planShow,
  }),
  registerValidate,
  registerPush,
  registerPull,
  command({
    name: 'remove',
    description: 'remove an agent from the store, so that the files apply again',
    args: [new Argument('<name>', 'of the agent').argParser(readAgentName)],
    options: [byOption('who removes it'), urlOption()],
    route: 'POST /v1/agents/{name}/remove',
    print: (_, { api, args: { name } }) =>
      `${name}: removed from ${api.where}; the configuration's files apply`,
  }),
]);

function agentLines({ agents }: Answer<typeof LIST>): string[] {
  const width = (pick: (row: (typeof agents)[number]) => string) =>
    Math.max(...agents.map((row) => pick(row).length));
  const widths = { name: width(({ name }) => name), from: width(({ from }) => from) };
  return agents.map(({ name, from, fault, strategy, model, structured, description }) => {
    const facts = fault === null ? `${strategy}, ${model}${structured ? ', structured' : ''}` : '';
    const text = fault === null ? description : `cannot be used: ${fault}`;
    const rest = printableText([facts, text].filter((part) => part !== '').join('  '));
    return `${name.padEnd(widths.name)}  ${from.padEnd(widths.from)}  ${rest}`;
  });
}

interface ShowOptions {
  prompt?: boolean;
  structured?: boolean;
  tools?: boolean;
  config?: string;
}

function planShow(_: [string], { prompt, structured, tools, config }: ShowOptions) {
  if (structured && !prompt) throw new UsageError('--structured requires --prompt');
  if (tools && prompt) throw new UsageError('--tools and --prompt are printed one at a time');
  const load = async (agent: Answer<typeof SHOW>, { signal }: Call) =>
    (await import('./showTools.ts')).loadTools(agent, config, signal);
  const work = request<typeof SHOW>(
    {
      route: SHOW,
      send: () => ({ structured: structured ? 'true' : undefined }),
      ...(tools && { toJson: async (agent, call) => await load(agent, call) }),
      print: async (agent, call) =>
        tools
          ? (await import('./showTools.ts')).toolLines(await load(agent, call))
          : printAgent(agent, prompt ?? false),
    },
    withoutDatabase(),
  );
  const run = (call: Call) =>
    work.run(call).catch(async (error) => {
      const { withSuggestion } = await import('./suggest.ts');
      throw await withSuggestion(error, call.args.name ?? '', call.api);
    });
  return { ...work, run };
}

function printAgent({ from, stored, yaml, settings }: Answer<typeof SHOW>, prompt: boolean): string {
  report(
    stored === null
      ? `from ${from}`
      : `from the store, since ${stored.updatedAt} by ${printableText(stored.updatedBy)}`,
  );
  if (!prompt) return yaml.trimEnd();
  if (settings?.outputSchema !== undefined) report(`answers in the form ${settings.outputSchema}`);
  return settings?.instructions ?? '';
}

function readAgentName(name: string): string {
  if (/^[A-Za-z][A-Za-z0-9_-]{0,62}$/.test(name)) return name;
  throw new UsageError(`${JSON.stringify(name)} is not the name of an agent`);
}

// What these do is loaded when they run, so that the help does not need the configuration.

function registerValidate(group: Command): void {
  group
    .command('validate')
    .description('check files like agents/NAME.yaml against the configuration; without files its own agents')
    .argument('[files...]', 'the files')
    .addOption(folderOption())
    .addHelpText('after', VALIDATE_HELP)
    .action(async (files, options) => (await import('./validate.ts')).validateAgents(files, options));
}

function registerPush(group: Command): void {
  group
    .command('push')
    .description('check agents and store them; all of them, or none if one has faults')
    .argument('<files...>', 'files like agents/NAME.yaml')
    .addOption(folderOption())
    .addOption(byOption('who writes them'))
    .addOption(urlOption())
    .addHelpText('after', DATABASE_HELP)
    .action(async (files, options) => (await import('./edit.ts')).pushAgents(files, options));
}

function registerPull(group: Command): void {
  group
    .command('pull')
    .description('write stored agents to files, byte for byte as they were pushed')
    .argument('[names...]', 'of the agents (default: all that are stored)')
    .addOption(folderOption())
    .addOption(urlOption())
    .option('--output <folder>', "where to (default: agents/ of the configuration's folder)")
    .option('--force', 'overwrite files that hold something else')
    .addHelpText('after', DATABASE_HELP)
    .action(async (names, options) => (await import('./edit.ts')).pullAgents(names, options));
}
