// Collects an answer from LangChain's chunks. Each package has other places for other content.

import type { Progress } from '../../core/contract/llm.ts';
import { addTokens, NO_TOKENS, type TokenUsage } from '../../core/schema/common.ts';
import { asArray, asObject, asText, isObject, type JsonObject } from '../../text/json.ts';
import { type CollectedCall, createCallCollector } from './collectCalls.ts';
import { createOwnFormCollector, type OwnForm, type Served } from './collectReplay.ts';
import { createThinkTagSplitter, type SplitPiece } from './thinkTags.ts';

/** A collected answer, before it is classified (classifyChunks.ts). */
export interface CollectedChunks {
  /** Visible text, without thoughts. */
  text: string;
  /** Thoughts; empty if there are none. */
  thinking: string;
  /** Tool calls, in order. */
  calls: CollectedCall[];
  /**
   * All chunks' tokens added up: LangChain's own rule, because some providers send input and output in
   * different chunks. Anthropic's counts are cumulative, so that the largest of each are taken.
   */
  usage: TokenUsage | null;
  /** The provider's own word; null if no chunk has one. */
  finishReason: string | null;
  /** The model that answered; null if no chunk names it. */
  modelVersion: string | null;
  /** The model's text in place of an answer; empty when it did not refuse. */
  refusal: string;
  /** Chunks that arrived; none at all is a failure of its own kind. */
  chunkCount: number;
  /** The provider's own form, where that holds signed or encrypted reasoning. */
  ownForm?: OwnForm;
  /** Content that comes from tools of Anthropic; empty without any. */
  served: Served;
}

interface ChunkCollector {
  /** Adds one chunk; skips other values. Returns the UTF-8 bytes of its text and calls. */
  add(chunk: unknown): number;
  /** Reports the progress that was still held back, when no chunk follows. */
  end(): void;
  /** The answer so far. */
  answer(): CollectedChunks;
}

/**
 * A collector for one answer. It does not use LangChain's `concat`, which glues repeated metadata together or
 * throws.
 * @param onProgress called with each piece of text and thinking that is added. Default: nothing is called.
 */
export function createChunkCollector(onProgress: (progress: Progress) => void = () => {}): ChunkCollector {
  const calls = createCallCollector();
  const ownForm = createOwnFormCollector();
  const splitter = createThinkTagSplitter();
  let isCumulative = false;
  const collected: Omit<CollectedChunks, 'calls' | 'ownForm' | 'served'> = {
    text: '',
    thinking: '',
    usage: null,
    finishReason: null,
    modelVersion: null,
    refusal: '',
    chunkCount: 0,
  };

  function addPiece({ kind, delta }: SplitPiece): void {
    if (delta === '') return;
    collected[kind] += delta;
    onProgress({ kind, delta });
  }

  function addUsage(usage: TokenUsage): void {
    const before = collected.usage ?? NO_TOKENS;
    collected.usage = isCumulative ? largerTokens(before, usage) : addTokens(before, usage);
  }

  function addChunk(chunk: unknown): number {
    if (!isObject(chunk)) return 0;
    collected.chunkCount += 1;
    const metadata = asObject(chunk.response_metadata);
    const extras = asObject(chunk.additional_kwargs);
    isCumulative ||= isOfAnthropic(metadata, extras);
    const text = joinChunkText(chunk);
    // The last chunk of the Responses API repeats the answer, for those who read no deltas.
    const isRepeated = Array.isArray(metadata.output) && collected.thinking !== '';
    const thinking = isRepeated ? '' : joinChunkThinking(chunk, extras);
    const refusal = asText(extras.refusal) ?? '';
    collected.refusal += refusal;
    addPiece({ kind: 'thinking', delta: thinking });
    if (text !== '') for (const piece of splitter.add(text)) addPiece(piece);
    collected.finishReason = readFinishReason(metadata, extras) ?? collected.finishReason;
    collected.modelVersion = readModelVersion(metadata, extras) ?? collected.modelVersion;
    const usage = tokenUsage(chunk.usage_metadata);
    if (usage !== null) addUsage(usage);
    const texts = Buffer.byteLength(text) + Buffer.byteLength(thinking) + Buffer.byteLength(refusal);
    return texts + calls.add(chunk) + ownForm.add(chunk);
  }

  return {
    add: addChunk,
    end() {
      for (const piece of splitter.rest()) onProgress(piece);
    },
    answer() {
      const answer: CollectedChunks = { ...collected, calls: calls.calls(), served: ownForm.served() };
      for (const { kind, delta } of splitter.rest()) answer[kind] += delta;
      const form = ownForm.form();
      return form === undefined ? answer : { ...answer, ownForm: form };
    },
  };
}

/** Whether a chunk is the first one of Anthropic's stream. */
function isOfAnthropic(metadata: JsonObject, extras: JsonObject): boolean {
  return metadata.model_provider === 'anthropic' || extras.type === 'message';
}

/** The larger count of each kind. The first event has the input, the last the output, repeated. */
function largerTokens(one: TokenUsage, other: TokenUsage): TokenUsage {
  const input = Math.max(one.input, other.input);
  const output = Math.max(one.output, other.output);
  const thinking = Math.max(one.thinking, other.thinking);
  return {
    input,
    output,
    thinking,
    cached: Math.max(one.cached, other.cached),
    total: input + output + thinking,
  };
}

function joinChunkText({ content }: JsonObject): string {
  if (typeof content === 'string') return content;
  return asArray(content)
    .map(asObject)
    .map((block) => (block.type === 'text' ? asText(block.text) : undefined) ?? '')
    .join('');
}

/** Standard `reasoning` blocks; Anthropic's own on most chunks; the field of OpenAI's imitators. */
function joinChunkThinking(chunk: JsonObject, extras: JsonObject): string {
  const blocks = asArray(chunk.contentBlocks)
    .map(asObject)
    .map(({ type, reasoning, thinking }) =>
      type === 'reasoning' ? asText(reasoning) : type === 'thinking' ? asText(thinking) : undefined,
    )
    .filter((text) => text !== undefined);
  return blocks.length > 0 ? blocks.join('') : (asText(extras.reasoning_content) ?? '');
}

/** Anthropic names its model where it keeps its stop reason. */
function readModelVersion(metadata: JsonObject, extras: JsonObject): string | undefined {
  return asText(metadata.model_name) ?? asText(metadata.model) ?? asText(extras.model);
}

function readFinishReason(metadata: JsonObject, extras: JsonObject): string | undefined {
  return (
    asText(metadata.finish_reason) ??
    asText(metadata.finishReason) ??
    asText(metadata.stop_reason) ??
    asText(metadata.stopReason) ??
    asText(metadata.done_reason) ??
    // Amazon Bedrock.
    asText(asObject(metadata.messageStop).stopReason) ??
    // Anthropic, in a stream.
    asText(extras.stop_reason) ??
    // OpenAI's Responses API: the reason stands beside the status only when the answer is incomplete.
    asText(asObject(metadata.incomplete_details).reason) ??
    (metadata.status === 'completed' ? 'completed' : undefined)
  );
}

/** LangChain counts reasoning as output; we keep the two apart. */
function tokenUsage(value: unknown): TokenUsage | null {
  if (!isObject(value)) return null;
  const thinking = readTokenCount(asObject(value.output_token_details).reasoning);
  const input = readTokenCount(value.input_tokens);
  const output = readTokenCount(value.output_tokens);
  return {
    input,
    output: Math.max(0, output - thinking),
    thinking,
    cached: readTokenCount(asObject(value.input_token_details).cache_read),
    total: readTokenCount(value.total_tokens) || input + output,
  };
}

function readTokenCount(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? Math.round(value) : 0;
}
