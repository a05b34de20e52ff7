// The client for every provider but Google: LangChain's chat models, text in and text out, one streamed answer per call.

import type { GenerateOptions, LlmClient, LlmRequest, LlmResponse } from '../../contract/llm.ts';
import { type RetryableError, TerminalError } from '../../errors.ts';
import { addTokens, NO_TOKENS } from '../../schema/common.ts';
import { type BackoffOptions, waitBeforeRetry } from '../backoff.ts';
import type { Environment } from '../gemini/backend.ts';
import { createChatModel, secretsOf } from './chatModel.ts';
import { classifyChunks } from './classifyChunks.ts';
import { type CollectedChunks, createChunkCollector } from './collectChunks.ts';
import { langchainFailure } from './langchainErrors.ts';
import { wireMessages } from './messages.ts';
import { type ChatModel, type LoadModule, loadLangchain, type WireMessage } from './packages.ts';

const MAX_ATTEMPTS = 3;
const NUDGE = 'Your last answer was empty. Please give your answer as text.';

export interface LangchainClientOptions extends BackoffOptions {
  env: Environment;
  /** Imports LangChain and the providers' packages. */
  load?: LoadModule;
  /** Told of every failed attempt. Fields hold no secrets. */
  log?: (message: string, fields: Record<string, unknown>) => void;
}

type Outcome =
  | { kind: 'answer'; response: LlmResponse }
  | { kind: 'failure'; what: string; error: TerminalError | RetryableError };

/** Failures that the same or nearly the same request may survive. */
const RETRIED = new Set(['rate_limit', 'unavailable', 'network', 'cut', 'empty']);

/**
 * A client of LangChain, which is loaded at the first call: it and the provider's package are an optional install.
 * Tools of a request are not bound. A call is tried 3 times as `waitBeforeRetry` says, after an empty answer with a
 * changed request. How long one attempt may take is the signal's matter.
 * @throws TerminalError `CONFIG_INVALID` for a missing package or an unknown provider, beside what `LlmClient` names.
 */
export function createLangchainClient(options: LangchainClientOptions): LlmClient {
  const { env, load, log = () => {}, now = Date.now } = options;
  const secrets = secretsOf(env);

  function failed(thrown: unknown, request: LlmRequest, streaming: boolean): Outcome {
    if (thrown instanceof TerminalError) return { kind: 'failure', what: 'configuration', error: thrown };
    const { provider, model } = request.model;
    const { kind, error } = langchainFailure(thrown, { provider, model, streaming, secrets, now: now() });
    return { kind: 'failure', what: kind, error };
  }

  async function connect(request: LlmRequest): Promise<ChatModel> {
    const langchain = await loadLangchain(request.model.provider, load);
    return createChatModel(langchain, request.model, env);
  }

  async function attempt(
    request: LlmRequest,
    messages: WireMessage[],
    { signal, report }: GenerateOptions,
  ): Promise<Outcome> {
    report.attempts += 1;
    delete report.finishReason;
    report.requestBytes = Buffer.byteLength(JSON.stringify(messages));
    const collector = createChunkCollector();
    // Ends the connection when we stop reading, for whatever reason.
    const done = new AbortController();
    let streaming = false;
    try {
      const model = await connect(request);
      const stream = await model.stream(messages, { signal: AbortSignal.any([signal, done.signal]) });
      streaming = true;
      for await (const chunk of stream) collector.add(chunk);
      signal.throwIfAborted();
    } catch (thrown) {
      signal.throwIfAborted();
      return failed(thrown, request, streaming);
    } finally {
      done.abort();
      note(collector.answer(), report);
    }
    return judge(collector.answer());
  }

  async function generate(request: LlmRequest, call: GenerateOptions): Promise<LlmResponse> {
    let messages = wireMessages(request.messages);
    for (let failures = 1; ; failures += 1) {
      call.signal.throwIfAborted();
      const outcome = await attempt(request, messages, call);
      if (outcome.kind === 'answer') return outcome.response;

      const { what, error } = outcome;
      const { attempts, attemptErrors } = call.report;
      attemptErrors.push(`${error.code}: ${error.message}`);
      log('LangChain attempt failed', { attempt: attempts, what, code: error.code, error: error.message });
      if (!RETRIED.has(what) || failures >= MAX_ATTEMPTS) throw error;
      if (what === 'empty') messages = wireMessages([...request.messages, nudge()]);
      await waitBeforeRetry(failures, error, call, options);
    }
  }

  return { generate };
}

function nudge(): LlmRequest['messages'][number] {
  return { role: 'user', blocks: [{ blockType: 'text', textContent: NUDGE }] };
}

function judge(answer: CollectedChunks): Outcome {
  const outcome = classifyChunks(answer);
  switch (outcome.kind) {
    case 'ok':
    case 'truncated':
      return { kind: 'answer', response: finishAnswer(answer, outcome.kind === 'truncated') };
    default:
      return { kind: 'failure', what: outcome.kind, error: outcome.error };
  }
}

/** The finished answer: text alone, which every provider takes back, so there is nothing to replay. */
function finishAnswer(
  { text, thinking, usage, finishReason, modelVersion }: CollectedChunks,
  truncated: boolean,
): LlmResponse {
  return {
    text,
    thinking,
    toolCalls: [],
    blocks: [{ blockType: 'text', textContent: text }],
    groundings: [],
    citations: [],
    codeExecutions: [],
    searchEntryPoint: null,
    usage,
    finishReason,
    modelVersion,
    finishMessage: null,
    truncated,
  };
}

/** Notes what an attempt brought, also when it failed: it is billed all the same. */
function note(answer: CollectedChunks, report: GenerateOptions['report']): void {
  report.responseBytes = Buffer.byteLength(answer.text) + Buffer.byteLength(answer.thinking);
  if (answer.usage !== null) report.usage = addTokens(report.usage ?? NO_TOKENS, answer.usage);
  if (answer.finishReason !== null) report.finishReason = answer.finishReason;
}
