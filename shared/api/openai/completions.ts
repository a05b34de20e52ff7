// POST /v1/chat/completions and GET /v1/models: questions to the agents of chains in OpenAI's wire form.

import { randomBytes } from 'node:crypto';
import type { Context } from 'hono';
import { streamSSE } from 'hono/streaming';
import { errorMessage } from '../../errors.ts';
import { type AskOutcome, askQuestion, questionFault } from '../../runtime/chat/askQuestion.ts';
import { openChat } from '../../runtime/chat/openChat.ts';
import { renewWatch } from '../../runtime/live/renewWatch.ts';
import { executionType, paths } from '../../schema/documents.ts';
import type { Execution } from '../../schema/execution.ts';
import type { LiveText } from '../../schema/liveText.ts';
import type { TimelineEvent } from '../../schema/timelineEvent.ts';
import { parseJson } from '../../text/json.ts';
import { followSession } from '../followSession.ts';
import { Problem, type ProblemDetails, problemDetails, problemOf } from '../problem.ts';
import type { Caller, Once, RequestDeps } from '../route.ts';
import { notAsked } from '../routes/chat.ts';
import { AnswerChunks, type AnswerIdentity, done, failed, progress, type Sent } from './chunks.ts';
import { type CompletionRequest, questionOf } from './request.ts';

/** Stands for the default chain. */
const DEFAULT_MODEL = 'inquest';

type Asked = Extract<AskOutcome, { kind: 'asked' }>;

/** The chains whose agent answers questions, as models. */
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
 * Asks the last message, in the session of X-Session-Id or in a new chat, and answers with what comes: whole, or as it is
 * found. Who goes away changes nothing: the question is answered, and stored.
 * @throws Problem when it is not asked; RetryableError when the store fails.
 */
export async function complete(
  context: Context,
  { body: request, caller, once }: { body: CompletionRequest; caller: Caller; once: Once },
  deps: RequestDeps,
): Promise<Response> {
  const sessionId = context.req.header('x-session-id') || undefined;
  const question = questionOf(request, { hasHistory: sessionId !== undefined });
  const fault = question === undefined ? 'the last message must be one of a user' : questionFault(question);
  if (question === undefined || fault !== undefined)
    throw new Problem('REQUEST_INVALID', `body.messages: ${fault}`, [
      { field: 'body.messages', message: fault ?? '' },
    ]);
  const { status, body } = await once(async () => {
    const isWatched = request.stream === true;
    const outcome = await ask(question, { sessionId, model: request.model, isWatched }, caller, deps);
    return { status: 202, body: JSON.stringify(outcome) };
  });
  if (status !== 202) throw problemOf(body);
  const asked = parseJson(body) as Asked;
  context.header('X-Session-Id', asked.sessionId);
  const identity: AnswerIdentity = {
    id: `chatcmpl-${randomBytes(12).toString('hex')}`,
    created: Math.floor(deps.clock.now().getTime() / 1000),
    model: request.model,
  };
  return request.stream
    ? stream(context, asked, identity, request.stream_options?.include_usage === true, deps)
    : context.json(await whole(context, asked, identity, deps));
}

/** Errors as OpenAI's clients read them. */
export function completionError({ detail, code, status }: ProblemDetails): object {
  const type = status >= 500 ? 'server_error' : 'invalid_request_error';
  return { error: { message: detail, type, param: null, code } };
}

async function ask(
  text: string,
  { sessionId, model, isWatched }: { sessionId: string | undefined; model: string; isWatched: boolean },
  { name, tenantId, userId }: Caller,
  deps: RequestDeps,
): Promise<Asked> {
  const chain = model === DEFAULT_MODEL ? undefined : model;
  // The answer may begin before its stream does.
  if (isWatched && sessionId !== undefined) await renewWatch(sessionId, deps).catch(() => undefined);
  const outcome =
    sessionId === undefined
      ? await openChat({ text, by: name, tenantId, userId, isWatched }, chain, deps.config, deps)
      : await askQuestion(sessionId, { text, by: name }, deps);
  if (outcome.kind !== 'asked') throw notAsked(sessionId ?? '', outcome, deps.clock.now());
  return outcome;
}

/** The events of an answer, each once, and what its model says before they are stored, where that is asked for. */
async function* followAnswer(
  { sessionId, stageId, executionId }: Asked,
  { signal, withLive }: { signal: AbortSignal; withLive: boolean },
  deps: RequestDeps,
): AsyncGenerator<{ event: TimelineEvent } | { live: LiveText }, void> {
  const seen = new Set<number>();
  const take = (event: TimelineEvent) => event.executionId === executionId && !seen.has(event.sequenceNumber);
  const options = { sessionId, take, isOver: isOver(stageId), withLive, signal };
  for await (const one of followSession(options, deps)) {
    if (one.kind === 'live' && one.live.executionId === executionId && !one.ended) yield { live: one.live };
    if (one.kind !== 'event' || seen.has(one.event.sequenceNumber)) continue;
    seen.add(one.event.sequenceNumber);
    yield { event: one.event };
  }
}

const isOver =
  (stageId: string) =>
  ({ openStage }: { openStage: { stageId: string } | null }): boolean =>
    openStage?.stageId !== stageId;

async function readAnswer({ sessionId, executionId }: Asked, { store }: RequestDeps): Promise<Execution> {
  const found = await store.get(paths.execution(sessionId, executionId), executionType);
  if (found === undefined) throw new Problem('NOT_FOUND', `the answer of session ${sessionId} was deleted`);
  return found.value;
}

async function whole(
  context: Context,
  asked: Asked,
  { id, created, model }: AnswerIdentity,
  deps: RequestDeps,
): Promise<object> {
  for await (const _ of followAnswer(asked, { signal: context.req.raw.signal, withLive: false }, deps));
  const { finalAnalysis, failure, tokens } = await readAnswer(asked, deps);
  if (finalAnalysis === null) throw new Problem('ANSWER_FAILED', notAnswered(failure));
  const message = { role: 'assistant', content: finalAnalysis, refusal: null };
  const choices = [{ index: 0, message, logprobs: null, finish_reason: 'stop' }];
  return { id, object: 'chat.completion', created, model, choices, usage: usageOf(tokens) };
}

function stream(
  context: Context,
  asked: Asked,
  identity: AnswerIdentity,
  withUsage: boolean,
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
      const { limits } = await readAnswer(asked, deps);
      const total = limits.maxIterations + 1;
      const chunks = new AnswerChunks(identity, total);
      await send([progress(1, total, 'Thinking')]);
      for await (const one of followAnswer(asked, { signal: left.signal, withLive: true }, deps))
        await send('live' in one ? chunks.ofLive(one.live) : chunks.of(one.event));
      if (left.signal.aborted) return;
      const { finalAnalysis, failure, tokens } = await readAnswer(asked, deps);
      if (finalAnalysis === null)
        await send([failed(notAnswered(failure), false, failure?.code ?? 'ANSWER_FAILED'), done('error')]);
      else {
        await send(chunks.end());
        if (withUsage) await send([usageChunk(identity, tokens)]);
      }
    } catch (error) {
      deps.log.warn({ sessionId: asked.sessionId }, `a stream failed: ${errorMessage(error)}`);
      const { detail, code, status } = problemDetails(error, deps.mask);
      await send([failed(detail, status >= 500, code), done('error')]);
    }
    await sse.writeSSE({ data: '[DONE]' });
  });
}

function notAnswered(failure: Execution['failure']): string {
  return failure === null ? 'the question was not answered' : `${failure.code}: ${failure.message}`;
}

function usageOf({ input, output, thinking, total }: Execution['tokens']): object {
  return { prompt_tokens: input, completion_tokens: output + thinking, total_tokens: total };
}

function usageChunk({ id, created, model }: AnswerIdentity, tokens: Execution['tokens']): Sent {
  return {
    data: { id, object: 'chat.completion.chunk', created, model, choices: [], usage: usageOf(tokens) },
  };
}
