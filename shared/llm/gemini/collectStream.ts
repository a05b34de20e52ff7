// Collects the chunks of one streamed answer. Pure: no clock, no randomness, no JSON makes it throw.

import type { CodeExecution, Progress } from '../../core/contract/llm.ts';
import type { ToolCall } from '../../core/contract/tools.ts';
import type { TokenUsage } from '../../core/schema/common.ts';
import { SERVICE_TIERS, type ServiceTier } from '../../core/schema/cost.ts';
import { asArray, asObject, asText, isObject, type JsonObject } from '../../text/json.ts';
import { pairCodeExecutions } from './codeExecutions.ts';
import type { GeminiPart } from './content.ts';
import { applyPartialArgs } from './streamedArguments.ts';

/** The tiers of Vertex AI's kinds of traffic. */
const TRAFFIC = new Map<string, ServiceTier>([
  ['ON_DEMAND', 'standard'],
  ['ON_DEMAND_FLEX', 'flex'],
  ['ON_DEMAND_PRIORITY', 'priority'],
]);

/** The finish reason of an answer that stopped at the limit of one request. */
const CONTINUES = 'CONTINUATION';

/** The outcome of reading one URL for the model. Both fields can be missing on the wire. */
export interface UrlContext {
  /** The address that was read. */
  url?: string;
  /** For example `URL_RETRIEVAL_STATUS_SUCCESS`; an open set. */
  status?: string;
}

/** The collected answer in Gemini's shapes, before classifyAnswer.ts and finishAnswer.ts. */
export interface CollectedAnswer {
  /** Visible text, without thoughts. */
  text: string;
  /** Thoughts, or their summaries; empty if there are none. */
  thinking: string;
  /** In call order; none when the arguments of one cannot be written down again. */
  toolCalls: ToolCall[];
  /** In order of arrival, neighbouring deltas of one text merged. */
  parts: GeminiPart[];
  /** The steps of an interaction, from which the parts were made. Absent: the answer came in parts. */
  steps?: JsonObject[];
  /** The billed tokens; null if no chunk has them. */
  usage: TokenUsage | null;
  /** The service tier that the billed tokens name; null if no chunk names a known one. */
  serviceTier: ServiceTier | null;
  /** Gemini's reason: `STOP`, `MAX_TOKENS`, …; an open set. Null if no chunk has one. */
  finishReason: string | null;
  /** The provider's sentence on how it ended; it does not mean an error. */
  finishMessage: string | null;
  /** The model that answered; null if no chunk names it. */
  modelVersion: string | null;
  /** In the order of the code, results paired by id, else by order. */
  codeExecutions: CodeExecution[];
  /** As it was sent: the last one that was not empty. Offsets in it are UTF-8 bytes. */
  groundingMetadata: JsonObject | null;
  /** URLs read for this answer, without repetitions. */
  urlContexts: UrlContext[];
  /** The sources it quotes, without repetitions, as they were sent. Offsets in them are UTF-8 bytes. */
  citationSources: JsonObject[];
  /** Chunks that arrived; none at all is a failure of its own kind. */
  chunkCount: number;
  /** Why the prompt was refused, in the provider's word or sentence; null when it was not. */
  blockReason: string | null;
  /** Whether a call's arguments could not be put together; such an answer must not be executed. */
  malformedCall: boolean;
}

/** How calls are named. */
export interface CollectOptions {
  /** Calls without a provider's id become `{callIdPrefix}{index}`, unique to the answer. */
  callIdPrefix: string;
  /** Turns a name on the wire into `server.tool`; by default the wire name stays. */
  toolName?: (wireName: string) => string;
  /** Called with each piece of text and thinking that is added. */
  onProgress?: ((progress: Progress) => void) | undefined;
}

/** Puts one answer together, chunk by chunk. */
export interface Collector {
  /** Adds one chunk (a parsed stream event). Unknown shapes are skipped. */
  add(chunk: unknown): void;
  /** The answer so far. Can be called at any time, and again after more chunks. */
  answer(): CollectedAnswer;
  /** With which the next piece is requested, if the answer stopped at the limit of one request. */
  continuationToken(): string | undefined;
  /** The billed tokens of this piece; null if no chunk has them. Later chunks count again. */
  takeUsage(): TokenUsage | null;
  /** The next chunks are those of a further piece, which ends for a reason of its own. */
  startPiece(): void;
}

/** Collects a finished list of chunks. */
export function collectChunks(chunks: Iterable<unknown>, options: CollectOptions): CollectedAnswer {
  const collector = createCollector(options);
  for (const chunk of chunks) collector.add(chunk);
  return collector.answer();
}

/** A call whose arguments still arrive in pieces. `call` stands in the part list already. */
interface StreamedCall {
  /** The part of the answer that holds the call. */
  part: GeminiPart;
  /** The `functionCall` of the part. */
  call: JsonObject;
  /** The arguments that have arrived. */
  args: JsonObject;
}

/** A collector of one answer's chunks; only the first candidate is read. */
export function createCollector(options: CollectOptions): Collector {
  const collected = collectParts();
  const sources = collectSources();
  let chunkCount = 0;
  let usage: TokenUsage | null = null;
  let serviceTier: ServiceTier | null = null;
  let finishReason: string | null = null;
  let finishMessage: string | null = null;
  let token: string | undefined;
  let modelVersion: string | null = null;
  let blockReason: string | null = null;
  let groundingMetadata: JsonObject | null = null;

  function add(chunk: unknown): void {
    chunkCount += 1;
    if (!isObject(chunk)) return;
    usage = tokenUsage(chunk.usageMetadata) ?? usage;
    serviceTier = readServiceTier(asObject(chunk.usageMetadata)) ?? serviceTier;
    modelVersion = asText(chunk.modelVersion) ?? modelVersion;
    const feedback = asObject(chunk.promptFeedback);
    blockReason = readBlockReason(feedback) ?? blockReason;

    const candidate = firstCandidate(chunk);
    // An older API sends STOP with every chunk, and text can follow: neither ends the collection.
    finishReason = asText(candidate.finishReason) ?? finishReason;
    finishMessage = asText(candidate.finishMessage) ?? finishMessage;
    token = asText(candidate.continuationToken) ?? token;
    const grounding = asObject(candidate.groundingMetadata);
    if (Object.keys(grounding).length > 0) groundingMetadata = grounding;
    sources.add(candidate);
    for (const part of asArray(asObject(candidate.content).parts)) {
      if (!isObject(part) || Object.keys(part).length === 0) continue;
      collected.add(part);
      if (typeof part.text === 'string' && part.text !== '')
        options.onProgress?.({ kind: isThought(part) ? 'thinking' : 'text', delta: part.text });
    }
  }

  function answer(): CollectedAnswer {
    const parts = collected.parts();
    const calls = executableCalls(parts);
    const toolCalls = toToolCalls(calls, options);
    return {
      text: joinPartTexts(parts, false),
      thinking: joinPartTexts(parts, true),
      toolCalls: toolCalls ?? [],
      parts,
      usage,
      serviceTier,
      finishReason,
      modelVersion,
      codeExecutions: pairCodeExecutions(parts),
      groundingMetadata,
      ...sources.found(),
      finishMessage,
      chunkCount,
      blockReason,
      // Arguments cut by the output limit are incomplete.
      malformedCall:
        collected.isMalformed() ||
        toolCalls === null ||
        (collected.isCallOpen() && finishReason === 'MAX_TOKENS'),
    };
  }

  return {
    add,
    answer,
    continuationToken: () => (finishReason === CONTINUES ? token : undefined),
    takeUsage() {
      const taken = usage;
      usage = null;
      return taken;
    },
    startPiece() {
      finishReason = null;
      token = undefined;
    },
  };
}

/** Joins the pieces of text and of calls to parts. */
function collectParts() {
  const parts: GeminiPart[] = [];
  let streamed: StreamedCall | null = null;
  let malformedCall = false;

  function addPart(part: GeminiPart): void {
    if (part.functionCall !== undefined) {
      addCallPart(part);
      return;
    }
    // An empty text can stand between two fragments of a call; anything else ends it.
    if (part.text !== '') streamed = null;
    const last = parts.at(-1);
    if (last !== undefined && isPlainText(last) && isPlainText(part) && last.thought === part.thought) {
      parts[parts.length - 1] = { ...last, text: `${last.text}${part.text}` };
      return;
    }
    parts.push(part);
  }

  function addCallPart(part: GeminiPart): void {
    const fragment = asObject(part.functionCall);
    const name = asText(fragment.name);
    if (streamed !== null && sameCall(streamed.call, name, asText(fragment.id))) {
      continueCall(streamed, part, fragment);
      return;
    }
    streamed = null;
    if (name === undefined) {
      // A terminator without a call is ignored; arguments without a call cannot be attributed.
      if (fragment.partialArgs !== undefined || Object.keys(asObject(fragment.args)).length > 0)
        malformedCall = true;
      return;
    }
    if (fragment.partialArgs === undefined && fragment.willContinue !== true) {
      // Whole, and kept as it came; only a missing `args` is left for the reader to default.
      const { willContinue: _, ...call } = fragment;
      parts.push('willContinue' in fragment ? { ...part, functionCall: call } : part);
      return;
    }
    const { partialArgs: _, willContinue: __, ...call } = fragment;
    const args = { ...asObject(fragment.args) };
    const assembled: StreamedCall = { part: { ...part }, call: { ...call, args }, args };
    assembled.part.functionCall = assembled.call;
    parts.push(assembled.part);
    streamed = assembled;
    addArguments(assembled, fragment);
  }

  function continueCall(open: StreamedCall, part: GeminiPart, fragment: JsonObject): void {
    open.part.thoughtSignature ??= part.thoughtSignature;
    if (open.part.thoughtSignature === undefined) delete open.part.thoughtSignature;
    open.call.id ??= fragment.id;
    if (open.call.id === undefined) delete open.call.id;
    addArguments(open, fragment);
    // `functionCall: {}` is the terminator, but it does not always come.
    if (fragment.willContinue !== true && fragment.partialArgs === undefined) streamed = null;
  }

  function addArguments(open: StreamedCall, fragment: JsonObject): void {
    Object.assign(open.args, asObject(fragment.args));
    if (!applyPartialArgs(open.args, fragment.partialArgs)) malformedCall = true;
  }

  return {
    add: addPart,
    parts: () => [...parts],
    /** Whether the last call still waits for arguments. */
    isCallOpen: () => streamed !== null,
    /** Whether the arguments of a call could not be put together. */
    isMalformed: () => malformedCall,
  };
}

/** Collects the sources of an answer, each once. */
function collectSources() {
  const urlContexts = new Map<string, UrlContext>();
  const citationSources = new Map<string, JsonObject>();

  function addUrlContexts(candidate: JsonObject): void {
    for (const entry of asArray(asObject(candidate.urlContextMetadata).urlMetadata).map(asObject)) {
      const url = asText(entry.retrievedUrl);
      const status = asText(entry.urlRetrievalStatus);
      if (url === undefined && status === undefined) continue;
      urlContexts.set(JSON.stringify([url, status]), {
        ...(url !== undefined && { url }),
        ...(status !== undefined && { status }),
      });
    }
  }

  /** The field is `citationSources` in the Gemini API, `citations` in Vertex AI and the SDK. */
  function addCitationSources({ citationSources: sources, citations }: JsonObject): void {
    for (const source of [...asArray(sources), ...asArray(citations)].map(asObject)) {
      const { startIndex, endIndex, uri, title, license } = source;
      citationSources.set(JSON.stringify([startIndex, endIndex, uri, title, license].map(keyPart)), source);
    }
  }

  return {
    add(candidate: JsonObject): void {
      addUrlContexts(candidate);
      addCitationSources(asObject(candidate.citationMetadata));
    },
    found: () => ({ urlContexts: [...urlContexts.values()], citationSources: [...citationSources.values()] }),
  };
}

/** The part of a source's key from one field; empty for anything but text and numbers. */
function keyPart(value: unknown): unknown {
  return typeof value === 'object' ? null : value;
}

/** Candidate 0; proto3 leaves its index out. */
function firstCandidate(chunk: JsonObject): JsonObject {
  return (
    asArray(chunk.candidates)
      .map(asObject)
      .find((one) => (one.index ?? 0) === 0) ?? {}
  );
}

/** Some refusals have a message and no reason. */
function readBlockReason(feedback: JsonObject): string | undefined {
  const reason = asText(feedback.blockReason);
  const message = asText(feedback.blockReasonMessage);
  return reason !== undefined && message !== undefined ? `${reason}: ${message}` : (reason ?? message);
}

/** Text and nothing else: merging over a signature or an unknown key would lose it. */
function isPlainText(part: GeminiPart): boolean {
  return (
    typeof part.text === 'string' && Object.keys(part).every((key) => key === 'text' || key === 'thought')
  );
}

/** Whether a fragment belongs to the open call: it has no name, or repeats the id. */
function sameCall(open: JsonObject, name: string | undefined, id: string | undefined): boolean {
  return name === undefined || (id !== undefined && id === open.id && name === open.name);
}

const isThought = ({ thought }: GeminiPart): boolean => thought === true;

function joinPartTexts(parts: GeminiPart[], thought: boolean): string {
  return parts
    .filter((part) => typeof part.text === 'string' && isThought(part) === thought)
    .map((part) => part.text)
    .join('');
}

/**
 * The calls the runtime has to execute, in order. A call that is answered by a `functionResponse` in the same
 * answer was run by the provider and is none.
 */
export function executableCalls(parts: readonly GeminiPart[]): JsonObject[] {
  const open: JsonObject[] = [];
  for (const part of parts) {
    if (isObject(part.functionCall)) open.push(part.functionCall);
    if (!isObject(part.functionResponse)) continue;
    const { id, name } = part.functionResponse;
    const byId = open.findIndex((call) => asText(id) !== undefined && call.id === id);
    const answered = byId === -1 ? open.findIndex((call) => call.name === name) : byId;
    if (answered !== -1) open.splice(answered, 1);
  }
  return open;
}

/** Null when the arguments of a call are no JSON that can be written down again (nested beyond the stack). */
function toToolCalls(calls: JsonObject[], options: CollectOptions): ToolCall[] | null {
  const taken = new Set<string>();
  const toolName = options.toolName ?? ((name: string) => name);
  try {
    return calls.map((call, index) => {
      let callId = asText(call.id) ?? `${options.callIdPrefix}${index}`;
      while (taken.has(callId)) callId = `${callId}_${index}`;
      taken.add(callId);
      return { callId, name: toolName(asText(call.name) ?? ''), arguments: JSON.stringify(call.args ?? {}) };
    });
  } catch {
    return null;
  }
}

/** The Gemini API names the tier, Vertex AI the kind of traffic. */
function readServiceTier({ serviceTier, trafficType }: JsonObject): ServiceTier | undefined {
  return SERVICE_TIERS.find((tier) => tier === serviceTier) ?? TRAFFIC.get(asText(trafficType) ?? '');
}

/**
 * `input` includes the tokens that server-side tools read; thoughts are counted apart from output. Null when
 * there are no counts.
 */
function tokenUsage(metadata: unknown): TokenUsage | null {
  const counts = asObject(metadata);
  const count = (key: string): number => {
    const value = counts[key];
    return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : 0;
  };
  if (
    !Object.entries(counts).some(([key, value]) => key.endsWith('TokenCount') && typeof value === 'number')
  ) {
    return null;
  }
  const input = count('promptTokenCount') + count('toolUsePromptTokenCount');
  const output = count('candidatesTokenCount');
  const thinking = count('thoughtsTokenCount');
  const total = count('totalTokenCount') || input + output + thinking;
  return { input, output, thinking, cached: count('cachedContentTokenCount'), total };
}
