// Lists the commands of `inquest`, loads the one that is called, and reports usage errors.

import { Argument, Command, CommanderError } from 'commander';
import { errorMessage } from '../shared/errors.ts';
import { packageVersion } from '../shared/projectFiles.ts';
import { thrownFault } from '../shared/text/issues.ts';
import { completionScript, SHELLS, type Shell } from './print/completion.ts';
import { wrapLabelled } from './print/textTable.ts';
import { Interrupted } from './process/interrupt.ts';
import { loadVariables } from './process/loadVariables.ts';
import { EXIT_CODES, UsageError } from './process/usageError.ts';

/** A command of the program. */
interface ProgramCommand {
  /** A second name. */
  alias?: string;
  /** One line, for the general help and the help of the command. */
  summary: string;
  /** Loads the command's modules and returns the function that adds it to a program. */
  load(): Promise<(program: Command) => void>;
}

/** All commands by the headings of the general help, in its order: the six of the first day first. */
const GROUPS: Record<string, Record<string, ProgramCommand>> = {
  'Start here:': {
    demo: {
      summary: 'start the system on this machine, investigate an example alert, then stop the system',
      load: async () => (await import('./commands/direct/demo.ts')).registerDemo,
    },
    init: {
      summary: 'write a configuration for your own alerts and systems, and check it',
      load: async () => (await import('./commands/direct/init.ts')).registerInit,
    },
    start: {
      summary: 'run the system on this machine until Ctrl-C',
      load: async () => (await import('./commands/direct/start.ts')).registerStart,
    },
    send: {
      alias: 'publish',
      summary: 'publish an alert to a running system and follow its investigation',
      load: async () => (await import('./commands/send.ts')).registerSend,
    },
    list: {
      summary: 'list sessions, newest first',
      load: async () => (await import('./commands/list.ts')).registerList,
    },
    show: {
      summary: 'show a session: alert, agents, timeline, analysis, cost',
      load: async () => (await import('./commands/session/show.ts')).registerShow,
    },
  },
  'Look:': {
    watch: {
      summary: 'follow the timeline of a session until it ends',
      load: async () => (await import('./commands/session/watch.ts')).registerWatch,
    },
    why: {
      summary: 'show the fate of an alert, which rule decided it, and the fix',
      load: async () => (await import('./commands/why.ts')).registerWhy,
    },
    claims: {
      summary: 'show the verdict on a session and the checked evidence',
      load: async () => (await import('./commands/session/claims.ts')).registerClaims,
    },
    changes: {
      summary: 'list changes of resources, show one, show how a message is read as changes',
      load: async () => (await import('./commands/changes.ts')).registerChanges,
    },
    deliveries: {
      summary: 'list the messages about a session, and send one again',
      load: async () => (await import('./commands/deliveries.ts')).registerDeliveries,
    },
    approvals: {
      summary: 'list tool calls that wait for approval',
      load: async () => (await import('./commands/approvals.ts')).registerApprovals,
    },
    trace: {
      summary: 'show the spans of a session: times, tokens, cost, attempts, waits',
      load: async () => (await import('./commands/cases/trace.ts')).registerTrace,
    },
    budgets: {
      summary: 'show how much of each budget of tokens is used, and the forecast',
      load: async () => (await import('./commands/counts/budgets.ts')).registerBudgets,
    },
    calibration: {
      summary: 'show how often analyses were right by reviews, by chain, models and verdict',
      load: async () => (await import('./commands/cases/calibration.ts')).registerCalibration,
    },
    dropped: {
      summary: 'count the alerts that triage dropped',
      load: async () => (await import('./commands/counts/dropped.ts')).registerDropped,
    },
    diff: {
      summary: 'compare two sessions: verdict, hypotheses, calls, tokens, cost, time',
      load: async () => (await import('./commands/cases/diff.ts')).registerDiff,
    },
    db: {
      summary: 'read stored documents in Firestore',
      load: async () => (await import('./commands/direct/db.ts')).registerDb,
    },
  },
  'Steer:': {
    ask: {
      summary: 'ask about an ended session, or open a chat, and follow the answer',
      load: async () => (await import('./commands/ask.ts')).registerAsk,
    },
    guide: {
      alias: 'tell',
      summary: 'give guidance to the agents of a running investigation',
      load: async () => (await import('./commands/session/guide.ts')).registerGuide,
    },
    approve: {
      summary: 'approve a waiting tool call, with the arguments as shown',
      load: async () => (await import('./commands/approvals.ts')).registerApprove,
    },
    deny: {
      summary: 'deny a waiting tool call; its agent continues without the result',
      load: async () => (await import('./commands/approvals.ts')).registerDeny,
    },
    pause: {
      summary: 'pause a running investigation after its current iterations',
      load: async () => (await import('./commands/session/control.ts')).registerPause,
    },
    resume: {
      summary: 'resume a paused investigation',
      load: async () => (await import('./commands/session/control.ts')).registerResume,
    },
    cancel: {
      summary: 'cancel a running investigation, or the answer to a question',
      load: async () => (await import('./commands/session/control.ts')).registerCancel,
    },
    'start-deferred': {
      summary: 'start a deferred investigation',
      load: async () => (await import('./commands/session/control.ts')).registerStartDeferred,
    },
    rerun: {
      summary: "investigate a session's alert again with the current configuration",
      load: async () => (await import('./commands/send.ts')).registerRerun,
    },
    work: {
      summary: 'claim a session, add notes and actions, resolve it, review its analysis',
      load: async () => (await import('./commands/session/work.ts')).registerWork,
    },
    split: {
      summary: 'take an alert that joined a session out of it',
      load: async () => (await import('./commands/session/grouping.ts')).registerSplit,
    },
    merge: {
      summary: 'merge a session into another open one',
      load: async () => (await import('./commands/session/grouping.ts')).registerMerge,
    },
    check: {
      summary: 'request a check, such as some minutes after a rollout',
      load: async () => (await import('./commands/checks.ts')).registerCheck,
    },
    schedules: {
      summary: 'list the schedules of checks; run, pause or resume one',
      load: async () => (await import('./commands/checks.ts')).registerSchedules,
    },
    'catch-up': {
      summary: 'publish alerts that fire at their sources and did not arrive',
      load: async () => (await import('./commands/catchUp.ts')).registerCatchUp,
    },
  },
  'Configure:': {
    'check-config': {
      summary: 'check a configuration: files, MCP servers, tool names, fallback models and webhook secrets',
      load: async () => (await import('./commands/direct/checkConfig.ts')).registerCheckConfig,
    },
    doctor: {
      summary: 'check the installation: available parts, missing parts, and how to fix them',
      load: async () => (await import('./commands/direct/doctor.ts')).registerDoctor,
    },
    packs: {
      summary: 'list, show, add and check the packs: MCP servers that Inquest knows',
      load: async () => (await import('./commands/direct/packs.ts')).registerPacks,
    },
    servers: {
      summary: 'log in to MCP servers that need a person',
      load: async () => (await import('./commands/direct/servers.ts')).registerServers,
    },
    agents: {
      summary: 'list, show, check and store agents',
      load: async () => (await import('./commands/agents.ts')).registerAgents,
    },
    knowledge: {
      summary: 'store, list, search, show and remove entries of the knowledge base',
      load: async () => (await import('./commands/knowledge.ts')).registerKnowledge,
    },
    route: {
      summary: 'show which chain an alert gets, and why',
      load: async () => (await import('./commands/direct/route.ts')).registerRoute,
    },
    adapt: {
      summary: 'show how an alert is read, and why',
      load: async () => (await import('./commands/direct/adapt.ts')).registerAdapt,
    },
    resources: {
      summary: 'show the resource and the service that labels name',
      load: async () => (await import('./commands/resources.ts')).registerResources,
    },
    notify: {
      summary: 'try a destination: send a test message, print a message, print the manifest of a Slack app',
      load: async () => (await import('./commands/direct/notify.ts')).registerNotify,
    },
    'put-runbook': {
      summary: 'store runbooks in Firestore, replacing those with the same keys',
      load: async () => (await import('./commands/direct/putRunbook.ts')).registerPutRunbook,
    },
    'put-enrichment': {
      summary: 'store or delete rows of a table of enrich.yaml in Firestore',
      load: async () => (await import('./commands/direct/putEnrichment.ts')).registerPutEnrichment,
    },
  },
  'Deploy and operate:': {
    deploy: {
      summary:
        'deploy to a Google Cloud project with Terraform or OpenTofu, roll back, or delete an installation',
      load: async () => (await import('./commands/direct/deploy.ts')).registerDeploy,
    },
    build: {
      summary: 'bundle the functions, the API with its dashboard and the configuration into dist/',
      load: async () => (await import('./commands/direct/build.ts')).registerBuild,
    },
    migrate: {
      summary: 'upgrade stored documents to the current version; safe to stop and restart',
      load: async () => (await import('./commands/direct/migrate.ts')).registerMigrate,
    },
    keys: {
      summary: 'create, list and revoke API keys for programs',
      load: async () => (await import('./commands/direct/keys.ts')).registerKeys,
    },
    erase: {
      summary: 'delete everything of a session or of a tenant, and name the rest',
      load: async () => (await import('./commands/direct/erase.ts')).registerErase,
    },
    completion: {
      summary: 'print a script that completes commands and options in bash, zsh or fish',
      load: async () => registerCompletion,
    },
    version: { summary: 'print the version of Inquest', load: async () => registerVersion },
  },
  'Evaluate and develop:': {
    record: {
      summary: 'record an ended session as a case: its documents, masked a second time',
      load: async () => (await import('./commands/cases/record.ts')).registerRecord,
    },
    replay: {
      summary: 'replay a session or a case: with its stored answers, or with a model and other agents',
      load: async () => (await import('./commands/cases/replay.ts')).registerReplay,
    },
    evaluate: {
      summary: 'investigate every case of a folder with one or more models, and score them',
      load: async () => (await import('./commands/cases/evaluate.ts')).registerEvaluate,
    },
    bench: {
      summary: 'run a public benchmark, and count right answers and verdicts',
      load: async () => (await import('./commands/cases/bench.ts')).registerBench,
    },
    'import-cases': {
      summary: 'write the cases of a public benchmark as folders for evaluate',
      load: async () => (await import('./commands/cases/importCases.ts')).registerImportCases,
    },
  },
};

const COMMANDS: Record<string, ProgramCommand> = Object.assign({}, ...Object.values(GROUPS));

/**
 * Runs the command in `args`, for example `['db', 'ls']`. Commands with other exit codes set `process.exitCode`.
 * @returns undefined when the command completed; otherwise its exit code, after reporting the error.
 */
export async function runProgram(args: string[]): Promise<number | undefined> {
  const [first, topic] = args;
  const isHelp = first === 'help' && topic !== undefined;
  // For the help of an unknown command, Commander would print the general help.
  const called = isHelp && nameOf(topic) === undefined ? [topic] : args;
  if (process.env.INQUEST_CONFIG) loadVariables(process.env.INQUEST_CONFIG, process.env);
  const program = await programFor(isHelp ? topic : first);
  try {
    await program.parseAsync(called, { from: 'user' });
    return undefined;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode !== 0) writeUsage(program, called, error);
    return reportError(error);
  }
}

/** The program with the called command only; with the names and summaries of all commands if `called` is no command. */
async function programFor(called = ''): Promise<Command> {
  const program = emptyProgram();
  const name = nameOf(called);
  if (name !== undefined) await addCommand(program, name);
  else
    for (const [heading, commands] of Object.entries(GROUPS))
      for (const [each, { alias, summary }] of Object.entries(commands)) {
        const command = program.command(each).description(summary).helpGroup(heading);
        if (alias !== undefined) command.alias(alias);
      }
  return program;
}

/**
 * The program with all commands. Loads the modules of all of them.
 * @internal for the test and the generator of docs/cli.md
 */
export async function wholeProgram(): Promise<Command> {
  const program = emptyProgram();
  for (const [heading, commands] of Object.entries(GROUPS))
    for (const name of Object.keys(commands)) {
      await addCommand(program, name);
      program.commands.at(-1)?.helpGroup(heading);
    }
  return program;
}

function emptyProgram(): Command {
  return (
    new Command('inquest')
      .description('Investigates alerts with Gemini agents, on Pub/Sub, Cloud Run functions and Firestore.')
      .version(packageVersion(), '-V, --version', 'print the version of Inquest')
      .exitOverride()
      // writeUsage prints them.
      .configureOutput({ outputError: () => {}, writeOut: writeHelp })
      .addHelpText('after', `\n\`inquest help COMMAND\` explains a command.${EXIT_CODES}`)
  );
}

/** Commander breaks only what is long in wide terminals. */
function writeHelp(text: string): void {
  const { columns } = process.stdout;
  process.stdout.write(
    text
      .split('\n')
      .flatMap((line) => wrapLabelled(line, columns))
      .join('\n'),
  );
}

/** The name of the command with this name or alias; undefined when there is none. */
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

function registerCompletion(program: Command): void {
  program
    .command('completion')
    .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
    .addHelpText(
      'after',
      `
  bash: source <(inquest completion bash)        zsh: source <(inquest completion zsh)
  fish: inquest completion fish | source

in the start file of the shell. The script knows the commands and options of this version.`,
    )
    .action(async (shell: Shell) => {
      process.stdout.write(completionScript(shell, await wholeProgram()));
    });
}

function registerVersion(program: Command): void {
  program.command('version').action(() => void process.stdout.write(`${program.version()}\n`));
}

/** Writes the usage of the called command, then the error, so that the error is the last line on the terminal. */
function writeUsage(program: Command, args: readonly string[], error: CommanderError): void {
  const command = calledCommand(program, args);
  // Commander printed the help instead of an error.
  if (error.code === 'commander.help') {
    const names = command.commands.map((one) => one.name()).join(', ');
    console.error(`\nerror: missing command${command.parent ? `; expected one of ${names}` : ''}`);
    return;
  }
  const usage = `Usage: ${command.createHelp().commandUsage(command)}`;
  const help = ['inquest', 'help', ...namesOf(command).slice(1, 2)].join(' ');
  console.error(`${usage}\n\`${help}\` explains it.\n\n${error.message.replaceAll('\n', ' ')}`);
}

/** The command or subcommand at the start of `args`; the program if there is none. */
function calledCommand(program: Command, args: readonly string[]): Command {
  const [name, ...rest] = args;
  const command = program.commands.find((one) => one.name() === name || one.aliases().includes(name ?? ''));
  return command === undefined ? program : calledCommand(command, rest);
}

/** `['inquest', 'agents', 'push']`. */
function namesOf(command: Command): string[] {
  return [...(command.parent ? namesOf(command.parent) : []), command.name()];
}

/** Reports an error that was not reported before. Returns the exit code. */
export function reportError(error: unknown): number {
  if (error instanceof Interrupted) return error.exitCode;
  // Its message was written before. The code is 0 after `--help`.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  console.error(process.env.DEBUG ? error : `inquest: ${thrownFault(error) ?? errorMessage(error)}`);
  return error instanceof UsageError ? 2 : 1;
}
