// `ask`: a question about a session that has ended, or one that opens a chat, and the answer as it is found.

import { text as readAll } from 'node:stream/consumers';
import type { Command } from 'commander';
import type { SessionConfig } from '../shared/config/config.ts';
import { loadSessionConfig } from '../shared/config/load.ts';
import { configFolderOf } from '../shared/environment.ts';
import { createLogger } from '../shared/log.ts';
import { knownSecrets } from '../shared/masking/knownSecrets.ts';
import { createStoredAgents } from '../shared/runtime/agents/storedAgents.ts';
import {
  askQuestion,
  MAX_QUESTIONS,
  type NotAsked,
  questionFault,
} from '../shared/runtime/features/chat/askQuestion.ts';
import { openChat } from '../shared/runtime/features/chat/openChat.ts';
import { systemClock } from '../shared/runtime/kernel/deps.ts';
import { createMaskers } from '../shared/runtime/kernel/maskers.ts';
import type { Execution } from '../shared/schema/execution.ts';
import { OWN_SOURCE_NAMES } from '../shared/wiring/ownSources.ts';
import { answerJson, answerLines, followAnswer } from './answer.ts';
import { type ApiClient, type ApiOptions, servedApi, urlOption } from './api/apiClient.ts';
import { ask as askThroughApi } from './api/sending.ts';
import { hasColor } from './color.ts';
import { beforeAbort, interruptSignal } from './interrupt.ts';
import { jsonPrinter, textPrinter } from './printer.ts';
import { checkSystemIsNamed, SYSTEM_HELP } from './project.ts';
import { readName } from './readLine.ts';
import { printerFor } from './send.ts';
import { findSession } from './session/findSession.ts';
import { withSessions } from './session/withSessions.ts';
import { commandFor, tenantOption, userOption } from './tenantOption.ts';
import { UsageError } from './usageError.ts';

/** Stands for standard input in the place of the question. */
const STDIN = '-';

/** `last`, an id or the beginning of one: no question that opens a chat. */
const MEANS_SESSION = /^(?:last|\d{4}-\d{2}\S*)$/;

const HELP = `
  npx --no inquest ask last "Which release brought it?"   about a session: an id, the beginning of one, or \`last\`
  npx --no inquest ask "Which pods restarted today?"      opens a chat, which is a session of its own

The agent that answers is the \`chat\` of the session's chain, as it was when the session was opened; that of a new chat is
the one of \`--chain\`. It is told the alert, the analysis, and what was asked before. A question changes nothing that the
session concluded. One is answered at a time: a second one is refused until then. The words are masked and stored.

Ctrl-C ends the watching alone: the question is answered, and \`show\` has the answer.

Exit codes: 0 answered; 1 not answered, refused, or the watching failed; 2 called wrongly; 3 cancelled; 4 timed out; 130
ended by Ctrl-C.
`;

const EXIT_CODE_OF: Partial<Record<Execution['status'], number>> = {
  completed: 0,
  cancelled: 3,
  timed_out: 4,
};

interface Options extends ApiOptions {
  by?: string;
  chain?: string;
  config?: string;
  tenant: string;
  user?: string;
  follow: boolean;
  json?: boolean;
}

/** Adds the command to the program. */
export function registerAsk(program: Command): void {
  program
    .command('ask')
    .description('ask about a session that has ended, or something new, and print the answer as it is found')
    .argument('<session-or-question>', 'the session; with nothing behind it, the question that opens a chat')
    .argument('[question]', 'at most 100,000 characters; `-` reads standard input')
    .option('--by <name>', 'who asks (default: the user of this machine)')
    .option('--chain <name>', 'of a new chat: the chain whose agent answers (default: the default chain)')
    .option('--config <folder>', 'of a new chat: the configuration (default: INQUEST_CONFIG, else config/)')
    .addOption(tenantOption())
    .addOption(urlOption())
    .addOption(userOption('of a new chat: whose it is (default: who asks)'))
    .option('--no-follow', 'do not wait for the answer')
    .option('--json', 'print lines of JSON')
    .addHelpText('after', `${HELP}${SYSTEM_HELP}`)
    .action(ask);
}

async function ask(first: string, second: string | undefined, options: Options): Promise<void> {
  const signal = interruptSignal();
  const session = second === undefined ? undefined : first;
  if (second === undefined && MEANS_SESSION.test(first))
    throw new UsageError(`\`ask ${first}\` needs a question: \`inquest ask ${first} "QUESTION"\``);
  const unused = (['chain', 'config', 'user'] as const).find((name) => options[name] !== undefined);
  if (session !== undefined && unused !== undefined)
    throw new UsageError(`--${unused} is for a new chat; leave it out, or leave the session out`);
  const by = readName(options.by);
  const given = second ?? first;
  const text = given === STDIN ? await beforeAbort(readAll(process.stdin), signal) : given;
  const fault = questionFault(text);
  if (fault !== undefined)
    throw new UsageError(`the question cannot be asked: ${fault}. Nothing was stored.`);
  const api = servedApi({ ...options, by });
  if (api !== undefined) return await askThrough(api, session, text, options, signal);
  checkSystemIsNamed(process.env);
  // A configuration that cannot be read is known before anything is stored.
  const config = session === undefined ? chatConfig(options) : undefined;
  const { tenant, user = by } = options;
  await withSessions({ tenant, signal }, async ({ sessions, store, publisher, where }) => {
    const known = knownSecrets(process.env);
    const maskerFor = createMaskers({ known, ...(config && { rules: config.masking }) });
    const log = createLogger({ LOG_LEVEL: 'silent' });
    const storedAgents = createStoredAgents({ store, clock: systemClock, log });
    const deps = { store, publisher, clock: systemClock, log, maskerFor, storedAgents };
    const about = session && (await beforeAbort(findSession(session, sessions, where), signal));
    const outcome = config
      ? await openChat({ text, by, tenantId: tenant, userId: user }, options.chain, config, deps)
      : await askQuestion(about ?? '', { text, by }, deps);
    if (outcome.kind !== 'asked') throw new Error(refusalOf(about ?? '', outcome, where));
    const say = (line: string) => void process.stderr.write(`${line}\n`);
    if (!outcome.isPublished) say('its message could not be published: the sweep does it within two minutes');
    if (!options.follow) {
      const line = options.json
        ? JSON.stringify({ type: 'asked', ...outcome })
        : `session ${outcome.sessionId} is asked`;
      process.stdout.write(`${line}\n`);
      return;
    }
    say(`session ${outcome.sessionId}`);
    signal.addEventListener('abort', () => say('the watching ends; the question is answered anyway'), {
      once: true,
    });
    const write = (line: string) => void process.stdout.write(`${line}\n`);
    const printer = options.json
      ? jsonPrinter(write)
      : textPrinter(write, hasColor(process.stdout, process.env), commandFor(tenant));
    const answer = await followAnswer(outcome, store, printer.event, signal, (error, retryMs) =>
      say(`${error.message}; connecting again in ${retryMs / 1000} s`),
    );
    for (const line of options.json ? [answerJson(answer)] : answerLines(answer)) write(line);
    process.exitCode = EXIT_CODE_OF[answer.status] ?? 1;
  });
}

async function askThrough(
  api: ApiClient,
  session: string | undefined,
  text: string,
  { chain, config, json, follow, tenant }: Options,
  signal: AbortSignal,
): Promise<void> {
  if (config !== undefined) throw new UsageError('--config is for the database; the API has its own');
  const write = (line: string) => void process.stdout.write(`${line}\n`);
  const sessionId = session === undefined ? undefined : await api.findSession(session);
  const printer = follow ? printerFor({ json: json === true, follow }, tenant) : undefined;
  const onProgress = (line: string) => void process.stderr.write(`${line}\n`);
  const { asked, answer } = await askThroughApi(
    text,
    { sessionId, chain },
    { api, printer, onProgress, signal },
  );
  if (!follow)
    write(json ? JSON.stringify({ type: 'asked', ...asked }) : `session ${asked.sessionId} is asked`);
  if (answer === undefined) return;
  const ended = { ...answer, sessionId: asked.sessionId, stageId: asked.stageId };
  for (const line of json ? [answerJson(ended)] : answerLines(ended)) write(line);
  process.exitCode = EXIT_CODE_OF[answer.status] ?? 1;
}

function chatConfig({ config }: Options): SessionConfig {
  return loadSessionConfig(config ?? configFolderOf(process.env), OWN_SOURCE_NAMES);
}

/** Why a question is not asked, in one sentence. */
function refusalOf(sessionId: string, outcome: NotAsked, where: string): string {
  switch (outcome.kind) {
    case 'unknown_session':
      return `there is no session ${sessionId} in ${where}`;
    case 'not_ended':
      if (outcome.status === 'deferred')
        return `session ${sessionId} is deferred: there is nothing to ask about. \`inquest start-deferred ${sessionId}\` starts it`;
      return `the investigation of session ${sessionId} runs (${outcome.status}): ask when it has ended, or give its agents guidance with \`inquest tell ${sessionId}\``;
    case 'busy':
      return `SESSION_BUSY: session ${sessionId} answers another question, until ${outcome.deadline.toISOString()} at the latest: ask again when it has, or end it with \`inquest cancel ${sessionId}\``;
    case 'taken':
      return 'another question opened the chat at the same moment: ask again';
    case 'no_chat':
      return `chain ${outcome.chain} answers no questions: remove \`chat: off\` from it in chains.yaml; a session keeps the chain that it was opened with`;
    case 'too_many':
      return `session ${sessionId} was asked ${MAX_QUESTIONS} questions, which is the most it may be; open a new chat`;
    case 'used_up':
      return `the tokens of session ${sessionId} are used up (${outcome.tokens}, sessionTokens): open a new chat`;
    case 'budget':
      return `BUDGET_REACHED: ${outcome.text}: ask again from ${outcome.until.toISOString()} on, or raise it in system.yaml or for the chain`;
  }
}
