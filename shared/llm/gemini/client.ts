// The Gemini client: collects a streamed answer per attempt, classifies it, retries passing failures.

import type { GoogleGenAI } from '@google/genai';
import type { GenerateOptions, LlmClient, LlmRequest } from '../../core/contract/llm.ts';
import { addTokens, NO_TOKENS, type TokenUsage } from '../../core/schema/common.ts';
import { SERVICE_TIERS } from '../../core/schema/cost.ts';
import { asArray, asObject, asText, jsonBytes, parseJson } from '../../text/json.ts';
import { createAnswerLimit } from '../answerLimit.ts';
import { type Environment, listKnownSecrets } from '../credentials.ts';
import { type AttemptOutcome, type FailureKind, type ModelFailure, modelFailure } from '../failures.ts';
import {
  type AttemptOptions,
  askUntilAnswered,
  type ChangedRequest,
  logLosses,
  noteReceived,
} from '../inline/retryModelCall.ts';
import { createStepCollector } from '../interactions/collectSteps.ts';
import { interactionRequest } from '../interactions/request.ts';
import { readEvents, requestInteraction, type Transport } from '../interactions/sendInteraction.ts';
import { fromWireName, wireNames } from '../wireNames.ts';
import { type GeminiBackend, geminiBackend } from './backend.ts';
import { collectPieces } from './collectPieces.ts';
import { createCollector } from './collectStream.ts';
import { geminiFailure } from './errors.ts';
import { judgeAnswer } from './judgeAnswer.ts';
import { geminiRequest, type RequestOptions } from './request.ts';
import { wholeFrames } from './sseFrames.ts';
import { canThinkLess } from './thinking.ts';
import { undeclarableTools } from './toolDeclarations.ts';

const NUDGE = 'Your last answer was empty. Please continue: call a tool, or give your answer as text.';
const NO_TOOLS_NUDGE = 'No tools can be called any more. Please give your answer as text.';

/** Names the tier that answered: `priority` is lowered to `standard` above its limit. */
const TIER_HEADER = 'x-gemini-service-tier';

/** The client's backend, and replacements for tests. */
export interface GeminiClientOptions extends AttemptOptions {
  /** The environment with backend and credentials (`geminiBackend`). */
  env: Environment;
  /** Values beside those of `env` that are masked in all messages. */
  secrets?: readonly string[];
  /** Sends requests. Default: the global one. */
  fetch?: typeof fetch;
}

/** Failed calls in answers without tools, as in a forced conclusion: no iteration can report them. */
const CALLS: ReadonlySet<FailureKind> = new Set(['malformed_call', 'unexpected_tool_call']);

let sdk: Promise<typeof import('@google/genai')> | undefined;

/** Loads the SDK: some 90 ms, which can pass while something else is waited for. */
function loadSdk(): Promise<typeof import('@google/genai')> {
  sdk ??= import('@google/genai');
  return sdk;
}

/**
 * A client for the backend that `env` names (see `geminiBackend`). Credentials are looked for at the first
 * call. A call is tried 3 times with full jitter; a delay the API asks for is kept if it ends before the
 * deadline (without one: within 60 s), else the RetryableError with `retryAfterMs` is thrown at once. After
 * an empty answer the request is changed before it is sent again, after the second without the signatures of
 * the history; after an output limit spent on thinking it asks for as little of that as there is, once. A
 * refused thought signature is repaired once, as a further attempt. Silence of 5 minutes counts as a broken
 * connection; shorter limits are the signal's.
 */
export function createGeminiClient(options: GeminiClientOptions): LlmClient {
  const { env } = options;
  const secrets = [
    ...listKnownSecrets(env),
    ...(options.secrets ?? []),
    env.GOOGLE_API_KEY ?? '',
    env.GEMINI_API_KEY ?? '',
  ];
  let connected: Promise<Connected> | undefined;
  const settings: Settings = {
    connect() {
      connected ??= connect(env);
      return connected;
    },
    fetch: options.fetch,
    secrets,
  };

  return {
    warm() {
      loadSdk().catch(() => {
        // The first request fails with the same error and reports it.
      });
    },
    async generate(request, call) {
      for (const { name, properties } of undeclarableTools(request.tools)) {
        options.log?.('a tool is not offered: Gemini takes no parameters of these names', {
          tool: name,
          properties,
        });
      }
      const losses: string[] = [];
      return askUntilAnswered<RequestOptions>(
        {
          client: 'Gemini',
          // A refusal of the tier flex says nothing about the model: the standard tier is asked next.
          ...(request.model.serviceTier !== 'flex' && { model: request.model }),
          request: { note: (sentence) => losses.push(sentence) },
          ask: (changes, onFirstPiece) => attemptCall(request, changes, call, onFirstPiece, settings),
          change: (kind, changes) => changeAfter(kind, changes, request),
        },
        call,
        options,
      ).finally(() => logLosses(losses, 'Gemini', options));
    },
  };
}

interface Connected {
  /** The SDK's client. */
  ai: GoogleGenAI;
  /** The backend that it sends requests to. */
  backend: GeminiBackend;
}

/** The parts of a client that an attempt uses. */
interface Settings {
  /** Connects at the first call. */
  connect(): Promise<Connected>;
  /** The global one when undefined. */
  fetch: typeof fetch | undefined;
  /** Values that are masked in all messages. */
  secrets: readonly string[];
}

async function connect(env: Environment): Promise<Connected> {
  const backend = geminiBackend(env);
  const { GoogleGenAI: Client } = await loadSdk();
  const { baseUrl, ...rest } = backend;
  return {
    ai: new Client({ ...rest, ...(baseUrl !== undefined && { httpOptions: { baseUrl } }) }),
    backend,
  };
}

/** Asks once, and classifies the answer. @param onFirstPiece is called with each chunk. */
async function attemptCall(
  request: LlmRequest,
  changes: RequestOptions,
  call: GenerateOptions,
  onFirstPiece: () => void,
  { connect, fetch: ownFetch, secrets }: Settings,
): Promise<AttemptOutcome> {
  const { signal, report } = call;
  const { ai, backend } = await connect();
  const wire = request.model.api === 'interactions' ? interactionWire : contentWire;
  const open = wire(request, changes, { ai, backend });
  const names = wireNames(request.tools.map((tool) => tool.name));
  const collector = wire.createCollector({
    callIdPrefix: `call_${request.messages.length}_`,
    toolName: (wire) => fromWireName(wire, names.fromWire),
    onProgress: call.onProgress,
  });
  const askedTier = changes.standardTier === true ? 'standard' : request.model.serviceTier;
  if (askedTier !== undefined) report.serviceTier = askedTier;
  report.provider = backend.vertexai ? 'gcp.vertex_ai' : 'gcp.gemini';
  report.requestBytes = 0;
  report.responseBytes = 0;
  if (changes.repairSignatures === true) report.repairedSignatures = true;

  // Ends the connection when we stop reading, for whatever reason.
  const done = new AbortController();
  const abortSignal = AbortSignal.any([signal, done.signal]);
  const limit = createAnswerLimit(request.model, call.onBytes);
  let finishMessage: string | null = null;
  let redirectedTo: string | undefined;
  let streaming = false;
  const fetchFrames: typeof fetch = async (url, init) => {
    // The SDK's JSON: a long conversation is not written twice to know its size.
    if (typeof init?.body === 'string') report.requestBytes = Buffer.byteLength(init.body);
    const response = await (ownFetch ?? fetch)(url, { ...init, redirect: 'manual' });
    const answeredTier = SERVICE_TIERS.find((tier) => tier === response.headers.get(TIER_HEADER));
    if (askedTier !== undefined && response.ok) report.serviceTier = answeredTier ?? askedTier;
    if (response.status >= 300 && response.status < 400) redirectedTo = redirectTarget(response, url);
    return wholeFrames(limit.limitBody(response), (frame) => {
      finishMessage = finishMessageIn(frame) ?? finishMessage;
    });
  };
  const send = async (continuationToken: string | undefined) => {
    const stream = await open({ signal: abortSignal, fetch: fetchFrames }, continuationToken);
    streaming = true;
    return stream;
  };
  let earlier: TokenUsage | null;
  try {
    earlier = await collectPieces({ collector, call, send, onChunk: onFirstPiece });
  } catch (error) {
    signal.throwIfAborted();
    const tooLarge = limit.failure();
    if (tooLarge !== undefined) return { kind: 'failure', failure: tooLarge };
    if (redirectedTo !== undefined) return { kind: 'failure', failure: redirectFailure(redirectedTo) };
    const failure = geminiFailure(error, {
      model: request.model.model,
      streaming,
      secrets,
      requestBytes: report.requestBytes,
    });
    return { kind: 'failure', failure };
  } finally {
    done.abort();
    const { parts, steps = parts, usage, finishReason, serviceTier } = collector.answer();
    // The tier that is billed. `standard` is not recorded where no tier was requested.
    if (serviceTier !== null && (askedTier !== undefined || serviceTier !== 'standard'))
      report.serviceTier = serviceTier;
    noteReceived(report, { responseBytes: steps.length === 0 ? 0 : jsonBytes(steps), usage, finishReason });
  }
  const answer = collector.answer();
  const usage = earlier === null ? answer.usage : addTokens(earlier, answer.usage ?? NO_TOKENS);
  const whole = { ...answer, usage, finishMessage: finishMessage ?? answer.finishMessage };
  return judgeAnswer(whole, request, secrets);
}

/** Sends the request of an attempt, or of a further piece of its answer. */
type Open = (
  transport: Pick<Transport, 'signal' | 'fetch'>,
  continuationToken: string | undefined,
) => Promise<AsyncIterable<unknown>>;

/** generateContent, by Google's own client. */
function contentWire(request: LlmRequest, changes: RequestOptions, { ai, backend }: Connected): Open {
  const params = geminiRequest(request, { ...changes, withoutServerToolParts: backend.vertexai });
  return ({ signal: abortSignal, fetch }, continuationToken) => {
    const transport = { abortSignal, httpOptions: { fetch } };
    const config = { ...params.config, ...transport, ...(continuationToken && { continuationToken }) };
    return ai.models.generateContentStream({ ...params, config });
  };
}
contentWire.createCollector = createCollector;

/** The Interactions API, which streams an answer that it does not store. */
function interactionWire(request: LlmRequest, changes: RequestOptions, { backend }: Connected): Open {
  const body = { ...interactionRequest(request, changes), stream: true };
  return async (transport, token) => {
    const whole = { ...body, ...(token !== undefined && { continuation_token: token }) };
    return readEvents(await requestInteraction({ ...transport, backend }, 'POST', '', whole));
  };
}
interactionWire.createCollector = createStepCollector;

/** The target of a redirect: only its origin, because the rest can hold secrets. */
function redirectTarget(response: Response, url: Parameters<typeof fetch>[0]): string {
  const from = url instanceof Request ? url.url : String(url);
  return URL.parse(response.headers.get('location') ?? '', from)?.origin ?? 'nowhere';
}

/** The key goes along with a request, so that a redirect is not followed. */
function redirectFailure(origin: string): ModelFailure {
  const message = `Gemini's endpoint redirects to ${origin}, where the key does not follow. If that is the right place, set GOOGLE_GEMINI_BASE_URL to it.`;
  return modelFailure('bad_request', message);
}

/** The change of a request after a failure. Changes add up, and each is made once, except the nudges. */
export function changeAfter(
  kind: FailureKind,
  changes: RequestOptions,
  { model, tools, messages }: LlmRequest,
): ChangedRequest<RequestOptions> | undefined {
  // Once: the standard tier is then asked as often as without a tier.
  const isRefused = kind === 'rate_limit' || kind === 'unavailable';
  if (model.serviceTier === 'flex' && isRefused && changes.standardTier !== true) {
    return { request: { ...changes, standardTier: true }, atOnce: true, model };
  }
  if (kind === 'signature' && changes.repairSignatures !== true) {
    return { request: { ...changes, repairSignatures: true }, atOnce: true };
  }
  if (kind === 'max_tokens' && changes.leastThinking !== true && canThinkLess(model)) {
    return { request: { ...changes, leastThinking: true } };
  }
  if (kind === 'empty') {
    // Some models answer nothing, each time, to signatures of their own.
    const isSecond = changes.nudge === NUDGE && hasSignatures(messages);
    return { request: { ...changes, nudge: NUDGE, ...(isSecond && { repairSignatures: true }) } };
  }
  if (tools.length === 0 && CALLS.has(kind)) return { request: { ...changes, nudge: NO_TOOLS_NUDGE } };
  return undefined;
}

function hasSignatures(messages: LlmRequest['messages']): boolean {
  return messages.some(
    ({ replay, signaturesRefused }) =>
      signaturesRefused !== true && /"(thoughtS|s)ignature"/.test(replay?.data ?? ''),
  );
}

/** The finish message of a frame, which the SDK drops on the Gemini API: it has a malformed call. */
function finishMessageIn(frame: string): string | undefined {
  if (!frame.includes('"finishMessage"')) return undefined;
  const chunk = asObject(parseJson(frame.trim().replace(/^data:/, '')));
  return asText(asObject(asArray(chunk.candidates)[0]).finishMessage);
}
