// POST /v1/chat/completions and GET /v1/models: questions to the agents of chains in OpenAI's wire form.

import { randomBytes } from 'node:crypto';
import type { Context } from 'hono';
import { streamSSE } from 'hono/streaming';
import type { ForeignWire } from '../../api/createApi.ts';
import { followSession } from '../../api/events/followSession.ts';
import { invalidField, Problem, parseProblemBody, problemDetails } from '../../api/http/problem.ts';
import { questionContext, selectAgent } from '../../api/http/questionContext.ts';
import { questionProblem } from '../../api/http/questionProblem.ts';
import type { Caller, Once, RequestDeps } from '../../api/http/route.ts';
import { errorMessage } from '../../core/errors.ts';
import { descendantPrefix, executionType, paths } from '../../core/schema/coreDocuments.ts';
import type { Execution } from '../../core/schema/execution.ts';
import type { TimelineEvent } from '../../core/schema/timelineEvent.ts';
import type { LiveText } from '../../kits/live/liveText.ts';
import { renewWatch } from '../../kits/live/renewWatch.ts';
import { type AskOutcome, askQuestion, questionFault } from '../../kits/questions/askQuestion.ts';
import { type ChatPlace, findChat } from '../../kits/questions/chatKey.ts';
import { openChat } from '../../kits/questions/openChat.ts';
import type { RequestContext } from '../../kits/views/chat/requestContext.ts';
import { parseJson } from '../../text/json.ts';
import { answerParts } from '../../text/structuredAnswer.ts';
import {
  AnswerChunks,
  type AnswerIdentity,
  doneEvent,
  errorEvent,
  progressEvent,
  type Sent,
} from './chunks.ts';
import {
  type CompletionRequest,
  composeQuestion,
  DEFAULT_MODEL,
  lastMessageFault,
  structuredForm,
} from './request.ts';

/** A question that is being answered: its session, stage and execution. */
type AnsweringExecution = Extract<AskOutcome, { kind: 'asked' }>;

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
  const named = questionContext(context, caller, deps);
  const { sessionId } = named;
  const place = sessionId === null ? undefined : await findChat(deps.store, caller.tenantId, sessionId);
  const question = composeQuestion(request, { hasHistory: place?.session !== undefined });
  const fault = lastMessageFault(request) ?? questionFault(question);
  if (fault !== undefined) throw invalidField('body.messages', fault);
  const { status, body } = await once(async () => {
    const isWatched = request.stream === true;
    const details = {
      text: question,
      context: named.context,
      place,
      model: request.model,
      isWatched,
      form: structuredForm(request),
    };
    const outcome = await askQuestionInChat(details, caller, deps);
    return { status: 202, body: JSON.stringify(outcome) };
  });
  if (status !== 202) throw parseProblemBody(body);
  const answering = parseJson(body) as AnsweringExecution;
  context.header('X-Session-Id', answering.sessionId);
  const asJson = structuredForm(request) === true;
  const identity: AnswerIdentity = {
    id: `chatcmpl-${randomBytes(12).toString('hex')}`,
    created: Math.floor(deps.clock.now().getTime() / 1000),
    model: request.model,
  };
  return request.stream
    ? streamAnswer(context, answering, identity, { options: request.stream_options, asJson }, deps)
    : context.json(await readWholeAnswer(context, answering, identity, asJson, deps));
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

/** A question with the settings of its request. */
interface Question {
  /** The question, with earlier messages if the session does not have them. */
  text: string;
  /** Agent, model and client of the headers; null without these headers. */
  context: RequestContext | null;
  /** The chat or session of X-Session-Id; undefined without the header. */
  place: ChatPlace | undefined;
  /** The name of a chain, or `inquest` for the default chain. */
  model: string;
  /** Whether the answer is streamed. */
  isWatched: boolean;
  /** The result of `structuredForm`. */
  form: boolean | null;
}

async function askQuestionInChat(
  { text, context, place, model, isWatched, form }: Question,
  { name, tenantId, userId }: Caller,
  deps: RequestDeps,
): Promise<AnsweringExecution> {
  const session = place?.session;
  const chain = session?.chain.name ?? (model === DEFAULT_MODEL ? deps.config.defaultChain : model);
  const agent = await selectAgent(chain, context, deps, {
    structuredOutput: form,
    current: session?.chain.chat,
  });
  if (
    form === true &&
    (agent ?? session?.chain.chat ?? deps.config.chains[chain]?.chat)?.outputSchema === undefined
  )
    throw noSchema();
  const question = { text, by: name, userId, context, agent };
  // The answer can start before its stream does.
  if (isWatched && session !== undefined) await renewWatch(session.sessionId, deps).catch(() => undefined);
  const outcome =
    session === undefined
      ? await openChat({ ...question, tenantId, isWatched, place }, chain, deps.config, deps)
      : await askQuestion(session.sessionId, { ...question, config: deps.config }, deps);
  if (outcome.kind !== 'asked') throw questionProblem(session?.sessionId ?? '', outcome, deps.clock.now());
  return outcome;
}

function noSchema(): Problem {
  return invalidField(
    'body.response_format',
    'the agent answers with text; name an agent with properties in X-Agent-Schema, or leave response_format out',
  );
}

/** The events of an answer and of asked agents, each once; with `withLive` the models' live output. */
async function* followAnswer(
  { sessionId, stageId, executionId }: AnsweringExecution,
  { signal, withLive }: { signal: AbortSignal; withLive: boolean },
  deps: RequestDeps,
): AsyncGenerator<{ event: TimelineEvent } | { live: LiveText }, void> {
  const seen = new Set<string>();
  const isOf = (id: string | null) =>
    id === executionId || id?.startsWith(descendantPrefix(executionId)) === true;
  const keyOf = ({ executionId: id, sequenceNumber }: TimelineEvent) => `${id}.${sequenceNumber}`;
  const take = (event: TimelineEvent) => isOf(event.executionId) && !seen.has(keyOf(event));
  const options = { sessionId, take, order: causalOrder(), isOver: isOver(stageId), withLive, signal };
  for await (const one of followSession(options, deps)) {
    if (one.kind === 'live' && isOf(one.live.executionId) && !one.ended) yield { live: one.live };
    if (one.kind !== 'event' || seen.has(keyOf(one.event))) continue;
    seen.add(keyOf(one.event));
    yield { event: one.event };
  }
}

const isOver =
  (stageId: string) =>
  ({ openStage }: { openStage: { stageId: string } | null }): boolean =>
    openStage?.stageId !== stageId;

async function readExecution(
  { sessionId, executionId }: AnsweringExecution,
  { store }: RequestDeps,
): Promise<Execution> {
  const found = await store.get(paths.execution(sessionId, executionId), executionType);
  if (found === undefined) throw new Problem('NOT_FOUND', `the answer of session ${sessionId} was deleted`);
  return found.value;
}

async function readWholeAnswer(
  context: Context,
  answering: AnsweringExecution,
  { id, created, model }: AnswerIdentity,
  asJson: boolean,
  deps: RequestDeps,
): Promise<object> {
  let output: string | undefined;
  for await (const one of followAnswer(answering, { signal: context.req.raw.signal, withLive: false }, deps))
    if (
      'event' in one &&
      one.event.executionId === answering.executionId &&
      one.event.eventType === 'final_analysis'
    )
      output = one.event.metadata.output;
  const { finalAnalysis, failure, tokens } = await readExecution(answering, deps);
  if (finalAnalysis === null) throw new Problem('ANSWER_FAILED', notAnswered(failure));
  const content = (asJson ? output : answerParts(output ?? '').answer) ?? finalAnalysis;
  const message = { role: 'assistant', content, refusal: null };
  const choices = [{ index: 0, message, logprobs: null, finish_reason: 'stop' }];
  return { id, object: 'chat.completion', created, model, choices, usage: toCompletionUsage(tokens) };
}

function streamAnswer(
  context: Context,
  answering: AnsweringExecution,
  identity: AnswerIdentity,
  { options, asJson }: { options: CompletionRequest['stream_options']; asJson: boolean },
  deps: RequestDeps,
): Response {
  return streamSSE(context, async (sse) => {
    const left = new AbortController();
    sse.onAbort(() => left.abort());
    const send = async (all: Sent[]) => {
      for (const { event, data } of all)
        await sse.writeSSE({ ...(event !== undefined && { event }), data: JSON.stringify(data) });
    };
    try {
      const { limits } = await readExecution(answering, deps);
      const total = limits.maxIterations + 1;
      const withMetadata = options?.include_metadata === true;
      const { executionId } = answering;
      const chunks = new AnswerChunks(identity, { executionId, total, asJson, withMetadata });
      await send([progressEvent(1, total, 'Thinking')]);
      for await (const one of followAnswer(answering, { signal: left.signal, withLive: true }, deps))
        await send('live' in one ? chunks.ofLive(one.live) : chunks.of(one.event));
      if (left.signal.aborted) return;
      const { finalAnalysis, failure, tokens } = await readExecution(answering, deps);
      if (finalAnalysis === null)
        await send([
          errorEvent(notAnswered(failure), false, failure?.code ?? 'ANSWER_FAILED'),
          doneEvent('error'),
        ]);
      else {
        await send(chunks.end());
        if (options?.include_usage === true) await send([usageChunk(identity, tokens)]);
      }
    } catch (error) {
      deps.log.warn({ sessionId: answering.sessionId }, `a stream failed: ${errorMessage(error)}`);
      const { detail, code, status } = problemDetails(error, deps.mask);
      await send([errorEvent(detail, status >= 500, code), doneEvent('error')]);
    }
    await sse.writeSSE({ data: '[DONE]' });
  });
}

function notAnswered(failure: Execution['failure']): string {
  return failure === null ? 'the question was not answered' : `${failure.code}: ${failure.message}`;
}

function toCompletionUsage({ input, output, thinking, total }: Execution['tokens']): object {
  return { prompt_tokens: input, completion_tokens: output + thinking, total_tokens: total };
}

function usageChunk({ id, created, model }: AnswerIdentity, tokens: Execution['tokens']): Sent {
  return {
    data: {
      id,
      object: 'chat.completion.chunk',
      created,
      model,
      choices: [],
      usage: toCompletionUsage(tokens),
    },
  };
}

/** Creates a function that orders an answer's events, by batch. It remembers which call asked an agent. */
function causalOrder(): (events: readonly TimelineEvent[]) => TimelineEvent[] {
  const childOf = new Map<string, string>();
  return (events) => {
    const byExecution = Map.groupBy(events, ({ executionId }) => executionId);
    const ordered: TimelineEvent[] = [];
    const place = (executionId: string): void => {
      const own = byExecution.get(executionId) ?? [];
      byExecution.delete(executionId);
      for (const event of own) {
        const { eventType, metadata } = event;
        if (eventType === 'llm_tool_call' && metadata.childExecutionId !== undefined)
          childOf.set(completionCallKey(event.executionId, metadata.callId), metadata.childExecutionId);
        const child =
          eventType === 'tool_result'
            ? childOf.get(completionCallKey(event.executionId, metadata.callId))
            : undefined;
        if (child !== undefined) place(child);
        ordered.push(event);
      }
    };
    for (const executionId of [...byExecution.keys()]) place(executionId);
    return ordered;
  };
}

const completionCallKey = (executionId: string | null, callId: string): string =>
  JSON.stringify([executionId, callId]);
