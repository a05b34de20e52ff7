// POST /v1/responses: questions to the agents of chains in the form of OpenAI's Responses API.

import type { Context } from 'hono';
import { askForClient, DEFAULT_MODEL, readAnswering } from '../../api/foreignClients/askForClient.ts';
import { composeQuestion } from '../../api/foreignClients/composeQuestion.ts';
import { readWholeAnswer, streamAnswer } from '../../api/foreignClients/followAnswer.ts';
import { invalidField, Problem } from '../../api/http/problem.ts';
import type { Caller, Once, RequestDeps } from '../../api/http/route.ts';
import { formatChatStageId } from '../../core/kernel/conversation/chatStage.ts';
import { isTerminal } from '../../core/schema/common.ts';
import { executionType, paths, sessionType } from '../../core/schema/coreDocuments.ts';
import type { Execution } from '../../core/schema/execution.ts';
import type { Session } from '../../core/schema/session.ts';
import { cancelSession } from '../../core/session/cancelSession.ts';
import {
  composeMessage,
  composeResponse,
  composeResponseId,
  type Echo,
  readResponseId,
  responseStream,
  toAnnotation,
} from './answer.ts';
import { type ResponsesRequest, readInput, structuredForm } from './request.ts';

/**
 * Asks the last message as a question: after the answer that the request names, or in a new chat. Responds
 * with the answer, streams it, or with `background` returns at once.
 * @throws Problem when the question is refused; RetryableError when the store fails.
 */
export async function createResponse(
  context: Context,
  { body: request, caller, once }: { body: ResponsesRequest; caller: Caller; once: Once },
  deps: RequestDeps,
): Promise<Response> {
  const { model, background, stream, metadata } = request;
  const { messages, continues, fault } = readInput(request);
  const before = continues === undefined ? undefined : await findAnswer(continues, deps);
  const form = structuredForm(request);
  const answering = await askForClient(
    context,
    {
      field: 'body.input',
      compose: (hasHistory) => composeQuestion(messages, hasHistory),
      fault,
      model: { chain: model === DEFAULT_MODEL ? deps.config.defaultChain : model, agent: null },
      isWatched: stream === true && background !== true,
      form,
      formField: 'body.text.format',
      ...(before && {
        sessionId: before.execution.sessionId,
        check: async (now) => checkNewest(now, before.execution),
      }),
    },
    { caller, once },
    deps,
  );
  const asJson = form === true;
  const echo: Echo = {
    id: composeResponseId({ ...answering, asJson }),
    model,
    background: background === true,
    metadata: metadata ?? {},
    previous_response_id: before?.id ?? null,
  };
  const withLive = background !== true;
  if (!stream) {
    const options = { asJson, isWaiting: withLive, context };
    return context.json(await readResponse(answering, echo, options, deps));
  }
  const events = responseStream(answering.executionId, echo, { asJson, withLive, after: -1 });
  return streamAnswer(context, answering, events, deps);
}

/** The response of an id, or with `stream` its events after the one with a number. */
export async function getResponse(
  context: Context,
  { id, stream, after }: { id: string; stream: boolean; after: number },
  deps: RequestDeps,
): Promise<Response | object> {
  const { execution, session, ...named } = await findAnswer(id, deps);
  const echo = composeEcho(named.id, session);
  const { asJson } = named;
  if (!stream) return readResponse(execution, echo, { asJson, isWaiting: false, context }, deps);
  const events = responseStream(execution.executionId, echo, { asJson, withLive: false, after });
  return streamAnswer(context, execution, events, deps);
}

/** Cancels the question of a response. One that has ended is returned as it is. */
export async function cancelResponse(
  context: Context,
  { id, caller }: { id: string; caller: Caller },
  deps: RequestDeps,
): Promise<object> {
  const { execution, session, ...named } = await findAnswer(id, deps);
  const { sessionId, stageId } = execution;
  if (session.openStage?.stageId === stageId)
    await cancelSession(sessionId, deps, { by: caller.name, reason: null });
  const options = { asJson: named.asJson, isWaiting: false, context };
  return readResponse(execution, composeEcho(named.id, session), options, deps);
}

/** The answer of a response or of an item of it. @throws Problem `NOT_FOUND`. */
async function findAnswer(id: string, { store }: RequestDeps) {
  const place = readResponseId(id);
  const [execution, session] = place
    ? await Promise.all([
        store.get(paths.execution(place.sessionId, place.executionId), executionType),
        store.get(paths.session(place.sessionId), sessionType),
      ])
    : [];
  if (place === undefined || execution === undefined || session === undefined)
    throw new Problem('NOT_FOUND', `there is no response ${id.slice(0, 200)}; it may have expired`);
  const { asJson } = place;
  return { id: composeResponseId(place), asJson, execution: execution.value, session: session.value };
}

/** @throws Problem `REQUEST_INVALID` when later questions of the session were answered. */
function checkNewest(session: Session, { stageId }: Pick<Execution, 'stageId'>): void {
  if (stageId === formatChatStageId(session, session.questions)) return;
  throw invalidField(
    'body.previous_response_id',
    `session ${session.sessionId} has later questions; continue the newest response, or ask without it`,
  );
}

/** What is known of a response later: its request is not stored. */
function composeEcho(id: string, { chain }: Session): Echo {
  return { id, model: chain.name, background: true, metadata: {}, previous_response_id: null };
}

/** The response in its current state, or when the question has ended. */
async function readResponse(
  answering: Pick<Execution, 'sessionId' | 'executionId' | 'stageId'>,
  echo: Echo,
  { asJson, isWaiting, context }: { asJson: boolean; isWaiting: boolean; context: Context },
  deps: RequestDeps,
): Promise<object> {
  const current = await readAnswering(answering, deps);
  if (!isWaiting && !isTerminal(current.status)) return composeResponse(current, echo, []);
  const { signal } = context.req.raw;
  const { content, execution, final } = await readWholeAnswer(answering, { asJson, signal }, deps);
  const citations = final?.metadata.citations ?? [];
  const output =
    content === null
      ? []
      : [
          composeMessage(
            echo.id,
            0,
            content,
            citations.map((one) => toAnnotation(one, content)),
          ),
        ];
  return composeResponse(execution, echo, output);
}
