// Routes of questions: about an ended session, or in a chat.

import * as z from 'zod';
import { invalidField } from '../../api/http/problem.ts';
import { questionContext, selectAgent } from '../../api/http/questionContext.ts';
import { questionProblem } from '../../api/http/questionProblem.ts';
import { type Caller, defineRoute } from '../../api/http/route.ts';
import { sessionParams, textSchema } from '../../api/http/schemas.ts';
import { paths, sessionType } from '../../core/schema/coreDocuments.ts';
import { renewWatch } from '../../kits/live/renewWatch.ts';
import {
  askQuestion,
  type OpenQuestion,
  openQuestionSchema,
  questionFault,
} from '../../kits/questions/askQuestion.ts';
import { openChat } from '../../kits/questions/openChat.ts';

const watchSchema = z
  .boolean()
  .default(false)
  .describe('Whether the client will read the stream, so that it gets the live text from the first word');

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
  answer: openQuestionSchema,
  problems: ['SESSION_UNKNOWN', 'SESSION_STATE', 'SESSION_BUSY', 'BUDGET_REACHED'],
  async handle({ params: { sessionId }, body: { text, watch }, caller }, deps, request) {
    checkQuestion(text);
    const { context } = questionContext(request, caller, deps);
    const session = context && (await deps.store.get(paths.session(sessionId), sessionType));
    const agent = session
      ? await selectAgent(session.value.chain.name, context, deps, { current: session.value.chain.chat })
      : undefined;
    // Without the watch, the answer comes without live text.
    if (watch) await renewWatch(sessionId, deps).catch(() => undefined);
    const outcome = await askQuestion(
      sessionId,
      { text, context, agent, config: deps.config, ...identifyAsker(caller) },
      deps,
    );
    if (outcome.kind !== 'asked') throw questionProblem(sessionId, outcome, deps.clock.now());
    return toChatAnswer(outcome);
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
  answer: openQuestionSchema,
  problems: ['SESSION_STATE', 'CONFIG_UNKNOWN_CHAIN', 'BUDGET_REACHED'],
  async handle({ body: { text, chain, watch }, caller }, deps, request) {
    checkQuestion(text);
    const { context } = questionContext(request, caller, deps);
    const agent = await selectAgent(chain ?? deps.config.defaultChain, context, deps);
    const { tenantId } = caller;
    const question = { text, context, agent, tenantId, ...identifyAsker(caller), isWatched: watch };
    const outcome = await openChat(question, chain, deps.config, deps);
    if (outcome.kind !== 'asked') throw questionProblem('', outcome, deps.clock.now());
    return toChatAnswer(outcome);
  },
});

function identifyAsker({ name, userId }: Caller): { by: string; userId: string | null } {
  return { by: name, userId };
}

function checkQuestion(text: string): void {
  const message = questionFault(text);
  if (message !== undefined) throw invalidField('body.text', message);
}

function toChatAnswer({
  sessionId,
  stageId,
  executionId,
  deadline,
  isPublished,
}: OpenQuestion): OpenQuestion {
  return { sessionId, stageId, executionId, deadline, isPublished };
}

/** All routes for questions. */
export const CHAT_ROUTES = [ask, open];
