// The scripted Gemini: an HTTP server with the Gemini API's protocol that checks requests as strictly as the
// API does and answers from a script.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { type ApiError, invalidArgument } from './apiError.ts';
import { buildChunks } from './buildChunks.ts';
import { checkConfig } from './checkConfig.ts';
import { checkContents } from './checkContents.ts';
import { embedTexts, findEmbedRoute } from './embeddings.ts';
import { type FindTurn, type FoundTurn, findTurn } from './findTurn.ts';
import {
  answerInteraction,
  findInteractionRoute,
  type InteractionOutcome,
  type InteractionRoute,
  type InteractionStore,
} from './interactions.ts';
import { asObject, parseJson } from './json.ts';
import { loadScript } from './loadScript.ts';
import { parseModel } from './modelVersion.ts';
import { quoteResults } from './quotedResults.ts';
import { parseRequest } from './requestSchema.ts';
import { checkCredentials, type Delivery, findRoute, unknownModel } from './route.ts';
import {
  type Failure,
  type FailureKind,
  failureKind,
  hasAnswer,
  type ParsedScript,
  type Script,
  type Turn,
} from './script.ts';
import { type Sleep, sendAnswer, sendError, sendFailure, type Wire } from './sendAnswer.ts';
import { createWebhookSender, type RegisteredWebhook, type WebhookSender } from './webhooks.ts';

/** The limit of the API. */
const MAX_BODY_BYTES = 20 * 1024 * 1024;

/** A request's result; `conversation`: name or position from 1. `abandoned`: the client closed it. */
type RequestOutcome =
  | { kind: 'pending' }
  | { kind: 'answered' | 'abandoned'; conversation: string; turn: number | 'conclusion' }
  | { kind: 'failed'; failure: FailureKind; conversation: string; turn: number | 'conclusion' }
  | { kind: 'refused'; status: number; message: string };

interface RecordedRequest {
  /** Name of the model in the path, or in the body of an interaction; empty for one that is stored. */
  model: string;
  /** The form of the response. */
  delivery: Delivery;
  /** The parsed JSON; null when it was none. */
  body: unknown;
  /** Updated in place when the response ends. */
  outcome: RequestOutcome;
}

/** A running server. */
export interface ScriptedGemini {
  /** Base URL, for `GOOGLE_GEMINI_BASE_URL` or `httpOptions.baseUrl`. */
  url: string;
  /** Requests to known paths, in order of arrival. */
  requests: RecordedRequest[];
  /** The texts that were embedded, in order of arrival. */
  embedded: string[];
  /** Interactions that are stored, by id. */
  interactions: ReadonlyMap<string, unknown>;
  /** Closes every connection and the port. */
  stop(): Promise<void>;
}

/** Where a server listens, and how it reads its script. */
export interface ServeOptions {
  /** Default: 0, a free port. */
  port?: number;
  /** Default 127.0.0.1. */
  host?: string;
  /** How the script's delays are waited for. Default: in real time. */
  sleep?: Sleep;
  /** Finds the turn that answers a request. Default: `findTurn`. */
  findTurn?: FindTurn;
  /** The name of a function in a request, by its name in the script. Default: the same. */
  wireName?: (name: string) => string;
  /** Gets the webhooks of interactions that name no address. Default: none are sent. */
  webhook?: RegisteredWebhook;
}

/**
 * Starts the server. Embeddings do not depend on the script, except that `models` can omit the model.
 * @param options.script a file (YAML or JSON, described in script.ts) or the script itself.
 * @throws ScriptError for an invalid script, with file, line and expected value.
 * @throws Error when the port is taken.
 */
export async function startScriptedGemini(
  options: ServeOptions & { script: Script | string },
): Promise<ScriptedGemini> {
  const { script, ...serving } = options;
  return serveScript(await loadScript(script), serving);
}

/** Starts the server for a checked script. @throws Error when the port is taken. */
export async function serveScript(script: ParsedScript, options: ServeOptions = {}): Promise<ScriptedGemini> {
  const { port = 0, host = '127.0.0.1', webhook, ...reading } = options;
  const requests: RecordedRequest[] = [];
  const embedded: string[] = [];
  const nextFailure = failureQueue();
  const interactions: InteractionStore = new Map();
  const webhooks = createWebhookSender(webhook);
  const server = createServer((request, response) => {
    const kept = { requests, embedded, nextFailure, interactions, webhooks };
    const context = { ...DEFAULTS, ...reading, script, ...kept };
    handleRequest(request, response, context).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const { port: bound } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}`,
    requests,
    embedded,
    interactions,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const DEFAULTS: Pick<Context, 'sleep' | 'findTurn' | 'wireName'> = {
  sleep: (ms, signal) => delay(ms, undefined, { signal }),
  findTurn,
  wireName: (name) => name,
};

type NextFailure = (found: FoundTurn) => Failure | undefined;

/** Gives each attempt of a turn its failure. This count of attempts is the only state of the server. */
function failureQueue(): NextFailure {
  const met = new Map<FoundTurn['turn'], number>();
  return ({ turn }) => {
    const failures = turn.failures ?? [];
    const index = met.get(turn) ?? 0;
    met.set(turn, index + 1);
    return failures[index] ?? (hasAnswer(turn) ? undefined : failures.at(-1));
  };
}

interface Context {
  /** The validated script. */
  script: ParsedScript;
  /** All requests so far, those in progress included. */
  requests: RecordedRequest[];
  /** All embedded texts so far. */
  embedded: string[];
  /** The scripted failure of the next attempt of a turn. */
  nextFailure: NextFailure;
  /** Waits; tests replace it. */
  sleep: Sleep;
  /** Finds the turn that answers a request. */
  findTurn: FindTurn;
  /** The name of a function in a request, by its name in the script. */
  wireName: (name: string) => string;
  /** Stored interactions. */
  interactions: InteractionStore;
  /** Sends webhooks. */
  webhooks: WebhookSender;
}

async function recordInteraction(
  request: IncomingMessage,
  response: ServerResponse,
  route: InteractionRoute,
  context: Context,
): Promise<void> {
  const body = await readBody(request);
  const parsed = typeof body === 'string' && body !== '' ? parseJson(body) : null;
  const model = String(asObject(parsed).model ?? '');
  const record: RecordedRequest = { model, delivery: 'unary', body: parsed, outcome: { kind: 'pending' } };
  if (route.kind === 'create') context.requests.push(record);
  await answerInteraction(route, { request, response, body }, context, (outcome) => {
    record.outcome = recordOutcome(outcome);
  });
}

function recordOutcome(outcome: InteractionOutcome): RequestOutcome {
  if (outcome.kind === 'refused') {
    const { httpStatus: status, message } = outcome.error;
    return { kind: 'refused', status, message };
  }
  const { conversation = '', number: turn = 1 } = outcome.found ?? {};
  return outcome.kind === 'failed'
    ? { kind: 'failed', failure: failureKind(outcome.failure), conversation, turn }
    : { kind: 'answered', conversation, turn };
}

async function answerEmbedding(
  request: IncomingMessage,
  response: ServerResponse,
  route: NonNullable<ReturnType<typeof findEmbedRoute>>,
  { script, embedded }: Context,
): Promise<void> {
  const body = await readBody(request);
  const unauthorised = checkCredentials(request, route.vertex);
  if (unauthorised) return sendError(response, unauthorised);
  if (typeof body !== 'string') return sendError(response, body);
  const answer = embedTexts(route, body, script.models);
  if ('httpStatus' in answer) return sendError(response, answer);
  embedded.push(...answer.texts);
  response.writeHead(200, { 'content-type': 'application/json; charset=UTF-8' });
  response.end(JSON.stringify(answer.body));
}

async function handleRequest(
  request: IncomingMessage,
  response: ServerResponse,
  context: Context,
): Promise<void> {
  const embedding = findEmbedRoute(request);
  if (embedding !== undefined) return answerEmbedding(request, response, embedding, context);
  const interaction = findInteractionRoute(request);
  if (interaction !== undefined) return recordInteraction(request, response, interaction, context);
  const route = findRoute(request);
  if (route === undefined) return sendNotFound(response);
  const { model, delivery, vertex } = route;
  const record: RecordedRequest = { model, delivery, body: null, outcome: { kind: 'pending' } };
  context.requests.push(record);
  const closed = new AbortController();
  response.once('close', () => closed.abort());

  const refuse = (error: ApiError) => {
    record.outcome = { kind: 'refused', status: error.httpStatus, message: error.message };
    sendError(response, error);
  };
  const body = await readBody(request);
  const unauthorised = checkCredentials(request, vertex);
  if (unauthorised) return refuse(unauthorised);
  if (typeof body !== 'string') return refuse(body);
  const parsed = parseRequest(body);
  if ('error' in parsed) return refuse(parsed.error);
  record.body = parsed.request;
  const parsedModel = context.script.models?.includes(model) === false ? undefined : parseModel(model);
  if (parsedModel === undefined) return refuse(unknownModel(route));
  const fault =
    checkContents(parsedModel, parsed.request) ?? checkConfig(parsedModel, parsed.request, vertex);
  if (fault) return refuse(fault);
  const found = context.findTurn(context.script, model, parsed.request);
  if ('error' in found) return refuse(found.error);

  // The default states to a reader of records that no model answered.
  const { turn, conversation, number, modelVersion = `scripted ${model}` } = found;
  const quoted = quoteResults(turn, parsed.request, context.wireName);
  if ('error' in quoted) return refuse(quoted.error);
  const pacing = {
    firstDelayMs: turn.firstDelayMs ?? context.script.defaults?.firstDelayMs ?? 0,
    delayMs: turn.delayMs ?? context.script.defaults?.delayMs ?? 0,
    perWrite: turn.perWrite ?? context.script.defaults?.perWrite,
  };
  const wire: Wire = { response, delivery, pacing, sleep: context.sleep, signal: closed.signal };
  const chunks = buildChunks(nameCalls(quoted, context), parsedModel, parsed.request, modelVersion);
  const failure = context.nextFailure(found);
  // Set before sending, so that a test sees it as soon as the client has read the last byte.
  record.outcome = failure
    ? { kind: 'failed', failure: failureKind(failure), conversation, turn: number }
    : { kind: 'answered', conversation, turn: number };
  try {
    await (failure ? sendFailure(wire, failure, chunks) : sendAnswer(wire, chunks));
  } catch (error) {
    if (!closed.signal.aborted) throw error;
    if (!failure) record.outcome = { kind: 'abandoned', conversation, turn: number };
  }
}

/** The turn with the names of its calls as in the request. */
function nameCalls(turn: Turn, { wireName }: Context): Turn {
  if (turn.toolCalls === undefined) return turn;
  return { ...turn, toolCalls: turn.toolCalls.map((call) => ({ ...call, name: wireName(call.name) })) };
}

/** Sends a 404 as the front end of the API does: an HTML page instead of JSON. */
function sendNotFound(response: ServerResponse): void {
  response.writeHead(404, { 'content-type': 'text/html; charset=UTF-8' });
  response.end('<!DOCTYPE html><title>Error 404 (Not Found)</title><p>The requested URL was not found.');
}

/** The body, or the error for a large one. Reads to the end, so that the client gets it. */
async function readBody(request: IncomingMessage): Promise<string | ApiError> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size <= MAX_BODY_BYTES) pieces.push(piece);
    else pieces.length = 0;
  }
  return size <= MAX_BODY_BYTES
    ? Buffer.concat(pieces).toString('utf8')
    : invalidArgument(`Request payload size exceeds the limit: ${MAX_BODY_BYTES} bytes.`);
}
