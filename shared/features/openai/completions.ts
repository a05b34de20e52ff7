// POST /v1/chat/completions and GET /v1/models: questions to the agents of chains in OpenAI's wire form.

import { randomBytes } from 'node:crypto';
import type { Context } from 'hono';
import type { ForeignWire } from '../../api/createApi.ts';
import { askForClient, DEFAULT_MODEL } from '../../api/foreignClients/askForClient.ts';
import { composeQuestion } from '../../api/foreignClients/composeQuestion.ts';
import {
  type AnswerStream,
  noAnswer,
  readWholeAnswer,
  streamAnswer,
} from '../../api/foreignClients/followAnswer.ts';
import { Problem } from '../../api/http/problem.ts';
import type { Caller, Once, RequestDeps } from '../../api/http/route.ts';
import type { Execution } from '../../core/schema/execution.ts';
import {
  AnswerChunks,
  type AnswerIdentity,
  doneEvent,
  errorEvent,
  progressEvent,
  type Sent,
} from './chunks.ts';
import { type CompletionRequest, lastMessageFault, listMessages, structuredForm } from './request.ts';

/**
 * The entry of `modelList` with this name.
 * @throws Problem `NOT_FOUND` for an unknown name.
 */
export function findListedModel(name: string, deps: Pick<RequestDeps, 'config'>) {
  const { data } = modelList(deps);
  const found = data.find(({ id }) => id === name);
  if (found !== undefined) return found;
  const names = data.map(({ id }) => id).join(', ');
  throw new Problem('NOT_FOUND', `there is no model of this name; GET /v1/models lists the models: ${names}`);
}

/** The chains with a chat agent, as OpenAI's models. The first is the default chain, `inquest`. */
export function modelList({ config }: Pick<RequestDeps, 'config'>) {
  const names = Object.entries(config.chains).flatMap(([name, { chat }]) =>
    chat === undefined ? [] : [name],
  );
  const data = [DEFAULT_MODEL, ...names.filter((name) => name !== DEFAULT_MODEL)].map((id) => ({
    id,
    object: 'model' as const,
    created: 0,
    owned_by: 'inquest',
  }));
  return { object: 'list' as const, data };
}

/**
 * Asks the last message as a question, in the session of X-Session-Id or in a new chat. Responds with the
 * complete answer, or streams it. If the client disconnects, the question is still answered and stored.
 * @throws Problem when the question is refused; RetryableError when the store fails.
 */
export async function completeChat(
  context: Context,
  { body: request, caller, once }: { body: CompletionRequest; caller: Caller; once: Once },
  deps: RequestDeps,
): Promise<Response> {
  const form = structuredForm(request);
  const isDefault = request.model === DEFAULT_MODEL;
  const answering = await askForClient(
    context,
    {
      field: 'body.messages',
      compose: (hasHistory) => composeQuestion(listMessages(request), hasHistory),
      fault: lastMessageFault(request),
      model: { chain: isDefault ? deps.config.defaultChain : request.model, agent: null },
      isWatched: request.stream === true,
      form,
      formField: 'body.response_format',
    },
    { caller, once },
    deps,
  );
  const asJson = form === true;
  const identity: AnswerIdentity = {
    id: `chatcmpl-${randomBytes(12).toString('hex')}`,
    created: Math.floor(deps.clock.now().getTime() / 1000),
    model: request.model,
  };
  if (request.stream) {
    const stream = openAiStream(identity, answering.executionId, request.stream_options, asJson);
    return streamAnswer(context, answering, stream, deps);
  }
  const { content, execution } = await readWholeAnswer(
    answering,
    { asJson, signal: context.req.raw.signal },
    deps,
  );
  if (content === null) throw noAnswer(execution);
  const message = { role: 'assistant', content, refusal: null };
  const choices = [{ index: 0, message, logprobs: null, finish_reason: 'stop' }];
  const usage = toCompletionUsage(execution.tokens);
  return context.json({ ...identity, object: 'chat.completion', choices, usage });
}

/** The other addresses of OpenAI's API. Its clients can call them, and there is nothing behind them. */
const NOT_SERVED =
  'assistants|audio|batches|chat|completions|containers|conversations|embeddings|evals|files|fine_tuning|images|moderations|realtime|responses|threads|uploads|vector_stores|videos';
/** Addresses whose errors have OpenAI's form, including unknown addresses below them. */
const OPENAI_ADDRESS = new RegExp(`^(?:/v1)?/(?:models|${NOT_SERVED})(?:/|$)`);

/** OpenAI's wire. */
export const OPENAI_WIRE: ForeignWire = {
  owns: (path) => OPENAI_ADDRESS.test(path),
  advice: 'questions go to POST /v1/chat/completions, and ',
  error({ detail, code, status, errors }) {
    const type = status >= 500 ? 'server_error' : 'invalid_request_error';
    const param = errors?.[0]?.field.replace(/^body\./, '') ?? null;
    return { error: { message: detail, type, param, code } };
  },
};

function openAiStream(
  identity: AnswerIdentity,
  executionId: string,
  options: CompletionRequest['stream_options'],
  asJson: boolean,
): AnswerStream<Sent> {
  let chunks: AnswerChunks | undefined;
  return {
    start({ limits }) {
      const total = limits.maxIterations + 1;
      const withMetadata = options?.include_metadata === true;
      chunks = new AnswerChunks(identity, { executionId, total, asJson, withMetadata });
      return [progressEvent(1, total, 'Thinking')];
    },
    of: (event) => chunks?.of(event) ?? [],
    ofLive: (live) => chunks?.ofLive(live) ?? [],
    end: ({ tokens }) => [
      ...(chunks?.end() ?? []),
      ...(options?.include_usage === true ? [usageChunk(identity, tokens)] : []),
    ],
    fail: ({ message, isOurs, code }) => [errorEvent(message, isOurs, code), doneEvent('error')],
    last: '[DONE]',
  };
}

function toCompletionUsage({ input, output, thinking, total }: Execution['tokens']): object {
  return { prompt_tokens: input, completion_tokens: output + thinking, total_tokens: total };
}

function usageChunk(identity: AnswerIdentity, tokens: Execution['tokens']): Sent {
  return {
    data: {
      ...identity,
      object: 'chat.completion.chunk',
      choices: [],
      usage: toCompletionUsage(tokens),
    },
  };
}
