// The commands of `inquest`: those that run the system on this machine, those that work on a running one, and those for what is deployed.

import { Command, CommanderError } from 'commander';
import { errorMessage } from '../shared/errors.ts';
import { Interrupted } from './interrupt.ts';
import { EXIT_CODES, UsageError } from './usageError.ts';

/** `publish` is another name of `send`. */
const loadSend = async () => (await import('./send.ts')).registerSend;

/** How each command is added to the program, in the order of the help. A command's modules are loaded for it alone. */
const COMMANDS: Record<string, () => Promise<(program: Command) => void>> = {
  demo: async () => (await import('./demo.ts')).registerDemo,
  start: async () => (await import('./start.ts')).registerStart,
  send: loadSend,
  publish: loadSend,
  list: async () => (await import('./list.ts')).registerList,
  show: async () => (await import('./show.ts')).registerShow,
  watch: async () => (await import('./watch.ts')).registerWatch,
  rerun: async () => (await import('./rerun.ts')).registerRerun,
  ask: async () => (await import('./ask.ts')).registerAsk,
  tell: async () => (await import('./tell.ts')).registerTell,
  pause: async () => (await import('./pause.ts')).registerPause,
  resume: async () => (await import('./pause.ts')).registerResume,
  cancel: async () => (await import('./cancel.ts')).registerCancel,
  approvals: async () => (await import('./approvals.ts')).registerApprovals,
  approve: async () => (await import('./approvals.ts')).registerApprove,
  deny: async () => (await import('./approvals.ts')).registerDeny,
  'start-deferred': async () => (await import('./startDeferred.ts')).registerStartDeferred,
  dropped: async () => (await import('./dropped.ts')).registerDropped,
  agents: async () => (await import('./agents.ts')).registerAgents,
  knowledge: async () => (await import('./knowledge.ts')).registerKnowledge,
  keys: async () => (await import('./keys.ts')).registerKeys,
  adapt: async () => (await import('./adapt.ts')).registerAdapt,
  'put-runbook': async () => (await import('./putRunbook.ts')).registerPutRunbook,
  route: async () => (await import('./route.ts')).registerRoute,
  'check-config': async () => (await import('./checkConfig.ts')).registerCheckConfig,
  doctor: async () => (await import('./doctor.ts')).registerDoctor,
  db: async () => (await import('./db.ts')).registerDb,
  migrate: async () => (await import('./migrate.ts')).registerMigrate,
  build: async () => (await import('./build.ts')).registerBuild,
};

/**
 * Runs the command that `args` call: `['db', 'ls']`. Where one ends otherwise than well or badly, it says so in `process.exitCode`.
 * @returns the exit code of a command that failed or was called wrongly, after saying why; undefined when it ran to its end.
 */
export async function runProgram(args: string[]): Promise<number | undefined> {
  try {
    const program = await programFor(args[0]);
    await program.parseAsync(args, { from: 'user' });
    return undefined;
  } catch (error) {
    return reportError(error);
  }
}

/** The program with the command that is called, or with all of them when the first argument names none. */
async function programFor(called = ''): Promise<Command> {
  const program = new Command('inquest')
    .description('Investigates alerts with Gemini agents, on Pub/Sub, Cloud Run functions and Firestore.')
    .showHelpAfterError()
    .exitOverride()
    .addHelpText('after', `\n\`inquest help COMMAND\` explains a command.${EXIT_CODES}`);
  const named = Object.hasOwn(COMMANDS, called) ? COMMANDS[called] : undefined;
  for (const load of named ? [named] : new Set(Object.values(COMMANDS))) (await load())(program);
  return program;
}

/** Says what went wrong, unless that was said before, and gives the exit code. */
export function reportError(error: unknown): number {
  if (error instanceof Interrupted) return error.exitCode;
  // Its message is written, and its code is 0 where help was asked for.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  console.error(process.env.DEBUG ? error : `inquest: ${errorMessage(error)}`);
  return error instanceof UsageError ? 2 : 1;
}
