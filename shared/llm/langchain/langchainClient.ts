// The client for all providers but Google: LangChain's chat models, one streamed answer per call.

import type {
  ConversationMessage,
  GenerateOptions,
  LlmClient,
  LlmRequest,
  LlmResponse,
} from '../../core/contract/llm.ts';
import { bindsTools } from '../../core/contract/modelFacts.ts';
import type { ToolCall } from '../../core/contract/tools.ts';
import { TerminalError } from '../../core/errors.ts';
import type { ModelSettings } from '../../core/schema/agent.ts';
import type { Block } from '../../core/schema/message.ts';
import { textMessage } from '../../core/schema/textMessage.ts';
import { asArray, asObject, asText, jsonBytes, parseJson } from '../../text/json.ts';
import { type AnswerLimit, createAnswerLimit } from '../answerLimit.ts';
import { textBlock } from '../blocks/portableMessage.ts';
import { type Environment, listKnownSecrets, maskKeys } from '../credentials.ts';
import type { AttemptOutcome, FailureKind, ModelFailure } from '../failures.ts';
import { wholeFrames } from '../gemini/sseFrames.ts';
import { type AttemptOptions, askUntilAnswered, logLosses, noteReceived } from '../inline/retryModelCall.ts';
import { blocksFromAnthropic } from '../interchange/fromAnthropic.ts';
import { boundTools, isNamed, toRuntimeCalls } from './boundTools.ts';
import { createChatModel } from './chatModel.ts';
import { classifyChunks } from './classifyChunks.ts';
import { type CollectedChunks, createChunkCollector } from './collectChunks.ts';
import { langchainFailure } from './langchainErrors.ts';
import { hasOwnForms, type WireOptions, wireMessages } from './messages.ts';
import { type ChatModel, type LoadModule, loadLangchain, type WireMessage } from './packages.ts';
import { writeReplay } from './replay.ts';

const NUDGE = 'Your last answer was empty. Please give your answer as text.';
const NUDGE_WITH_TOOLS =
  'Your last answer was empty. Please continue: call a tool, or give your answer as text.';
const NO_TOOLS_NUDGE = 'No tools can be called any more. Please give your answer as text.';

/** The environment with the providers' keys, and replacements for tests. */
export interface LangchainClientOptions extends AttemptOptions {
  /** The environment with the keys of providers. */
  env: Environment;
  /** Values beside those of `env` that are masked in all messages. */
  secrets?: readonly string[];
  /** Imports LangChain and the providers' packages. */
  load?: LoadModule;
}

/**
 * A client of LangChain, which is loaded at the first call: it and the provider's package are an optional
 * install. Tools of a request are bound; native ones are not. A call is tried 3 times with the waits of
 * `waitBeforeRetry`, after an empty answer with a changed request. The signal limits the time of an attempt.
 * @throws TerminalError `CONFIG_INVALID` for a missing package or an unknown provider, and the errors of
 * `LlmClient`.
 */
export function createLangchainClient(options: LangchainClientOptions): LlmClient {
  const { env, load, now = Date.now } = options;
  const settings = { env, load, now, secrets: [...listKnownSecrets(env), ...(options.secrets ?? [])] };

  return {
    async generate(request, call) {
      const losses: string[] = [];
      const withCalls = request.tools.length > 0;
      const note = (sentence: string) => void losses.push(sentence);
      // Without the answers' own forms once the provider refused the request with them.
      let model: ModelSettings | undefined = request.model;
      const wire = (messages: ConversationMessage[], options: WireOptions = {}): WireMessage[] =>
        wireMessages(messages, { withCalls, ...(model && { model }), ...options });
      const messages = wire(request.messages, { note });
      logLosses(losses, 'LangChain', options);
      return askUntilAnswered(
        {
          client: 'LangChain',
          model: request.model,
          request: messages,
          ask: (changed, onFirstPiece) => attemptCall(request, changed, call, onFirstPiece, settings),
          change: (kind) => {
            if (kind === 'bad_request' && model && hasOwnForms(request.messages, { withCalls, model })) {
              model = undefined;
              call.report.repairedSignatures = true;
              return { request: wire(request.messages), atOnce: true };
            }
            const nudge = nudgeAfter(kind, withCalls);
            if (nudge === undefined) return undefined;
            return { request: wire([...request.messages, textMessage('user', nudge)]) };
          },
        },
        call,
        options,
      );
    },
  };
}

/** The options of a client, complete. */
interface Settings {
  /** The environment with the keys of providers. */
  env: Environment;
  /** Imports packages. Undefined: Node's own import. */
  load: LoadModule | undefined;
  /** The time in milliseconds. */
  now: () => number;
  /** Values that are masked in all messages. */
  secrets: readonly string[];
}

function toLangchainFailure(
  thrown: unknown,
  request: LlmRequest,
  streaming: boolean,
  { secrets, now }: Settings,
): ModelFailure {
  if (thrown instanceof TerminalError) return { kind: 'configuration', error: thrown };
  const { provider, model } = request.model;
  return langchainFailure(thrown, { provider, model, streaming, secrets, now: now() });
}

async function connectModel(
  request: LlmRequest,
  limit: AnswerLimit,
  onFrame: (frame: string) => void,
  { env, load }: Settings,
): Promise<ChatModel> {
  const langchain = await loadLangchain(request.model.provider, load);
  const limitedFetch: typeof fetch = async (url, init) =>
    wholeFrames(limit.limitBody(await fetch(url, init)), onFrame);
  const model = await createChatModel(langchain, request.model, env, limitedFetch);
  return bindModel(model, request);
}

/** Asks once, and classifies the answer. @param onFirstPiece is called with each chunk. */
async function attemptCall(
  request: LlmRequest,
  messages: WireMessage[],
  { signal, report, onProgress }: GenerateOptions,
  onFirstPiece: () => void,
  settings: Settings,
): Promise<AttemptOutcome> {
  report.responseBytes = 0;
  const { tools } = request;
  report.requestBytes = jsonBytes(messages) + (tools.length === 0 ? 0 : jsonBytes(boundTools(tools)));
  const collector = createChunkCollector(onProgress);
  // Ends the connection when we stop reading, for whatever reason.
  const done = new AbortController();
  const limits = { wire: createAnswerLimit(request.model), collected: createAnswerLimit(request.model) };
  let streaming = false;
  let refusal = '';
  try {
    const readFrame = (frame: string) => {
      refusal += refusalIn(frame);
    };
    const model = await connectModel(request, limits.wire, readFrame, settings);
    const stream = await model.stream(messages, { signal: AbortSignal.any([signal, done.signal]) });
    streaming = true;
    // Most providers' packages take no fetch of ours, so only the kept part of their chunks can be counted.
    for await (const chunk of stream) {
      onFirstPiece();
      limits.collected.add(collector.add(chunk));
    }
    collector.end();
    signal.throwIfAborted();
  } catch (thrown) {
    signal.throwIfAborted();
    const tooLarge = limits.wire.failure() ?? limits.collected.failure();
    if (tooLarge !== undefined) return { kind: 'failure', failure: tooLarge };
    return { kind: 'failure', failure: toLangchainFailure(thrown, request, streaming, settings) };
  } finally {
    done.abort();
    const { text, thinking, calls, usage, finishReason } = collector.answer();
    const responseBytes =
      Buffer.byteLength(text) + Buffer.byteLength(thinking) + (calls.length === 0 ? 0 : jsonBytes(calls));
    noteReceived(report, { responseBytes, usage, finishReason });
  }
  const answer = collector.answer();
  return judgeAnswer({ ...answer, refusal: answer.refusal || refusal }, request, settings.secrets);
}

/** @throws TerminalError `CONFIG_INVALID` for tools that the provider's models do not take. */
function bindModel(chat: ChatModel, { model, tools }: LlmRequest): ChatModel {
  if (tools.length === 0) return chat;
  // LangChain drops tools without a word where a model cannot bind them.
  if (bindsTools(model.provider)) return chat.bindTools(boundTools(tools));
  throw new TerminalError(
    'CONFIG_INVALID',
    `Models of "${model.provider}" have no function calling: give the agent another model, or the strategy react.`,
  );
}

/** The message to the model for the next attempt; undefined without one, or for the same request. */
function nudgeAfter(kind: FailureKind, withCalls: boolean): string | undefined {
  if (kind === 'empty') return withCalls ? NUDGE_WITH_TOOLS : NUDGE;
  return kind === 'unexpected_tool_call' ? NO_TOOLS_NUDGE : undefined;
}

function judgeAnswer(
  answer: CollectedChunks,
  request: LlmRequest,
  secrets: readonly string[],
): AttemptOutcome {
  const mayCall = request.tools.length > 0;
  const outcome = classifyChunks(answer, { mayCall, mask: (text) => maskKeys(text, secrets) });
  switch (outcome.kind) {
    case 'ok':
    case 'truncated':
      return { kind: 'answer', response: finishAnswer(answer, request, outcome.kind === 'truncated') };
    default:
      return { kind: 'failure', failure: outcome };
  }
}

/**
 * The finished answer: text and calls, which every provider takes back, and a replay where the provider
 * signed or encrypted its reasoning.
 */
function finishAnswer(
  { text, thinking, calls, usage, finishReason, modelVersion, ownForm, served }: CollectedChunks,
  request: LlmRequest,
  truncated: boolean,
): LlmResponse {
  // Where no tools were bound, a call beside the text is none.
  const toolCalls = request.tools.length === 0 ? [] : toRuntimeCalls(calls, request);
  const replay =
    !truncated && calls.every(isNamed) ? writeReplay(request.model, ownForm, toolCalls) : undefined;
  const [written] =
    served.citations.length === 0
      ? [textBlock(text)]
      : blocksFromAnthropic([{ type: 'text', text, citations: served.citations }]);
  const cited = written?.citations?.map(({ providerData: _, ...citation }) => citation) ?? [];
  return {
    text,
    thinking,
    toolCalls,
    blocks: [
      ...blocksFromAnthropic(served.blocks),
      ...(text === '' || written === undefined ? [] : [written]),
      ...toolCalls.map(callBlock),
    ],
    ...(replay && { replay }),
    groundings: [],
    citations: cited,
    codeExecutions: [],
    searchEntryPoint: null,
    usage,
    finishReason,
    modelVersion,
    finishMessage: null,
    truncated,
  };
}

function callBlock({ callId, name, arguments: input }: ToolCall): Block {
  return { blockType: 'tool_use', toolUseId: callId, toolName: name, input };
}

/** The piece of a refusal in one server-sent event; empty without one. Only the first choice is read. */
function refusalIn(frame: string): string {
  if (!/"refusal"\s*:\s*"/.test(frame)) return '';
  const chunk = asObject(parseJson(frame.trim().replace(/^data:/, '')));
  const choice = asObject(asArray(chunk.choices)[0]);
  return asText(asObject(choice.delta).refusal) ?? asText(asObject(choice.message).refusal) ?? '';
}
