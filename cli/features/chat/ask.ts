// `ask`: asks about an ended session, or opens a chat, and follows the answer.

import { text as readAll } from 'node:stream/consumers';
import { Argument, Option } from 'commander';
import type { Execution } from '../../../shared/core/schema/execution.ts';
import { type Call, plannedCommand, type Work } from '../../api/command.ts';
import { byOption, jsonOption, type TenantOptions, userOption } from '../../options/commandOptions.ts';
import { beforeAbort, interruptSignal } from '../../process/interrupt.ts';
import { report, write } from '../../process/output.ts';
import { UsageError } from '../../process/usageError.ts';

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

/** The command `ask`. */
export const ask = plannedCommand({
  name: 'ask',
  args: [
    new Argument(
      '<session-or-question>',
      'the session; without a second argument, the question that opens a chat',
    ),
    new Argument('[question]', 'at most 100,000 characters; `-` reads standard input'),
  ],
  options: [
    byOption('who asks'),
    new Option('--chain <name>', 'of a new chat: the chain whose agent answers (default: the default chain)'),
    new Option(
      '--config <folder>',
      'of a new chat: the configuration (default: INQUEST_CONFIG, else config/)',
    ),
    userOption('of a new chat: its owner (default: the person who asks)'),
    new Option('--no-follow', 'do not wait for the answer'),
    jsonOption('print lines of JSON'),
  ],
  help: HELP,
  publishes: true,
  plan: planQuestion,
});

async function planQuestion([first, second]: [string, string?], options: Options): Promise<Work> {
  const signal = interruptSignal();
  if (second === undefined && MEANS_SESSION.test(first))
    throw new UsageError(`\`ask ${first}\` needs a question: \`inquest ask ${first} "QUESTION"\``);
  const unused = (['chain', 'config', 'user'] as const).find((name) => options[name] !== undefined);
  if (second !== undefined && unused !== undefined)
    throw new UsageError(`--${unused} is for a new chat; leave it out, or leave the session out`);
  const given = second ?? first;
  const text = given === STDIN ? await beforeAbort(readAll(process.stdin), signal) : given;
  // Loaded here, so that the help does not need it.
  const { questionFault } = await import('../../../shared/kits/questions/askQuestion.ts');
  const fault = questionFault(text);
  if (fault !== undefined)
    throw new UsageError(`the question cannot be asked: ${fault}. Nothing was stored.`);
  if (options.config !== undefined && options.url)
    throw new UsageError('--config is for the database; the API at --url has its own');
  const session = second === undefined ? undefined : first;
  return { needs: { signal }, run: (call) => askSession(session, text, options, call) };
}

async function askSession(
  session: string | undefined,
  text: string,
  options: Options,
  { api, signal }: Call,
): Promise<void> {
  const [{ followAnswer, storeQuestion }, { answerJson, answerLines }, { printerFor }] = await Promise.all([
    import('../../alert/sendAlert.ts'),
    import('../../alert/answer.ts'),
    import('../../print/printerFor.ts'),
  ]);
  const { chain, json, follow } = options;
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
}
