// Turns a scripted turn into the chunks that the API would stream: thoughts, code, text in pieces, calls, a
// last part, signatures where this generation of models puts them, usage on every chunk.

import { createHash } from 'node:crypto';
import { asArray, asObject, isObject } from './json.ts';
import { atLeast, type ModelVersion } from './modelVersion.ts';
import { codeParts, composeGrounding, invocationParts } from './nativeTools.ts';
import type { GenerateRequest } from './requestSchema.ts';
import type { Turn } from './script.ts';
import { signPart } from './signature.ts';

/** One chunk of a streamed answer, as JSON. */
export type Chunk = Record<string, unknown>;
type Part = Record<string, unknown>;

/** A piece of text ends at the first space after this many characters, about as in real streams. */
const TEXT_CHUNK_CHARS = 80;
const BYTES_PER_TOKEN = 4;

/**
 * The chunks of an answer. The same turn and request always give the same ones, ids and signatures included.
 * @param turn its function calls have the names of the request.
 * @param modelVersion of each chunk.
 */
export function buildChunks(
  turn: Turn,
  model: ModelVersion,
  request: GenerateRequest,
  modelVersion: string,
): Chunk[] {
  if (turn.chunks !== undefined) {
    const filled = turn.chunks.map((chunk) => fillSignatures(chunk, model, turn)) as Chunk[];
    return filled.map((chunk) => ({ ...chunk, modelVersion }));
  }

  // Written out once, because it takes megabytes in a long investigation.
  const contents = JSON.stringify(request.contents);
  const idOf = idsFor(contents);
  const groups = partGroups(turn, model, request, idOf);
  const usageAt = countChunkUsage(turn, request, contents, groups);
  const groundingAt = composeGrounding(turn);
  return groups.map((parts, index) => {
    const isLast = index === groups.length - 1;
    const content = parts.length > 0 ? { parts, role: 'model' } : emptyContent(turn);
    const finish = isLast ? composeFinish(turn) : {};
    return {
      candidates: [{ content, ...finish, index: 0, ...groundingAt(index, groups.length) }],
      usageMetadata: usageAt(index),
      modelVersion,
      responseId: idOf('response', 'base64url').slice(0, 22),
    };
  });
}

/** The chunks as one body, for a request without streaming. */
export function mergeChunks(chunks: Chunk[]): Chunk {
  const parts: Part[] = [];
  let candidate: Record<string, unknown> | undefined;
  for (const chunk of chunks) {
    const [next] = asArray(chunk.candidates).map(asObject);
    if (next === undefined) continue;
    candidate = { ...candidate, ...next };
    for (const part of asArray(asObject(next.content).parts).map(asObject)) {
      const previous = parts.at(-1);
      if (previous && canJoin(previous, part))
        parts[parts.length - 1] = { ...part, text: `${previous.text}${part.text}` };
      else parts.push(part);
    }
  }
  const whole: Chunk = Object.assign({}, ...chunks);
  if (candidate === undefined) return whole;
  const content = parts.length > 0 ? { parts, role: 'model' } : candidate.content;
  return { ...whole, candidates: [{ ...candidate, content }] };
}

/** Whether two parts are text of the same kind without a signature. */
function canJoin(a: Part, b: Part): boolean {
  const isText = typeof a.text === 'string' && typeof b.text === 'string';
  return isText && a.thought === b.thought && !a.thoughtSignature && !b.thoughtSignature;
}

function partGroups(turn: Turn, model: ModelVersion, request: GenerateRequest, idOf: IdOf): Part[][] {
  const sign = (part: Part): Part => ({
    ...part,
    thoughtSignature: signPart(model, part, turn.signatureBytes),
  });
  const wantsThoughts = request.generationConfig?.thinkingConfig?.includeThoughts === true;
  const thoughts = wantsThoughts ? splitIntoPieces(turn.thinking ?? '', /\n\n/) : [];
  const thoughtParts = thoughts.map((text) => ({ text, thought: true }));

  const withIds = turn.ids ?? atLeast(model, 3, 5);
  const calls = (turn.toolCalls ?? []).map(({ name, args }, index) => {
    const id = withIds ? { id: idOf(`call ${index}`, 'hex').slice(0, 8) } : {};
    const part = { functionCall: { ...id, name, args } };
    return index === 0 ? sign(part) : part;
  });

  const isGemini3 = atLeast(model, 3);
  const texts: Part[] = splitIntoPieces(turn.text ?? '').map((text) => ({ text }));
  const [firstText] = texts;
  if (!isGemini3 && calls.length === 0 && turn.thinking !== undefined && firstText)
    texts[0] = sign(firstText);

  const native = [...invocationParts(turn, request, sign), ...codeParts(turn, model, request, sign)];
  const groups: Part[][] = [...thoughtParts, ...native, ...texts].map((part) => [part]);
  groups.push(...(turn.callsTogether ? [calls] : calls.map((call) => [call])));
  const isSilent = turn.text === undefined && calls.length === 0;
  if (isSilent) return turn.finishReason === null && groups.length > 0 ? groups : [...groups, []];
  if (turn.finishReason === null && groups.length > 0) return groups;
  if (isGemini3) groups.push([calls.length > 0 ? { text: '' } : sign({ text: '' })]);
  else if (groups.length === 0) groups.push([{ text: '' }]);
  return groups.filter((group) => group.length > 0);
}

/** The text in pieces. They end before white space, so no surrogate pair is cut. */
function splitIntoPieces(text: string, boundary?: RegExp): string[] {
  if (boundary) return text.split(new RegExp(`(?<=${boundary.source})`)).filter((piece) => piece !== '');
  const pieces: string[] = [];
  for (const word of text.match(/\s*\S+|\s+$/g) ?? []) {
    const last = pieces.at(-1);
    if (last === undefined || last.length >= TEXT_CHUNK_CHARS) pieces.push(word);
    else pieces[pieces.length - 1] = last + word;
  }
  return pieces;
}

function composeFinish(turn: Turn): Record<string, unknown> {
  if (turn.finishReason === null) return {};
  const message = turn.finishMessage ?? (turn.toolCalls ? 'Model generated function call(s).' : undefined);
  return {
    finishReason: turn.finishReason ?? 'STOP',
    ...(message === undefined ? {} : { finishMessage: message }),
  };
}

/** The content of an answer without parts: with a role when thinking used up the budget, else `{}`. */
function emptyContent(turn: Turn): Record<string, unknown> {
  return turn.finishReason === 'MAX_TOKENS' ? { role: 'model' } : {};
}

/** The usage at each chunk: cumulative, without zeros as the API sends it, with the sum as total. */
function countChunkUsage(
  turn: Turn,
  { systemInstruction, tools }: GenerateRequest,
  contents: string,
  groups: Part[][],
): (index: number) => Record<string, unknown> {
  const weights = groups.map((parts) =>
    countTokens(
      parts
        .filter((part) => !part.thought)
        .map(textOfPart)
        .join(''),
    ),
  );
  const written = weights.reduce((sum, weight) => sum + weight, 0);
  const prompt = turn.usage?.prompt ?? countTokens(contents + JSON.stringify([systemInstruction, tools]));
  const thoughts = turn.usage?.thoughts ?? countTokens(turn.thinking ?? '');
  const toolUse = turn.usage?.toolUse ?? 0;
  const candidates = turn.usage?.candidates ?? written;
  return (index) => {
    const isLast = index === groups.length - 1;
    const share = weights.slice(0, index + 1).reduce((sum, weight) => sum + weight, 0) / (written || 1);
    const candidatesNow = isLast ? candidates : Math.floor(candidates * share);
    return {
      promptTokenCount: prompt,
      ...(candidatesNow > 0 ? { candidatesTokenCount: candidatesNow } : {}),
      totalTokenCount: prompt + candidatesNow + thoughts + toolUse,
      ...(turn.usage?.cached ? { cachedContentTokenCount: turn.usage.cached } : {}),
      ...(toolUse > 0 ? { toolUsePromptTokenCount: toolUse } : {}),
      promptTokensDetails: [{ modality: 'TEXT', tokenCount: prompt }],
      ...(thoughts > 0 ? { thoughtsTokenCount: thoughts } : {}),
    };
  };
}

function textOfPart(part: Part): string {
  return typeof part.text === 'string'
    ? part.text
    : JSON.stringify(part.functionCall ?? part.executableCode ?? '');
}

function countTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
}

/** Replaces `$sign` in a raw chunk by the signature of the part it stands on. */
function fillSignatures(value: unknown, model: ModelVersion, turn: Turn): unknown {
  if (Array.isArray(value)) return value.map((entry) => fillSignatures(entry, model, turn));
  if (!isObject(value)) return value;
  const filled = Object.fromEntries(
    Object.entries(value).map(([key, entry]) => [key, fillSignatures(entry, model, turn)]),
  );
  if (filled.thoughtSignature !== '$sign') return filled;
  return { ...filled, thoughtSignature: signPart(model, filled, turn.signatureBytes) };
}

/** Derives an id only from the contents of the request. */
type IdOf = (purpose: string, encoding: 'hex' | 'base64url') => string;

function idsFor(contents: string): IdOf {
  const seed = createHash('sha256').update(contents).digest();
  return (purpose, encoding) => createHash('sha256').update(seed).update(purpose).digest(encoding);
}
