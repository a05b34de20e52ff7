// Lists the commands of `inquest`, loads the one that is called, and reports usage errors.

import { Argument, Command, CommanderError } from 'commander';
import { errorMessage } from '../shared/core/errors.ts';
import { packageVersion } from '../shared/projectFiles.ts';
import { thrownFault } from '../shared/text/zodIssues.ts';
import { completionScript, SHELLS, type Shell } from './print/completion.ts';
import { wrapLabelled } from './print/textTable.ts';
import { Interrupted } from './process/interrupt.ts';
import { loadVariables } from './process/loadVariables.ts';
import { EXIT_CODES, UsageError } from './process/usageError.ts';

type Load = () => Promise<(program: Command) => void>;

const demo = async () => (await import('./commands/direct/demo.ts')).registerDemo;
const init = async () => (await import('./commands/direct/init.ts')).registerInit;
const start = async () => (await import('./commands/direct/start.ts')).registerStart;
const send = async () => (await import('./commands/send.ts')).send;
const list = async () => (await import('./commands/list.ts')).list;
const show = async () => (await import('./commands/session/show.ts')).show;
const exportConversation = async () => (await import('./commands/session/export.ts')).exportConversation;
const watch = async () => (await import('./commands/session/watch.ts')).watch;
const why = async () => (await import('./features/alertFates/why.ts')).why;
const claims = async () => (await import('./features/claims/claims.ts')).claims;
const changes = async () => (await import('./features/changes/changes.ts')).changes;
const deliveries = async () => (await import('./features/deliveries/deliveries.ts')).deliveries;
const approvals = async () => (await import('./features/approvals/approvals.ts')).approvals;
const trace = async () => (await import('./features/telemetry/trace.ts')).registerTrace;
const budgets = async () => (await import('./features/budgets/budgets.ts')).budgets;
const score = async () => (await import('./features/score/score.ts')).score;
const calibration = async () => (await import('./features/work/calibration.ts')).calibration;
const dropped = async () => (await import('./features/alerts/dropped.ts')).dropped;
const diff = async () => (await import('./features/compare/diff.ts')).registerDiff;
const db = async () => (await import('./commands/direct/db.ts')).registerDb;
const ask = async () => (await import('./features/chat/ask.ts')).ask;
const guide = async () => (await import('./features/guidance/guide.ts')).guide;
const approve = async () => (await import('./features/approvals/approvals.ts')).approve;
const deny = async () => (await import('./features/approvals/approvals.ts')).deny;
const pause = async () => (await import('./commands/session/control.ts')).pause;
const resume = async () => (await import('./commands/session/control.ts')).resume;
const cancel = async () => (await import('./commands/session/control.ts')).cancel;
const startDeferred = async () => (await import('./commands/session/control.ts')).startDeferred;
const postmortem = async () => (await import('./features/postmortem/postmortem.ts')).postmortem;
const topology = async () => (await import('./features/topology/topology.ts')).topology;
const fork = async () => (await import('./features/fork/fork.ts')).fork;
const rerun = async () => (await import('./commands/send.ts')).rerun;
const work = async () => (await import('./features/work/work.ts')).work;
const split = async () => (await import('./features/correlation/grouping.ts')).split;
const merge = async () => (await import('./features/correlation/grouping.ts')).merge;
const check = async () => (await import('./features/checks/checks.ts')).check;
const schedules = async () => (await import('./features/checks/checks.ts')).schedules;
const catchUp = async () => (await import('./features/alertFates/catchUp.ts')).registerCatchUp;
const checkConfig = async () => (await import('./commands/direct/checkConfig.ts')).registerCheckConfig;
const doctor = async () => (await import('./commands/direct/doctor.ts')).registerDoctor;
const packs = async () => (await import('./commands/direct/packs.ts')).registerPacks;
const servers = async () => (await import('./commands/direct/servers.ts')).registerServers;
const agents = async () => (await import('./features/agents/agents.ts')).agents;
const knowledge = async () => (await import('./features/knowledge/knowledge.ts')).knowledge;
const route = async () => (await import('./commands/direct/route.ts')).registerRoute;
const adapt = async () => (await import('./features/alerts/adapt.ts')).registerAdapt;
const resources = async () => (await import('./commands/resources.ts')).registerResources;
const notify = async () => (await import('./features/deliveries/notify.ts')).registerNotify;
const putRunbook = async () => (await import('./features/runbooks/putRunbook.ts')).registerPutRunbook;
const putEnrichment = async () =>
  (await import('./features/enrichment/putEnrichment.ts')).registerPutEnrichment;
const deploy = async () => (await import('./commands/direct/deploy.ts')).registerDeploy;
const build = async () => (await import('./commands/direct/build.ts')).registerBuild;
const migrate = async () => (await import('./commands/direct/migrate.ts')).registerMigrate;
const keys = async () => (await import('./commands/direct/keys.ts')).registerKeys;
const erase = async () => (await import('./commands/direct/erase.ts')).registerErase;
const record = async () => (await import('./commands/cases/record.ts')).registerRecord;
const replay = async () => (await import('./commands/cases/replay.ts')).registerReplay;
const evaluate = async () => (await import('./commands/cases/evaluate.ts')).registerEvaluate;
const bench = async () => (await import('./commands/cases/bench.ts')).registerBench;
const importCases = async () => (await import('./commands/cases/importCases.ts')).registerImportCases;

/** A command: its line in the general help and in its own, its loader, and its second name. */
type ListedCommand = readonly [summary: string, load: Load, alias?: string];

/** All commands by the headings of the general help, in its order: the six of the first day first. */
const GROUPS: Record<string, Record<string, ListedCommand>> = {
  'Start here:': {
    demo: ['start the system on this machine, investigate an example alert, then stop the system', demo],
    init: ['write a configuration for your own alerts and systems, and check it', init],
    start: ['run the system on this machine until Ctrl-C', start],
    send: ['publish an alert to a running system and follow its investigation', send, 'publish'],
    list: ['list sessions, newest first', list],
    show: ['show a session: alert, agents, timeline, analysis, cost', show],
  },
  'Look:': {
    watch: ['follow the timeline of a session until it ends', watch],
    why: ['show the fate of an alert, which rule decided it, and the fix', why],
    claims: ['show the verdict on a session and the checked evidence', claims],
    changes: ['list changes of resources, show one, show how a message is read as changes', changes],
    topology: ['list the edges between workloads that sessions learned', topology],
    deliveries: ['list the messages about a session, and send one again', deliveries],
    approvals: ['list tool calls that wait for approval', approvals],
    export: ["print the conversation of an agent in the form of a provider's API", exportConversation],
    postmortem: ['print a draft of a postmortem of one or several sessions', postmortem],
    trace: ['show the spans of a session: times, tokens, cost, attempts, waits', trace],
    budgets: ['show how much of each budget of tokens is used, and the forecast', budgets],
    calibration: ['show how often analyses were right by reviews, by chain, models and verdict', calibration],
    dropped: ['count the alerts that triage dropped', dropped],
    diff: ['compare two sessions: verdict, hypotheses, calls, tokens, cost, time', diff],
    db: ['read stored documents in Firestore', db],
  },
  'Steer:': {
    ask: ['ask about an ended session, or open a chat, and follow the answer', ask],
    guide: ['give guidance to the agents of a running investigation', guide, 'tell'],
    approve: ['approve a waiting tool call, with the arguments as shown', approve],
    deny: ['deny a waiting tool call; its agent continues without the result', deny],
    pause: ['pause a running investigation after its current iterations', pause],
    resume: ['resume a paused investigation', resume],
    cancel: ['cancel a running investigation, or the answer to a question', cancel],
    'start-deferred': ['start a deferred investigation', startDeferred],
    fork: ['continue an agent of a session from an event on, and compare both sessions', fork],
    rerun: ["investigate a session's alert again with the current configuration", rerun],
    score: ['have a judge model score an ended investigation, once', score],
    work: ['claim a session, add notes and actions, resolve it, review its analysis', work],
    split: ['take an alert that joined a session out of it', split],
    merge: ['merge a session into another open one', merge],
    check: ['request a check, such as some minutes after a rollout', check],
    schedules: ['list the schedules of checks; run, pause or resume one', schedules],
    'catch-up': ['publish alerts that fire at their sources and did not arrive', catchUp],
  },
  'Configure:': {
    'check-config': [
      'check a configuration: files, MCP servers, tool names, fallback models and webhook secrets',
      checkConfig,
    ],
    doctor: ['check the installation: available parts, missing parts, and how to fix them', doctor],
    packs: ['list, show, add and check the packs: MCP servers that Inquest knows', packs],
    servers: ['log in to MCP servers that need a person', servers],
    agents: ['list, show, check and store agents', agents],
    knowledge: ['store, list, search, show and remove entries of the knowledge base', knowledge],
    route: ['show which chain an alert gets, and why', route],
    adapt: ['show how an alert is read, and why', adapt],
    resources: ['show the resource and the service that labels name', resources],
    notify: [
      'try a destination: send a test message, print a message, print the manifest of a Slack app',
      notify,
    ],
    'put-runbook': ['store runbooks in Firestore, replacing those with the same keys', putRunbook],
    'put-enrichment': ['store or delete rows of a table of enrich.yaml in Firestore', putEnrichment],
  },
  'Deploy and operate:': {
    deploy: [
      'deploy to a Google Cloud project with Terraform or OpenTofu, roll back, or delete an installation',
      deploy,
    ],
    build: ['bundle the functions, the API with its dashboard and the configuration into dist/', build],
    migrate: ['upgrade stored documents to the current version; safe to stop and restart', migrate],
    keys: ['create, list and revoke API keys for programs', keys],
    erase: ['delete everything of a session or of a tenant, and name the rest', erase],
    completion: [
      'print a script that completes commands and options in bash, zsh or fish',
      async () => registerCompletion,
    ],
    version: ['print the version of Inquest', async () => registerVersion],
  },
  'Evaluate and develop:': {
    record: ['record an ended session as a case: its documents, masked a second time', record],
    replay: ['replay a session or a case: with its stored answers, or with a model and other agents', replay],
    evaluate: ['investigate every case of a folder with one or more models, and score them', evaluate],
    bench: ['run a public benchmark, and count right answers and verdicts', bench],
    'import-cases': ['write the cases of a public benchmark as folders for evaluate', importCases],
  },
};

const COMMANDS: Record<string, ListedCommand> = Object.assign({}, ...Object.values(GROUPS));

/**
 * Runs the command in `args`, for example `['db', 'ls']`. Commands with other exit codes set
 * `process.exitCode`.
 * @returns undefined when the command completed; otherwise its exit code, after reporting the error.
 */
export async function runProgram(args: string[]): Promise<number | undefined> {
  const [first, topic] = args;
  const isHelp = first === 'help' && topic !== undefined;
  // For the help of an unknown command, Commander would print the general help.
  const called = isHelp && findCommandName(topic) === undefined ? [topic] : args;
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

/** The program with the called command only; if unknown, with names and summaries of all. */
async function programFor(called = ''): Promise<Command> {
  const program = emptyProgram();
  const name = findCommandName(called);
  if (name !== undefined) await addCommand(program, name);
  else
    for (const [heading, commands] of Object.entries(GROUPS))
      for (const [each, [summary, , alias]] of Object.entries(commands)) {
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
function findCommandName(called: string): string | undefined {
  const found = Object.entries(COMMANDS).find(([name, [, , alias]]) => name === called || alias === called);
  return found?.[0];
}

async function addCommand(program: Command, name: string): Promise<void> {
  const [summary = '', load, alias] = COMMANDS[name] ?? [];
  (await load?.())?.(program);
  const added = program.commands.find((one) => one.name() === name)?.description(summary);
  if (alias !== undefined) added?.alias(alias);
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

/** Writes the command's usage, then the error as the last line on the terminal. */
function writeUsage(program: Command, args: readonly string[], error: CommanderError): void {
  const command = calledCommand(program, args);
  // Commander printed the help instead of an error.
  if (error.code === 'commander.help') {
    const names = command.commands.map((one) => one.name()).join(', ');
    console.error(`\nerror: missing command${command.parent ? `; expected one of ${names}` : ''}`);
    return;
  }
  const usage = `Usage: ${command.createHelp().commandUsage(command)}`;
  const help = ['inquest', 'help', ...listCommandNames(command).slice(1, 2)].join(' ');
  console.error(`${usage}\n\`${help}\` explains it.\n\n${error.message.replaceAll('\n', ' ')}`);
}

/** The command or subcommand at the start of `args`; the program if there is none. */
function calledCommand(program: Command, args: readonly string[]): Command {
  const [name, ...rest] = args;
  const command = program.commands.find((one) => one.name() === name || one.aliases().includes(name ?? ''));
  return command === undefined ? program : calledCommand(command, rest);
}

/** `['inquest', 'agents', 'push']`. */
function listCommandNames(command: Command): string[] {
  return [...(command.parent ? listCommandNames(command.parent) : []), command.name()];
}

/** Reports an error that was not reported before. Returns the exit code. */
export function reportError(error: unknown): number {
  if (error instanceof Interrupted) return error.exitCode;
  // Its message was written before. The code is 0 after `--help`.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  console.error(process.env.DEBUG ? error : `inquest: ${thrownFault(error) ?? errorMessage(error)}`);
  return error instanceof UsageError ? 2 : 1;
}
