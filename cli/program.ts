// The commands of `inquest`: those that run the system on this machine, those that work on a running one, and those for what is deployed.

import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { errorMessage } from '../shared/errors.ts';
import { Interrupted } from './process/interrupt.ts';
import { EXIT_CODES, UsageError } from './process/usageError.ts';

const PACKAGE = new URL('../package.json', import.meta.url);

/** A command of the program. */
interface ProgramCommand {
  /** A second name. */
  alias?: string;
  /** One line for the general help and for its own. */
  summary: string;
  /** Gives the function that adds it to a program. Its modules are loaded for this command only. */
  load(): Promise<(program: Command) => void>;
}

/** All commands, in the order of the help. */
const COMMANDS: Record<string, ProgramCommand> = {
  demo: {
    summary: 'run the system on this machine, investigate the alert of an example, and stop everything',
    load: async () => (await import('./commands/direct/demo.ts')).registerDemo,
  },
  start: {
    summary: 'run the system on this machine until Ctrl-C',
    load: async () => (await import('./commands/direct/start.ts')).registerStart,
  },
  send: {
    alias: 'publish',
    summary: 'publish an alert to a running system, and print its investigation until it ends',
    load: async () => (await import('./commands/send.ts')).registerSend,
  },
  list: {
    summary: 'list past and running sessions, the newest first',
    load: async () => (await import('./commands/list.ts')).registerList,
  },
  show: {
    summary: 'show a session: alert, agents, timeline, analysis, cost',
    load: async () => (await import('./commands/show.ts')).registerShow,
  },
  watch: {
    summary: 'print the timeline of a session as it grows, until the session ends',
    load: async () => (await import('./commands/watch.ts')).registerWatch,
  },
  rerun: {
    summary: "investigate a session's alert again, with today's configuration, and print it until it ends",
    load: async () => (await import('./commands/rerun.ts')).registerRerun,
  },
  ask: {
    summary: 'ask about a session that has ended, or something new, and print the answer as it is found',
    load: async () => (await import('./commands/ask.ts')).registerAsk,
  },
  guide: {
    alias: 'tell',
    summary: 'give guidance to the agents of an investigation that runs',
    load: async () => (await import('./commands/guide.ts')).registerGuide,
  },
  pause: {
    summary: 'pause an investigation that runs, after the iterations that are under way',
    load: async () => (await import('./commands/pause.ts')).registerPause,
  },
  resume: {
    summary: 'let an investigation go on that was paused',
    load: async () => (await import('./commands/pause.ts')).registerResume,
  },
  cancel: {
    summary: 'end an investigation that is running, or the answer to a question',
    load: async () => (await import('./commands/cancel.ts')).registerCancel,
  },
  approvals: {
    summary: 'list the tool calls that wait for approval',
    load: async () => (await import('./commands/approvals.ts')).registerApprovals,
  },
  approve: {
    summary: 'let a tool call run that waits for approval, with the arguments that are shown',
    load: async () => (await import('./commands/approvals.ts')).registerApprove,
  },
  deny: {
    summary: 'have a tool call that waits for approval not run; the agent is told, and goes on without it',
    load: async () => (await import('./commands/approvals.ts')).registerDeny,
  },
  'start-deferred': {
    summary: 'start an investigation that was deferred',
    load: async () => (await import('./commands/startDeferred.ts')).registerStartDeferred,
  },
  dropped: {
    summary: 'count the alerts that triage dropped',
    load: async () => (await import('./commands/dropped.ts')).registerDropped,
  },
  agents: {
    summary: 'list, show, check and store agents',
    load: async () => (await import('./commands/agents.ts')).registerAgents,
  },
  knowledge: {
    summary: 'store, list, search, show and remove entries of the knowledge base',
    load: async () => (await import('./commands/knowledge.ts')).registerKnowledge,
  },
  keys: {
    summary: 'make, list and revoke keys of programs that ask the deployed API',
    load: async () => (await import('./commands/direct/keys.ts')).registerKeys,
  },
  adapt: {
    summary: 'say what an alert is read as, and why',
    load: async () => (await import('./commands/direct/adapt.ts')).registerAdapt,
  },
  'put-runbook': {
    summary: 'store runbooks in Firestore, in the place of those with the same keys',
    load: async () => (await import('./commands/direct/putRunbook.ts')).registerPutRunbook,
  },
  route: {
    summary: 'say which chain an alert gets, and why',
    load: async () => (await import('./commands/direct/route.ts')).registerRoute,
  },
  'check-config': {
    summary:
      'check a configuration: its files, the commands of its servers, the tools its agents name, whether their fallback models can be asked, and the secrets of webhooks',
    load: async () => (await import('./commands/direct/checkConfig.ts')).registerCheckConfig,
  },
  doctor: {
    summary: 'say what is installed and reachable, what is missing, and how to get it',
    load: async () => (await import('./commands/direct/doctor.ts')).registerDoctor,
  },
  db: {
    summary: 'look into Firestore, at documents as they are stored',
    load: async () => (await import('./commands/direct/db.ts')).registerDb,
  },
  migrate: {
    summary:
      'rewrite stored documents of older versions in the current one; may be stopped and started again at any time',
    load: async () => (await import('./commands/direct/migrate.ts')).registerMigrate,
  },
  build: {
    summary: 'bundle the functions, the API with its dashboard and the configuration into dist/',
    load: async () => (await import('./commands/direct/build.ts')).registerBuild,
  },
  version: { summary: 'print the version of Inquest', load: async () => registerVersion },
};

/**
 * Runs the command that `args` call: `['db', 'ls']`. Commands with other exit codes set `process.exitCode`.
 * @returns the exit code of a command that failed or was called wrongly, after reporting why; undefined when it ran to its end.
 */
export async function runProgram(args: string[]): Promise<number | undefined> {
  const [first, asked] = args;
  const isHelp = first === 'help' && asked !== undefined;
  // Commander answers a question about an unknown command with the general help.
  const called = isHelp && nameOf(asked) === undefined ? [asked] : args;
  const program = await programFor(isHelp ? asked : first);
  try {
    await program.parseAsync(called, { from: 'user' });
    return undefined;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode !== 0) writeUsage(program, called, error);
    return reportError(error);
  }
}

/** The program with the command that is called; with the names and summaries of all commands when the argument names none. */
async function programFor(called = ''): Promise<Command> {
  const program = emptyProgram();
  const name = nameOf(called);
  if (name !== undefined) await addCommand(program, name);
  else
    for (const [each, { alias, summary }] of Object.entries(COMMANDS)) {
      const command = program.command(each).description(summary);
      if (alias !== undefined) command.alias(alias);
    }
  return program;
}

/**
 * The program with all commands. It loads the modules of all of them.
 * @internal for the test and the generator of docs/cli.md
 */
export async function wholeProgram(): Promise<Command> {
  const program = emptyProgram();
  for (const name of Object.keys(COMMANDS)) await addCommand(program, name);
  return program;
}

function emptyProgram(): Command {
  const version: string = JSON.parse(readFileSync(PACKAGE, 'utf8')).version;
  return (
    new Command('inquest')
      .description('Investigates alerts with Gemini agents, on Pub/Sub, Cloud Run functions and Firestore.')
      .version(version, '-V, --version', 'print the version of Inquest')
      .exitOverride()
      // writeUsage prints them.
      .configureOutput({ outputError: () => {} })
      .addHelpText('after', `\n\`inquest help COMMAND\` explains a command.${EXIT_CODES}`)
  );
}

/** The name of the command that is called by its name or its alias; undefined when there is none. */
function nameOf(called: string): string | undefined {
  const found = Object.entries(COMMANDS).find(([name, { alias }]) => name === called || alias === called);
  return found?.[0];
}

async function addCommand(program: Command, name: string): Promise<void> {
  const command = COMMANDS[name];
  if (command === undefined) return;
  (await command.load())(program);
  const added = program.commands.find((one) => one.name() === name)?.description(command.summary);
  if (command.alias !== undefined) added?.alias(command.alias);
}

function registerVersion(program: Command): void {
  program.command('version').action(() => void process.stdout.write(`${program.version()}\n`));
}

/** Writes how the called command is used, then the error: the last line is what a terminal still shows. */
function writeUsage(program: Command, args: readonly string[], error: CommanderError): void {
  // Help that was printed in place of an error.
  if (error.code === 'commander.help') return;
  const command = calledCommand(program, args);
  const usage = `Usage: ${command.createHelp().commandUsage(command)}`;
  const help = ['inquest', 'help', ...namesOf(command).slice(1, 2)].join(' ');
  console.error(`${usage}\n\`${help}\` explains it.\n\n${error.message.replaceAll('\n', ' ')}`);
}

/** The command, or the command of a command, that `args` begin with; the program when they begin with none. */
function calledCommand(program: Command, args: readonly string[]): Command {
  const [name, ...rest] = args;
  const command = program.commands.find((one) => one.name() === name || one.aliases().includes(name ?? ''));
  return command === undefined ? program : calledCommand(command, rest);
}

/** `['inquest', 'agents', 'push']`. */
function namesOf(command: Command): string[] {
  return [...(command.parent ? namesOf(command.parent) : []), command.name()];
}

/** Reports what went wrong, unless that was reported before, and returns the exit code. */
export function reportError(error: unknown): number {
  if (error instanceof Interrupted) return error.exitCode;
  // Its message is written, and its code is 0 where help was asked for.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  console.error(process.env.DEBUG ? error : `inquest: ${errorMessage(error)}`);
  return error instanceof UsageError ? 2 : 1;
}
