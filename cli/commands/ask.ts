// `ask`: asks about an ended session, or opens a chat, and follows the answer.

import { text as readAll } from 'node:stream/consumers';
import type { Command } from 'commander';
import { questionFault } from '../../shared/runtime/features/chat/askQuestion.ts';
import type { Execution } from '../../shared/schema/execution.ts';
import { answerJson, answerLines } from '../alert/answer.ts';
import { followAnswer, storeQuestion } from '../alert/sendAlert.ts';
import { withApi } from '../api/withApi.ts';
import { type TenantOptions, tenantCommand, userOption } from '../options/commandOptions.ts';
import { SYSTEM_HELP } from '../options/project.ts';
import { readName } from '../options/readLine.ts';
import { beforeAbort, interruptSignal } from '../process/interrupt.ts';
import { report, write } from '../process/output.ts';
import { UsageError } from '../process/usageError.ts';
import { printerFor } from './send.ts';

/** The argument that names standard input instead of a question. */
const STDIN = '-';

/** `last`, an id or a prefix of one, which is not a question. */
const MEANS_SESSION = /^(?:last|\d{4}-\d{2}\S*)$/;

const HELP = `
  npx --no inquest ask last "Which release brought it?"   about a session: an id, a prefix of one, or \`last\`
  npx --no inquest ask "Which pods restarted today?"      opens a chat, which is a session of its own

The \`chat\` agent of the session's chain answers, as configured when the session was opened; for a new chat, that of
\`--chain\`. It gets the alert, the analysis and the earlier questions. A question does not change the results of the
session. A session answers one question at a time and refuses others until then. The text is masked and stored.

Ctrl-C only stops watching: the question is still answered, and \`show\` prints the answer.

Exit codes: 0 answered; 1 not answered, refused, or watching failed; 2 wrong usage; 3 cancelled; 4 timed out; 130
interrupted by Ctrl-C.
`;

const EXIT_CODE_OF: Partial<Record<Execution['status'], number>> = {
  completed: 0,
  cancelled: 3,
  timed_out: 4,
};

interface Options extends TenantOptions {
  chain?: string;
  config?: string;
  user?: string;
  follow: boolean;
}

/** Adds the command to the program. */
export function registerAsk(program: Command): void {
  tenantCommand(program, 'ask')
    .argument(
      '<session-or-question>',
      'the session; without a second argument, the question that opens a chat',
    )
    .argument('[question]', 'at most 100,000 characters; `-` reads standard input')
    .option('--by <name>', 'who asks (default: the user of this machine)')
    .option('--chain <name>', 'of a new chat: the chain whose agent answers (default: the default chain)')
    .option('--config <folder>', 'of a new chat: the configuration (default: INQUEST_CONFIG, else config/)')
    .addOption(userOption('of a new chat: its owner (default: the person who asks)'))
    .option('--no-follow', 'do not wait for the answer')
    .option('--json', 'print lines of JSON')
    .addHelpText('after', `${HELP}${SYSTEM_HELP}`)
    .action(askSession);
}

async function askSession(first: string, second: string | undefined, options: Options): Promise<void> {
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
  const { chain, config, json, follow, user = by } = options;
  if (config !== undefined && options.url)
    throw new UsageError('--config is for the database; the API at --url has its own');
  await withApi({ ...options, by, user, publishes: true, signal }, async (api) => {
    const sessionId = session && (await beforeAbort(api.findSession(session), signal));
    const following = { api, printer: printerFor(options), onProgress: report, signal };
    const question = await storeQuestion(text, { sessionId, chain }, following);
    if (!follow)
      return write(
        json
          ? JSON.stringify({ type: 'asked', ...question })
          : `the question is stored in session ${question.sessionId}`,
      );
    report(`session ${question.sessionId}`);
    const stopped = () => report('no longer watching; the question is still being answered');
    signal.addEventListener('abort', stopped, { once: true });
    const answer = await followAnswer(question, following);
    for (const line of json ? [answerJson(answer)] : answerLines(answer)) write(line);
    process.exitCode = EXIT_CODE_OF[answer.status] ?? 1;
  });
}
