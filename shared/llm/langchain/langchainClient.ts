// The client for every provider but Google: LangChain's chat models, text in and text out, one streamed answer per call.

import type { GenerateOptions, LlmClient, LlmRequest, LlmResponse } from '../../contract/llm.ts';
import { TerminalError } from '../../errors.ts';
import { type AnswerLimit, createAnswerLimit } from '../answerLimit.ts';
import {
  type AttemptOptions,
  type AttemptOutcome,
  askUntilAnswered,
  logLosses,
  noteReceived,
} from '../attempts.ts';
import { type Environment, scrub, secretsOf } from '../credentials.ts';
import type { ModelFailure } from '../failures.ts';
import { createChatModel } from './chatModel.ts';
import { classifyChunks } from './classifyChunks.ts';
import { type CollectedChunks, createChunkCollector } from './collectChunks.ts';
import { langchainFailure } from './langchainErrors.ts';
import { wireMessages } from './messages.ts';
import { type ChatModel, type LoadModule, loadLangchain, type WireMessage } from './packages.ts';

const NUDGE = 'Your last answer was empty. Please give your answer as text.';

/** Where providers find their keys, and what tests replace. */
export interface LangchainClientOptions extends AttemptOptions {
  env: Environment;
  /** Values beside those of `env` that may appear in no message. */
  secrets?: readonly string[];
  /** Imports LangChain and the providers' packages. */
  load?: LoadModule;
}

/**
 * A client of LangChain, which is loaded at the first call: it and the provider's package are an optional install.
 * Tools of a request are not bound. A call is tried 3 times as `waitBeforeRetry` says, after an empty answer with a
 * changed request. How long one attempt may take is the signal's matter.
 * @throws TerminalError `CONFIG_INVALID` for a missing package or an unknown provider, beside what `LlmClient` names.
 */
export function createLangchainClient(options: LangchainClientOptions): LlmClient {
  const { env, load, now = Date.now } = options;
  const secrets = [...secretsOf(env), ...(options.secrets ?? [])];

  function failureOf(thrown: unknown, request: LlmRequest, streaming: boolean): ModelFailure {
    if (thrown instanceof TerminalError) return { kind: 'configuration', error: thrown };
    const { provider, model } = request.model;
    return langchainFailure(thrown, { provider, model, streaming, secrets, now: now() });
  }

  async function connect(request: LlmRequest, limit: AnswerLimit): Promise<ChatModel> {
    const langchain = await loadLangchain(request.model.provider, load);
    const limitedFetch: typeof fetch = async (url, init) => limit.limitBody(await fetch(url, init));
    return createChatModel(langchain, request.model, env, limitedFetch);
  }

  async function attempt(
    request: LlmRequest,
    messages: WireMessage[],
    { signal, report }: GenerateOptions,
  ): Promise<AttemptOutcome> {
    report.requestBytes = Buffer.byteLength(JSON.stringify(messages));
    const collector = createChunkCollector();
    // Ends the connection when we stop reading, for whatever reason.
    const done = new AbortController();
    const limits = { wire: createAnswerLimit(request.model), collected: createAnswerLimit(request.model) };
    let streaming = false;
    try {
      const model = await connect(request, limits.wire);
      const stream = await model.stream(messages, { signal: AbortSignal.any([signal, done.signal]) });
      streaming = true;
      // Most providers' packages take no fetch of ours, so that only what is kept of their chunks can be counted.
      for await (const chunk of stream) limits.collected.add(collector.add(chunk));
      signal.throwIfAborted();
    } catch (thrown) {
      signal.throwIfAborted();
      const tooLarge = limits.wire.failure() ?? limits.collected.failure();
      if (tooLarge !== undefined) return { kind: 'failure', failure: tooLarge };
      return { kind: 'failure', failure: failureOf(thrown, request, streaming) };
    } finally {
      done.abort();
      const { text, thinking, usage, finishReason } = collector.answer();
      const responseBytes = Buffer.byteLength(text) + Buffer.byteLength(thinking);
      noteReceived(report, { responseBytes, usage, finishReason });
    }
    return judge(collector.answer(), secrets);
  }

  return {
    async generate(request, call) {
      const losses: string[] = [];
      const messages = wireMessages(request.messages, (sentence) => losses.push(sentence));
      logLosses(losses, 'LangChain', options);
      return askUntilAnswered(
        {
          client: 'LangChain',
          request: messages,
          ask: (wire) => attempt(request, wire, call),
          change: (kind) =>
            kind === 'empty' ? { request: wireMessages([...request.messages, nudge()]) } : undefined,
        },
        call,
        options,
      );
    },
  };
}

function nudge(): LlmRequest['messages'][number] {
  return { role: 'user', blocks: [{ blockType: 'text', textContent: NUDGE }] };
}

function judge(answer: CollectedChunks, secrets: readonly string[]): AttemptOutcome {
  const outcome = classifyChunks(answer, (text) => scrub(text, secrets));
  switch (outcome.kind) {
    case 'ok':
    case 'truncated':
      return { kind: 'answer', response: finishAnswer(answer, outcome.kind === 'truncated') };
    default:
      return { kind: 'failure', failure: outcome };
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
