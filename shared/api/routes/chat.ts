// Questions of people: about a session that has ended, or in a chat.

import * as z from 'zod';
import {
  askQuestion,
  MAX_QUESTIONS,
  type QuestionRefusal,
  questionFault,
} from '../../runtime/features/chat/askQuestion.ts';
import { openChat } from '../../runtime/features/chat/openChat.ts';
import { renewWatch } from '../../runtime/features/live/renewWatch.ts';
import { paths, sessionType } from '../../schema/documents.ts';
import { askedContext, chosenAgent } from '../askedContext.ts';
import { Problem } from '../problem.ts';
import { type AnyRoute, type Caller, defineRoute } from '../route.ts';
import { sessionParams, textSchema, unknownSession } from '../schemas.ts';

const askedSchema = z.strictObject({
  sessionId: z.string(),
  stageId: z.string(),
  executionId: z.string().describe('Its events are the answer'),
  deadline: z.date(),
  isPublished: z.boolean().describe('False where Pub/Sub did not answer: the sweep asks within two minutes'),
});

const watchSchema = z
  .boolean()
  .default(false)
  .describe('Whether its stream is read next: what the model says is live from its first word on');

const ask = defineRoute({
  method: 'post',
  path: '/v1/sessions/{sessionId}/questions',
  id: 'askSession',
  summary: 'Asks about an ended session, or continues a chat',
  description:
    'A session answers one question at a time. A question does not change the results of the session.',
  role: 'responder',
  params: sessionParams,
  body: z.strictObject({ text: textSchema, watch: watchSchema }),
  status: 202,
  answer: askedSchema,
  problems: ['SESSION_UNKNOWN', 'SESSION_STATE', 'SESSION_BUSY', 'BUDGET_REACHED'],
  async handle({ params: { sessionId }, body: { text, watch }, caller }, deps, request) {
    checkQuestion(text);
    const { context } = askedContext(request, caller, deps);
    const session = context && (await deps.store.get(paths.session(sessionId), sessionType));
    const agent = session
      ? await chosenAgent(session.value.chain.name, context, deps, { current: session.value.chain.chat })
      : undefined;
    // Who cannot be shown what is said is answered all the same.
    if (watch) await renewWatch(sessionId, deps).catch(() => undefined);
    const outcome = await askQuestion(sessionId, { ...{ text, context, agent }, ...askerOf(caller) }, deps);
    if (outcome.kind !== 'asked') throw notAsked(sessionId, outcome, deps.clock.now());
    return askedOf(outcome);
  },
});

const open = defineRoute({
  method: 'post',
  path: '/v1/chats',
  id: 'openChat',
  summary: 'Opens a chat, which is a new session, with a question',
  role: 'responder',
  body: z.strictObject({
    text: textSchema,
    chain: z.string().min(1).max(200).optional(),
    watch: watchSchema,
  }),
  status: 202,
  answer: askedSchema,
  problems: ['SESSION_STATE', 'CONFIG_UNKNOWN_CHAIN', 'BUDGET_REACHED'],
  async handle({ body: { text, chain, watch }, caller }, deps, request) {
    checkQuestion(text);
    const { context } = askedContext(request, caller, deps);
    const agent = await chosenAgent(chain ?? deps.config.defaultChain, context, deps);
    const { tenantId } = caller;
    const asked = { ...{ text, context, agent, tenantId }, ...askerOf(caller), isWatched: watch };
    const outcome = await openChat(asked, chain, deps.config, deps);
    if (outcome.kind !== 'asked') throw notAsked('', outcome, deps.clock.now());
    return askedOf(outcome);
  },
});

function askerOf({ name, userId }: Caller): { by: string; userId: string | null } {
  return { by: name, userId };
}

function checkQuestion(text: string): void {
  const message = questionFault(text);
  if (message !== undefined)
    throw new Problem('REQUEST_INVALID', `body.text: ${message}`, [{ field: 'body.text', message }]);
}

function askedOf({
  sessionId,
  stageId,
  executionId,
  deadline,
  isPublished,
}: z.infer<typeof askedSchema>): z.infer<typeof askedSchema> {
  return { sessionId, stageId, executionId, deadline, isPublished };
}

/** Why a question is not asked. */
export function notAsked(sessionId: string, outcome: QuestionRefusal, now: Date): Problem {
  switch (outcome.kind) {
    case 'unknown_session':
      return unknownSession(sessionId);
    case 'busy':
      return new Problem(
        'SESSION_BUSY',
        `session ${sessionId} answers another question, until ${outcome.deadline.toISOString()} at the latest: ask again when it has, or cancel it`,
      );
    case 'not_ended':
      return new Problem(
        'SESSION_STATE',
        outcome.status === 'deferred'
          ? `session ${sessionId} is deferred: there is nothing to ask about before it is started`
          : `the investigation of session ${sessionId} runs (${outcome.status}): ask when it has ended, or give its agents guidance`,
      );
    case 'taken':
      return new Problem(
        'SESSION_BUSY',
        'another question opened a chat with this X-Session-Id at the same moment; ask again when it is answered',
      );
    case 'no_chat':
      return new Problem(
        'SESSION_STATE',
        `chain ${outcome.chain} answers no questions: remove \`chat: off\` from it in chains.yaml; a session keeps the chain that it was opened with`,
      );
    case 'too_many':
      return new Problem(
        'SESSION_STATE',
        `session ${sessionId} was asked ${MAX_QUESTIONS} questions, which is the most it may be; open a new chat`,
      );
    case 'used_up':
      return new Problem(
        'SESSION_STATE',
        `the tokens of session ${sessionId} are used up (${outcome.tokens}, sessionTokens): open a new chat`,
      );
    case 'budget': {
      const { text, until, budget } = outcome;
      const detail = `${text}: ask again from ${until.toISOString()} on, or raise ${budget}`;
      const seconds = Math.max(1, Math.ceil((until.getTime() - now.getTime()) / 1_000));
      return new Problem('BUDGET_REACHED', detail, [], seconds);
    }
  }
}

/** All routes for questions. */
export const CHAT_ROUTES: AnyRoute[] = [ask, open];
