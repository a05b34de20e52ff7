// The commands of `inquest`: those that run the system on this machine, those that work on a running one, and those for what is deployed.

import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { errorMessage } from '../shared/errors.ts';
import { Interrupted } from './process/interrupt.ts';
import { EXIT_CODES, UsageError } from './process/usageError.ts';

/** `publish` is another name of `send`. */
const loadSend = async () => (await import('./commands/send.ts')).registerSend;

const PACKAGE = new URL('../package.json', import.meta.url);

/** How each command is added to the program, in the order of the help. A command's modules are loaded for it alone. */
const COMMANDS: Record<string, () => Promise<(program: Command) => void>> = {
  demo: async () => (await import('./commands/direct/demo.ts')).registerDemo,
  start: async () => (await import('./commands/direct/start.ts')).registerStart,
  send: loadSend,
  publish: loadSend,
  list: async () => (await import('./commands/list.ts')).registerList,
  show: async () => (await import('./commands/show.ts')).registerShow,
  watch: async () => (await import('./commands/watch.ts')).registerWatch,
  rerun: async () => (await import('./commands/rerun.ts')).registerRerun,
  ask: async () => (await import('./commands/ask.ts')).registerAsk,
  tell: async () => (await import('./commands/tell.ts')).registerTell,
  pause: async () => (await import('./commands/pause.ts')).registerPause,
  resume: async () => (await import('./commands/pause.ts')).registerResume,
  cancel: async () => (await import('./commands/cancel.ts')).registerCancel,
  approvals: async () => (await import('./commands/approvals.ts')).registerApprovals,
  approve: async () => (await import('./commands/approvals.ts')).registerApprove,
  deny: async () => (await import('./commands/approvals.ts')).registerDeny,
  'start-deferred': async () => (await import('./commands/startDeferred.ts')).registerStartDeferred,
  dropped: async () => (await import('./commands/dropped.ts')).registerDropped,
  agents: async () => (await import('./commands/agents.ts')).registerAgents,
  knowledge: async () => (await import('./commands/knowledge.ts')).registerKnowledge,
  keys: async () => (await import('./commands/direct/keys.ts')).registerKeys,
  adapt: async () => (await import('./commands/direct/adapt.ts')).registerAdapt,
  'put-runbook': async () => (await import('./commands/direct/putRunbook.ts')).registerPutRunbook,
  route: async () => (await import('./commands/direct/route.ts')).registerRoute,
  'check-config': async () => (await import('./commands/direct/checkConfig.ts')).registerCheckConfig,
  doctor: async () => (await import('./commands/direct/doctor.ts')).registerDoctor,
  db: async () => (await import('./commands/direct/db.ts')).registerDb,
  migrate: async () => (await import('./commands/direct/migrate.ts')).registerMigrate,
  build: async () => (await import('./commands/direct/build.ts')).registerBuild,
  version: async () => registerVersion,
};

/**
 * Runs the command that `args` call: `['db', 'ls']`. Commands with other exit codes set `process.exitCode`.
 * @returns the exit code of a command that failed or was called wrongly, after reporting why; undefined when it ran to its end.
 */
export async function runProgram(args: string[]): Promise<number | undefined> {
  // Commander answers a question about an unknown command with the general help.
  const [first, asked] = args;
  const called = first === 'help' && asked !== undefined && !Object.hasOwn(COMMANDS, asked) ? [asked] : args;
  const program = await programFor(called[0]);
  try {
    await program.parseAsync(called, { from: 'user' });
    return undefined;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode !== 0) writeUsage(program, called, error);
    return reportError(error);
  }
}

/** The program with the command that is called, or with all of them when the first argument names none. */
export async function programFor(called = ''): Promise<Command> {
  const version: string = JSON.parse(readFileSync(PACKAGE, 'utf8')).version;
  const program = new Command('inquest')
    .description('Investigates alerts with Gemini agents, on Pub/Sub, Cloud Run functions and Firestore.')
    .version(version, '-V, --version', 'print the version of Inquest')
    .exitOverride()
    // writeUsage prints them.
    .configureOutput({ outputError: () => {} })
    .addHelpText('after', `\n\`inquest help COMMAND\` explains a command.${EXIT_CODES}`);
  const named = Object.hasOwn(COMMANDS, called) ? COMMANDS[called] : undefined;
  for (const load of named ? [named] : new Set(Object.values(COMMANDS))) (await load())(program);
  return program;
}

function registerVersion(program: Command): void {
  program
    .command('version')
    .description('print the version of Inquest')
    .action(() => void process.stdout.write(`${program.version()}\n`));
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
