// The Gemini client: one streamed answer per call, collected whole and judged; what is worth retrying is retried.

import type { GoogleGenAI } from '@google/genai';
import type { GenerateOptions, LlmClient, LlmRequest, LlmResponse } from '../../contract/llm.ts';
import type { RetryableError, TerminalError } from '../../errors.ts';
import { addTokens, NO_TOKENS } from '../../schema/common.ts';
import { asArray, asObject, asText, parseJson } from '../../text/json.ts';
import { type BackoffOptions, waitBeforeRetry } from '../backoff.ts';
import { fromWireName, wireNames } from '../wireNames.ts';
import { type Environment, type GeminiBackend, geminiBackend } from './backend.ts';
import { classifyAnswer } from './classifyAnswer.ts';
import { type CollectedAnswer, createCollector } from './collectStream.ts';
import { geminiFailure } from './errors.ts';
import { finishAnswer } from './finishAnswer.ts';
import { geminiRequest, jsonBytes, type RequestOptions, requestBytes } from './request.ts';
import { wholeFrames } from './sseFrames.ts';
import { canThinkLess } from './thinking.ts';
import { undeclarableTools } from './toolDeclarations.ts';

const MAX_ATTEMPTS = 3;
const NUDGE = 'Your last answer was empty. Please continue: call a tool, or give your answer as text.';
const NO_TOOLS_NUDGE = 'No tools can be called any more. Please give your answer as text.';

export interface GeminiClientOptions extends BackoffOptions {
  env: Environment;
  fetch?: typeof fetch;
  /** Told of every failed attempt. Fields hold no secrets. */
  log?: (message: string, fields: Record<string, unknown>) => void;
}

type Outcome =
  | { kind: 'answer'; response: LlmResponse }
  | { kind: 'failure'; what: string; error: TerminalError | RetryableError };

/** Failures that the same or nearly the same request may survive. The others concern the model or the configuration. */
const RETRIED = new Set(['rate_limit', 'unavailable', 'network', 'cut', 'empty']);

/** Calls where none can be made, as in a forced conclusion: there is no next iteration in which to tell the model. */
const CALLS = new Set(['malformed_call', 'unexpected_tool_call']);

let sdk: Promise<typeof import('@google/genai')> | undefined;

/** Loads the SDK ahead of its first use: some 90 ms that can pass while something else is waited for. */
export function warm(): Promise<typeof import('@google/genai')> {
  sdk ??= import('@google/genai');
  return sdk;
}

/**
 * A client for the backend that `env` names (see `geminiBackend`). Credentials are looked for at the first call.
 * A call is tried 3 times with full jitter; a delay the API asks for is kept if it ends before the deadline (without
 * one: within 60 s), else the RetryableError with `retryAfterMs` is thrown at once. After an empty answer the request
 * is changed before it is sent again; after an output limit spent on thinking it asks for as little of that as there is,
 * once. A refused thought signature is repaired once, as a further attempt.
 * Silence of 5 minutes counts as a broken connection; shorter limits are the signal's.
 */
export function createGeminiClient(options: GeminiClientOptions): LlmClient {
  const { env, log = () => {} } = options;
  let connected: Promise<{ ai: GoogleGenAI; backend: GeminiBackend }> | undefined;

  async function connect(): Promise<{ ai: GoogleGenAI; backend: GeminiBackend }> {
    const backend = geminiBackend(env);
    const { GoogleGenAI: Client } = await warm();
    const { baseUrl, ...rest } = backend;
    return {
      ai: new Client({ ...rest, ...(baseUrl !== undefined && { httpOptions: { baseUrl } }) }),
      backend,
    };
  }

  async function attempt(
    request: LlmRequest,
    changes: RequestOptions,
    call: GenerateOptions,
  ): Promise<Outcome> {
    const { signal, report } = call;
    report.attempts += 1;
    delete report.finishReason;
    connected ??= connect();
    const { ai, backend } = await connected;
    const params = geminiRequest(request, { ...changes, withoutServerToolParts: backend.vertexai });
    const names = wireNames(request.tools.map((tool) => tool.name));
    const collector = createCollector({
      callIdPrefix: `call_${request.messages.length}_`,
      toolName: (wire) => fromWireName(wire, names.fromWire),
    });
    report.requestBytes = requestBytes(params);

    // Ends the connection when we stop reading, for whatever reason.
    const done = new AbortController();
    const abortSignal = AbortSignal.any([signal, done.signal]);
    let finishMessage: string | null = null;
    let streaming = false;
    const fetchFrames: typeof fetch = async (url, init) =>
      wholeFrames(await (options.fetch ?? fetch)(url, init), (frame) => {
        finishMessage = finishMessageIn(frame) ?? finishMessage;
      });
    try {
      const config = { ...params.config, abortSignal, httpOptions: { fetch: fetchFrames } };
      const stream = await ai.models.generateContentStream({ ...params, config });
      streaming = true;
      for await (const chunk of stream) collector.add(chunk);
      signal.throwIfAborted();
    } catch (error) {
      signal.throwIfAborted();
      const secrets = backend.apiKey === undefined ? [] : [backend.apiKey];
      const failure = geminiFailure(error, {
        model: request.model.model,
        streaming,
        secrets,
        requestBytes: report.requestBytes,
      });
      return { kind: 'failure', what: failure.kind, error: failure.error };
    } finally {
      done.abort();
      note(collector.answer(), call);
    }
    const answer = collector.answer();
    return judge({ ...answer, finishMessage: finishMessage ?? answer.finishMessage }, request.model.model);
  }

  async function generate(request: LlmRequest, call: GenerateOptions): Promise<LlmResponse> {
    const { signal, report } = call;
    const changes: RequestOptions = {};
    let failures = 0;
    for (const { name, properties } of undeclarableTools(request.tools)) {
      log('a tool is not offered: Gemini takes no parameters of these names', { tool: name, properties });
    }
    while (true) {
      signal.throwIfAborted();
      const outcome = await attempt(request, changes, call);
      if (outcome.kind === 'answer') return outcome.response;

      const { what, error } = outcome;
      report.attemptErrors.push(`${error.code}: ${error.message}`);
      log('Gemini attempt failed', {
        attempt: report.attempts,
        what,
        code: error.code,
        error: error.message,
      });
      if (what === 'signature' && changes.repairSignatures !== true) {
        changes.repairSignatures = true;
        continue;
      }
      failures += 1;
      const canChange =
        what === 'max_tokens' && changes.leastThinking !== true && canThinkLess(request.model);
      const calledNothing = request.tools.length === 0 && CALLS.has(what);
      if (!(RETRIED.has(what) || canChange || calledNothing) || failures >= MAX_ATTEMPTS) throw error;
      if (what === 'empty') changes.nudge = NUDGE;
      if (calledNothing) changes.nudge = NO_TOOLS_NUDGE;
      if (canChange) changes.leastThinking = true;
      await waitBeforeRetry(failures, error, call, options);
    }
  }

  return { generate };
}

function judge(answer: CollectedAnswer, model: string): Outcome {
  const outcome = classifyAnswer(answer);
  switch (outcome.kind) {
    case 'ok':
    case 'truncated':
    case 'flagged':
      return {
        kind: 'answer',
        response: finishAnswer(answer, { model, truncated: outcome.kind !== 'ok' }),
      };
    default:
      return { kind: 'failure', what: outcome.kind, error: outcome.error };
  }
}

/** Notes what an attempt brought, also when it failed: it is billed all the same. */
function note(answer: CollectedAnswer, { report }: GenerateOptions): void {
  report.responseBytes = jsonBytes(answer.parts);
  if (answer.usage !== null) report.usage = addTokens(report.usage ?? NO_TOKENS, answer.usage);
  if (answer.finishReason !== null) report.finishReason = answer.finishReason;
}

/** The finish message of a frame: the SDK drops it on the Gemini API, and a malformed call stands nowhere else. */
function finishMessageIn(frame: string): string | undefined {
  if (!frame.includes('"finishMessage"')) return undefined;
  const chunk = asObject(parseJson(frame.trim().replace(/^data:/, '')));
  return asText(asObject(asArray(chunk.candidates)[0]).finishMessage);
}
