// The Interactions API of the scripted Gemini: create (streamed, at once or in the background), get, cancel
// and delete. Interactions in the background are kept in memory.

import { createHash } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ApiError, apiError, invalidArgument } from './apiError.ts';
import { type Answer, buildAnswer, buildEvents, endFields } from './buildSteps.ts';
import { checkConfig } from './checkConfig.ts';
import { checkContents } from './checkContents.ts';
import type { FindTurn, FoundTurn } from './findTurn.ts';
import {
  checkSteps,
  type InteractionRequest,
  parseInteraction,
  toGenerateRequest,
} from './interactionRequest.ts';
import { parseModel } from './modelVersion.ts';
import { quoteResults } from './quotedResults.ts';
import { checkCredentials } from './route.ts';
import type { Failure, ParsedScript, Turn } from './script.ts';
import { type Sleep, sendError, sendEvents, sendFailure, type Wire } from './sendAnswer.ts';
import { JWKS_PATH, type WebhookSender, webhookType } from './webhooks.ts';

const PATH = /^\/(?:v1|v1beta)\/interactions(?:\/([^/]+)(\/cancel)?)?$/;

/** The operation of a request. */
export type InteractionRoute = { kind: 'create' } | { kind: 'keys' } | StoredRoute;

/** A request about a stored interaction. */
interface StoredRoute {
  kind: 'get' | 'cancel' | 'delete';
  id: string;
  stream: boolean;
  lastEventId: string | null;
}

/** The route of a request; undefined when the API has no such path. */
export function findInteractionRoute({ url = '/', method }: IncomingMessage): InteractionRoute | undefined {
  const { pathname, searchParams } = new URL(url, 'http://localhost');
  if (pathname === JWKS_PATH && method === 'GET') return { kind: 'keys' };
  const match = PATH.exec(pathname);
  if (match === null) return undefined;
  const [, id, cancel] = match;
  if (id === undefined) return method === 'POST' ? { kind: 'create' } : undefined;
  const stream = searchParams.get('stream') === 'true';
  const found = { id: decodeURIComponent(id), stream, lastEventId: searchParams.get('last_event_id') };
  if (cancel !== undefined) return method === 'POST' ? { kind: 'cancel', ...found } : undefined;
  if (method === 'GET') return { kind: 'get', ...found };
  return method === 'DELETE' ? { kind: 'delete', ...found } : undefined;
}

/** A stored interaction. */
interface StoredInteraction {
  /** The resource, without the answer while it runs. */
  fields: Record<string, unknown>;
  /** The answer; it is visible when `fields.status` is no longer `in_progress`. */
  answer: Answer;
  /** Number of its events that a stream of it gets so far. */
  visible: number;
  /** Emits `change` with each of them, and with the end. */
  progress: EventEmitter;
  /** Ends the work in the background. */
  stop: AbortController;
}

/** Interactions that are stored, by id. */
export type InteractionStore = Map<string, StoredInteraction>;

/** The parts of the server that interactions use. */
interface InteractionContext {
  /** The validated script. */
  script: ParsedScript;
  /** Stored interactions. */
  interactions: InteractionStore;
  /** Sends webhooks. */
  webhooks: WebhookSender;
  /** Waits; tests replace it. */
  sleep: Sleep;
  /** Finds the turn that answers a request. */
  findTurn: FindTurn;
  /** The scripted failure of the next attempt of a turn. */
  nextFailure(found: FoundTurn): Failure | undefined;
  /** The name of a function in a request, by its name in the script. */
  wireName(name: string): string;
}

/** The outcome of a request, for the record. */
export type InteractionOutcome =
  | { kind: 'refused'; error: ApiError }
  | { kind: 'failed'; found: FoundTurn; failure: Failure }
  | { kind: 'answered'; found: FoundTurn | undefined };

/** Answers a request. @param note records the outcome, before anything is sent. */
export async function answerInteraction(
  route: InteractionRoute,
  {
    request,
    response,
    body,
  }: { request: IncomingMessage; response: ServerResponse; body: string | ApiError },
  context: InteractionContext,
  note: (outcome: InteractionOutcome) => void,
): Promise<void> {
  const refuse = (error: ApiError) => {
    note({ kind: 'refused', error });
    sendError(response, error);
  };
  if (route.kind === 'keys') return sendJson(response, context.webhooks.jwks());
  const unauthorised = checkCredentials(request, false);
  if (unauthorised) return refuse(unauthorised);
  if (typeof body !== 'string') return refuse(body);
  if (route.kind === 'create') {
    const created = prepare(body, context);
    return 'error' in created ? refuse(created.error) : create(created, response, context, note);
  }
  const stored = context.interactions.get(route.id);
  if (stored === undefined) return refuse(apiError(404, `Interaction ${route.id} is not found.`));
  note({ kind: 'answered', found: undefined });
  return answerStored(route, stored, response, context);
}

async function answerStored(
  route: StoredRoute,
  stored: StoredInteraction,
  response: ServerResponse,
  context: InteractionContext,
): Promise<void> {
  switch (route.kind) {
    case 'get':
      return route.stream
        ? streamStored(stored, route.lastEventId, response)
        : sendJson(response, readStored(stored));
    case 'cancel':
      stored.stop.abort();
      if (stored.fields.status === 'in_progress') stored.fields.status = 'cancelled';
      stored.progress.emit('change');
      return sendJson(response, readStored(stored));
    case 'delete':
      stored.stop.abort();
      context.interactions.delete(route.id);
      return sendJson(response, {});
  }
}

/** A checked request with its answer. */
interface Prepared {
  request: InteractionRequest;
  found: FoundTurn;
  turn: Turn;
  answer: Answer;
  /** The resource as `create` returns it. */
  fields: Record<string, unknown>;
}

function prepare(body: string, context: InteractionContext): Prepared | { error: ApiError } {
  const parsed = parseInteraction(body);
  if ('error' in parsed) return parsed;
  const { request } = parsed;
  const { script, wireName } = context;
  const model = script.models?.includes(request.model) === false ? undefined : parseModel(request.model);
  if (model === undefined) return { error: apiError(404, `Model ${request.model} is not found.`) };
  const generate = toGenerateRequest(request);
  const fault =
    checkSteps(model, request) ?? checkContents(model, generate) ?? checkConfig(model, generate, false);
  if (fault) return { error: fault };
  const found = context.findTurn(script, request.model, generate);
  if ('error' in found) return found;
  const quoted = quoteResults(found.turn, generate, wireName);
  if ('error' in quoted) return quoted;
  if (quoted.chunks !== undefined)
    return { error: invalidArgument('Scripted Gemini: `chunks` are those of generateContent.') };
  const calls = quoted.toolCalls?.map((call) => ({ ...call, name: wireName(call.name) }));
  const turn = calls === undefined ? quoted : { ...quoted, toolCalls: calls };
  const { modelVersion = `scripted ${request.model}` } = found;
  const hash = createHash('sha256').update(body).update(String(context.interactions.size)).digest('hex');
  const fields = {
    id: `v1_${hash.slice(0, 40)}`,
    object: 'interaction',
    model: modelVersion,
    status: 'in_progress',
    service_tier: request.service_tier ?? 'standard',
    ...(request.webhook_config && { webhook_config: request.webhook_config }),
  };
  return { request, found, turn, answer: buildAnswer(turn, model, request, generate), fields };
}

async function create(
  prepared: Prepared,
  response: ServerResponse,
  context: InteractionContext,
  note: (outcome: InteractionOutcome) => void,
): Promise<void> {
  const { request, found, turn, answer, fields } = prepared;
  const failure = context.nextFailure(found);
  note(failure ? { kind: 'failed', found, failure } : { kind: 'answered', found });
  const stored: StoredInteraction = {
    fields,
    answer,
    visible: 1,
    progress: new EventEmitter().setMaxListeners(0),
    stop: new AbortController(),
  };
  if (request.store && !failure?.status) context.interactions.set(String(fields.id), stored);
  const closed = new AbortController();
  response.once('close', () => closed.abort());
  const pacing = {
    firstDelayMs: turn.firstDelayMs ?? context.script.defaults?.firstDelayMs ?? 0,
    delayMs: turn.delayMs ?? context.script.defaults?.delayMs ?? 0,
    perWrite: turn.perWrite ?? context.script.defaults?.perWrite,
  };
  if (request.background) {
    const done = workInBackground(stored, prepared, pacing, context);
    if (turn.webhook === 'early') await done;
    // A failure that cuts the response loses the id of an interaction that runs.
    if (failure?.cut) response.destroy();
    else if (failure)
      await sendFailure(
        { response, delivery: 'unary', pacing, sleep: context.sleep, signal: closed.signal },
        failure,
        [],
      );
    else sendJson(response, { ...fields, status: 'in_progress' });
    await done;
    return;
  }
  const delivery = request.stream ? 'sse' : 'unary';
  const wire: Wire = { response, delivery, pacing, sleep: context.sleep, signal: closed.signal };
  const events = buildEvents(fields, answer);
  Object.assign(fields, endFields(answer));
  if (failure) await sendFailure(wire, failure, events);
  else if (request.stream) await sendEvents(wire, events);
  else {
    await wire.sleep(pacing.firstDelayMs, wire.signal);
    sendJson(response, readStored(stored));
  }
}

/** Ends an interaction after its time, and sends its webhook. */
async function workInBackground(
  stored: StoredInteraction,
  { request, turn }: Prepared,
  { firstDelayMs, delayMs }: { firstDelayMs: number; delayMs: number },
  { sleep, webhooks }: InteractionContext,
): Promise<void> {
  const { fields, answer, stop, progress } = stored;
  await sleep(firstDelayMs, stop.signal).catch(() => undefined);
  const count = buildEvents(fields, answer).length;
  while (delayMs > 0 && stored.visible < count && !stop.signal.aborted) {
    stored.visible += 1;
    progress.emit('change');
    await sleep(delayMs, stop.signal).catch(() => undefined);
  }
  if (stop.signal.aborted) return;
  Object.assign(fields, endFields(answer));
  stored.visible = count;
  progress.emit('change');
  const type = webhookType(answer.status);
  if (type === undefined || turn.webhook === 'lost') return;
  const { uris, user_metadata: userMetadata } = request.webhook_config ?? {};
  const event = { type, id: String(fields.id), userMetadata };
  for (let copies = turn.webhook === 'twice' ? 2 : 1; copies > 0; copies -= 1)
    await webhooks.send(event, uris);
}

function readStored({ fields, answer }: StoredInteraction): Record<string, unknown> {
  const isEnded = fields.status === answer.status;
  return { ...fields, steps: isEnded ? answer.steps : [] };
}

/** Streams an interaction from its first event, or from the one after the last that a client has. */
async function streamStored(
  stored: StoredInteraction,
  lastEventId: string | null,
  response: ServerResponse,
): Promise<void> {
  const closed = new AbortController();
  response.once('close', () => closed.abort());
  const pacing = { firstDelayMs: 0, delayMs: 0, perWrite: undefined };
  const wire: Wire = { response, delivery: 'sse', pacing, sleep: async () => {}, signal: closed.signal };
  await sendEvents(wire, followEvents(stored, lastEventId, closed.signal));
}

async function* followEvents(
  stored: StoredInteraction,
  lastEventId: string | null,
  signal: AbortSignal,
): AsyncGenerator<Record<string, unknown>> {
  const isAfter = ({ event_id: id }: Record<string, unknown>) => id === lastEventId;
  let next = lastEventId === null ? 0 : buildEvents(stored.fields, stored.answer).findIndex(isAfter) + 1;
  for (;;) {
    const events = buildEvents(stored.fields, stored.answer).slice(next, stored.visible);
    next += events.length;
    yield* events;
    if (stored.visible > next) continue;
    const isRunning = stored.fields.status === 'in_progress';
    if (!isRunning || signal.aborted) return;
    await once(stored.progress, 'change', { signal });
  }
}

function sendJson(response: ServerResponse, body: object): void {
  response.writeHead(200, { 'content-type': 'application/json; charset=UTF-8' });
  response.end(JSON.stringify(body));
}
