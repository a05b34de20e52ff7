// An upper bound of a model call's tokens, from its request's characters and its answer's limit.

import { incrementalFold } from '../../../text/incrementalFold.ts';
import { memoized } from '../../../text/memo.ts';
import type { ConversationMessage, LlmRequest } from '../../contract/llm.ts';
import { isNative, NATIVE_PROVIDER, outputLimit } from '../../contract/modelFacts.ts';
import type { PlannedAgent } from '../../schema/agent.ts';
import type { Block } from '../../schema/block.ts';

/** The maximum of a call: `input` of its request, `output` of its answer, thoughts included. */
interface TokenEstimate {
  /** The most tokens of the request. */
  input: number;
  /** The most tokens of the answer, thoughts included. */
  output: number;
}

/** Roles, separators and names around a message, a tool and a request. */
const FRAME_TOKENS = 10;
/** An image of the highest resolution. */
const IMAGE_TOKENS = 4_000;
/** Tokens that a native tool can add to a call's input: results, pages, outputs. Providers set no limit. */
const NATIVE_TOOL_TOKENS = 8_000;
/** The rules in every agent's prompt, and the tools of one or two servers. */
const FIRST_CALL_TOKENS = 6_000;
/** An embedding model ignores the rest of a text. */
const EMBEDDED_TOKENS = 2_048;

/** A run of Base64 in data of a provider: a signature, or a file. */
const BASE64_RUN = /[A-Za-z0-9+/_=-]{200,}/g;

/** Maximum tokens per UTF-16 unit, in hundredths, by the kind of its character. */
interface Weights {
  /** ASCII letters. */
  letter: number;
  /** ASCII digits, punctuation and symbols: some tokenizers use one token each, as Gemini for digits. */
  other: number;
  /** Spaces, line breaks and other control characters. */
  space: number;
  /** Two bytes in UTF-8: Cyrillic, Greek, Arabic, Hebrew. */
  short: number;
  /** Chinese, Japanese, Korean. */
  ideograph: number;
  /** Every other character of three bytes: Thai, Devanagari, Georgian. */
  long: number;
  /** Half of a character of four bytes: emoji. */
  surrogate: number;
}

/** Gemini's vocabulary of 256,000 pieces contains the characters of all common scripts. */
const GEMINI: Weights = {
  letter: 60,
  other: 100,
  space: 50,
  short: 100,
  ideograph: 150,
  long: 200,
  surrogate: 150,
};
/** Smaller vocabularies encode rare characters byte by byte. */
const BYTES: Weights = { ...GEMINI, letter: 70, short: 150, ideograph: 200, long: 300, surrogate: 200 };

/** Maximum tokens of a text: about twice the real number for English, exact for digits and Base64. */
export function textTokens(text: string, provider: string): number {
  const { letter, other, space, short, ideograph, long, surrogate } = isNative(provider) ? GEMINI : BYTES;
  let hundredths = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code < 0x80) {
      const lower = code | 0x20;
      if (lower >= 0x61 && lower <= 0x7a) hundredths += letter;
      else hundredths += code <= 0x20 ? space : other;
    } else if (code < 0x800) hundredths += short;
    else if (code >= 0xd800 && code <= 0xdfff) hundredths += surrogate;
    else hundredths += isIdeograph(code) ? ideograph : long;
  }
  return Math.ceil(hundredths / 100);
}

function isIdeograph(code: number): boolean {
  return (code >= 0x2e80 && code <= 0x9fff) || (code >= 0xac00 && code <= 0xd7af) || code >= 0xf900;
}

/** The maximum tokens of a model call, without retries of its client. */
export function callTokens({
  model,
  messages,
  tools,
  nativeTools = [],
  responseSchema,
}: LlmRequest): TokenEstimate {
  const { provider } = model;
  let input = FRAME_TOKENS * (1 + messages.length + tools.length) + NATIVE_TOOL_TOKENS * nativeTools.length;
  input += messagesTokens[isNative(provider) ? 'native' : 'other'](messages).tokens;
  if (tools.length > 0) input += textTokens(JSON.stringify(tools), provider);
  if (responseSchema !== undefined) input += textTokens(JSON.stringify(responseSchema), provider);
  return { input, output: outputLimit(model) };
}

/** The tokens of an agent's first call with `text` and its instructions. Its tools are unknown yet. */
export function firstCallTokens(
  { instructions, model }: Pick<PlannedAgent, 'instructions' | 'model'>,
  text: string,
): number {
  const { provider } = model;
  return (
    FIRST_CALL_TOKENS + textTokens(instructions, provider) + textTokens(text, provider) + outputLimit(model)
  );
}

/** The maximum tokens of an embedding of a text. */
export function embeddingTokens(text: string, provider: string): number {
  return Math.min(EMBEDDED_TOKENS, textTokens(text, provider));
}

/** The tokens of a request's messages, known ones from memory. Only the kind of provider counts. */
const messagesTokens = { native: messageCounter(NATIVE_PROVIDER), other: messageCounter('other') };

function messageCounter(provider: string) {
  const tokensOf = memoized((message: ConversationMessage) => countTokens(message, provider));
  return incrementalFold(
    () => ({ tokens: 0 }),
    (sum, message: ConversationMessage) => {
      sum.tokens += tokensOf(message);
    },
  );
}

function countTokens({ replay, blocks }: ConversationMessage, provider: string): number {
  // An answer is sent in its own form or as its blocks: the larger counts.
  const own = replay === undefined ? 0 : dataTokens(replay.data, provider);
  const portable = blocks.reduce((sum, block) => sum + blockTokens(block, provider), 0);
  return Math.max(own, portable);
}

function blockTokens(block: Block, provider: string): number {
  if (block.blockType === 'image') return IMAGE_TOKENS;
  return Object.entries(block).reduce<number>((sum, [field, value]) => {
    if (field === 'data' || field === 'providerData') return sum + dataTokens(String(value), provider);
    if (typeof value === 'string') return sum + textTokens(value, provider);
    return typeof value === 'object' ? sum + textTokens(JSON.stringify(value), provider) : sum;
  }, 0);
}

/** Data of a provider with signatures and files in Base64, which the model does not read as text. */
function dataTokens(data: string, provider: string): number {
  let tokens = 0;
  const text = data.replace(BASE64_RUN, (run) => {
    tokens += Math.ceil(run.length / 4);
    return '';
  });
  return tokens + textTokens(text, provider);
}
