// POST /v1/messages: questions to agents in Anthropic's wire form.

import { randomBytes } from 'node:crypto';
import type { Context } from 'hono';
import type { ForeignWire } from '../../api/createApi.ts';
import { askForClient, DEFAULT_MODEL, readAnswering } from '../../api/foreignClients/askForClient.ts';
import { composeQuestion } from '../../api/foreignClients/composeQuestion.ts';
import { noAnswer, readWholeAnswer, streamAnswer } from '../../api/foreignClients/followAnswer.ts';
import { Problem } from '../../api/http/problem.ts';
import type { Caller, Once, RequestDeps } from '../../api/http/route.ts';
import { NATIVE_PROVIDER } from '../../core/contract/modelFacts.ts';
import { textTokens } from '../../core/kernel/tokens/estimateTokens.ts';
import { isTerminal } from '../../core/schema/common.ts';
import type { Execution } from '../../core/schema/execution.ts';
import { storedText } from '../../kits/agents/resolveAgents.ts';
import { anthropicStream, refusal, wholeMessage } from './events.ts';
import { checkHistory } from './history.ts';
import { readOwnAnswer } from './ownAnswer.ts';
import { lastMessageFault, listMessages, type MessagesRequest, VERSIONS } from './request.ts';

/** Milliseconds within which a client that repeats a request by itself gets the same question. */
export const REPEATED_WITHIN_MS = 15 * 60_000;

/**
 * Asks the last message as a question, in the session of X-Session-Id or in a new chat. Responds with the
 * message, or streams it. If the client disconnects, the question is still answered and stored.
 * @throws Problem when the question is refused; RetryableError when the store fails.
 */
export async function createMessage(
  context: Context,
  { body: request, caller, once }: { body: MessagesRequest; caller: Caller; once: Once },
  deps: RequestDeps,
): Promise<Response> {
  checkVersion(context);
  const messages = listMessages(request);
  const isRetry = Number(context.req.header('x-stainless-retry-count') ?? 0) > 0;
  const answering = await askForClient(
    context,
    {
      field: 'body.messages',
      compose: (hasHistory) => composeQuestion(messages, hasHistory),
      fault: lastMessageFault(request),
      model: await findModel(request.model, deps),
      isWatched: request.stream === true,
      form: false,
      formField: 'body.output_config.format',
      check: (session) => checkHistory(messages, session, deps),
      // Somebody who asks the same later wants a new answer.
      isCurrent: async (one) => isRetry || !isTerminal((await readAnswering(one, deps)).status),
    },
    { caller, once },
    deps,
  );
  const { executionId } = answering;
  const identity = { id: `msg_${randomBytes(12).toString('hex')}`, model: request.model, executionId };
  const readOwn = (execution: Execution) => readOwnAnswer(execution, deps);
  if (request.stream)
    return streamAnswer(context, answering, anthropicStream(identity, request, readOwn), deps);
  const whole = await readWholeAnswer(answering, { asJson: false, signal: context.req.raw.signal }, deps);
  const { content, execution } = whole;
  if (content !== null)
    return context.json(wholeMessage(identity, request, { ...whole, content }, await readOwn(execution)));
  if (execution.failure?.code === 'MODEL_BLOCKED') return context.json(refusal(identity, execution));
  throw noAnswer(execution);
}

/** Counts the tokens of a question at most. Instructions and tools of the agent are not among them. */
export function countTokens(
  context: Context,
  request: Parameters<typeof listMessages>[0],
): { input_tokens: number } {
  checkVersion(context);
  return { input_tokens: textTokens(composeQuestion(listMessages(request), false), NATIVE_PROVIDER) };
}

/** @throws Problem `REQUEST_INVALID` for a version of the API that is not served. */
function checkVersion(context: Context): void {
  const version = context.req.header('anthropic-version');
  if (version !== undefined && VERSIONS.includes(version)) return;
  const fault = version === undefined ? 'is missing' : `unknown version "${version.slice(0, 40)}"`;
  const message = `${fault}; send ${VERSIONS.join(' or ')}`;
  throw new Problem('REQUEST_INVALID', `header anthropic-version: ${message}`, {
    errors: [{ field: 'header.anthropic-version', message }],
  });
}

/** The chain or the agent of a model's name. @throws Problem `NOT_FOUND` with the names that exist. */
async function findModel(name: string, deps: RequestDeps): Promise<{ chain: string; agent: string | null }> {
  const { chains, defaultChain, agents } = deps.config;
  if (name === DEFAULT_MODEL) return { chain: defaultChain, agent: null };
  if (Object.hasOwn(chains, name)) return { chain: name, agent: null };
  const names = agents?.names ?? [];
  if (names.includes(name) || (await storedText(name, deps)) !== undefined)
    return { chain: defaultChain, agent: name };
  const known = [...new Set([DEFAULT_MODEL, ...Object.keys(chains), ...names])].join(', ');
  throw new Problem('NOT_FOUND', `model: there is no agent and no chain of this name; use one of ${known}`);
}

/** The types of errors by status; others are `invalid_request_error`. */
const ERROR_TYPES = new Map([
  [401, 'authentication_error'],
  [403, 'permission_error'],
  [404, 'not_found_error'],
  [413, 'request_too_large'],
  [429, 'rate_limit_error'],
  [503, 'overloaded_error'],
]);

/** Anthropic's wire. */
export const ANTHROPIC_WIRE: ForeignWire = {
  owns: (path) => /^\/v1\/messages(?:\/|$)/.test(path),
  advice: 'questions go to POST /v1/messages, and ',
  error({ detail, status, code }) {
    const type = ERROR_TYPES.get(status) ?? (status >= 500 ? 'api_error' : 'invalid_request_error');
    return { type: 'error', error: { type, message: detail, code }, request_id: null };
  },
};
