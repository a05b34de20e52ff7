// An answer of Gemini as portable blocks. Its raw parts stay with the message, so nothing here has to be
// reversible; data that identifies or verifies a part (signatures, raw tool parts) is kept in the blocks as
// well, as far as it fits.

import { createHash } from 'node:crypto';
import type { LlmResponse } from '../../core/contract/llm.ts';
import { NATIVE_PROVIDER } from '../../core/contract/modelFacts.ts';
import type { Block } from '../../core/schema/block.ts';
import { asObject, asText, isObject, type JsonObject } from '../../text/json.ts';
import { limitBlocks } from '../blocks/limitBlocks.ts';
import { textBlock } from '../blocks/portableMessage.ts';
import { type ReceivedThought, thinkingOrText } from '../blocks/thinking.ts';
import { type CollectedAnswer, executableCalls } from './collectStream.ts';
import type { GeminiPart } from './content.ts';
import { addGrounding, type TextSpan } from './groundingBlocks.ts';
import { googleToolReader } from './providerTools.ts';

type ReadableAnswer = Pick<CollectedAnswer, 'parts' | 'toolCalls' | 'groundingMetadata'>;

/** Parts of the same answer that are read elsewhere: its sources, and all citations. */
type AnswerSources = Pick<LlmResponse, 'groundings' | 'citations'>;

/** A run of visible text of one or more parts: one block. `segments` locate signatures in it. */
interface TextRun {
  /** The joined text. */
  text: string;
  /** The text of each part: UTF-16 length, and its signature. */
  segments: { length: number; thought_signature?: string }[];
}

/**
 * Blocks in the order of the parts. There is one executable `tool_use` per entry of `answer.toolCalls`, in
 * its order.
 * - Thoughts stay `thinking` when any part of the answer is signed (Gemini signs the part after the thought),
 *   and carry that signature and its `carrier`; in an answer without signatures they become text.
 * - Neighbouring texts become one block, also across an empty signed part.
 * - Sources become a `tool_result` before the text that cites them; without sources there is none.
 * - Data that would make the message too large to be stored is left out, see `limitBlocks`.
 * @param answerId part of the ids made here; by default a digest of the answer.
 */
export function blocksFromGemini(
  answer: ReadableAnswer,
  sources: AnswerSources,
  answerId: string = answerDigest(answer),
): Block[] {
  const { blocks, spans } = readParts(answer, answerId);
  // The search suggestions are HTML that is stored only in the interaction, and only where configured.
  const { searchEntryPoint: _, ...metadata } = asObject(answer.groundingMetadata);
  const grounded = addGrounding(blocks, spans, { ...sources, metadata, answerId });
  return limitBlocks(grounded).map((block, sequence) => ({ ...block, sequence }));
}

function readParts(
  { parts, toolCalls }: ReadableAnswer,
  answerId: string,
): { blocks: Block[]; spans: TextSpan[] } {
  const calls = executableCalls(parts);
  const readTool = googleToolReader(answerId);
  const blocks: Block[] = [];
  const spans: TextSpan[] = [];
  let thought: ReceivedThought | null = null;
  let run: TextRun | null = null;
  let visible = 0;

  function closeThought(): void {
    if (thought !== null) blocks.push(thinkingOrText(thought));
    thought = null;
  }

  function closeRun(): void {
    if (run !== null) {
      spans.push({ block: blocks.length, start: visible, end: visible + run.text.length });
      visible += run.text.length;
      blocks.push(textOfRun(run));
    }
    run = null;
  }

  parts.forEach((part, index) => {
    const signature = asText(part.thoughtSignature);
    const text = readPartText(part);
    if (text === '' && signature === undefined) return;
    if (text !== undefined && part.thought === true) {
      closeRun();
      if (signature !== undefined) closeThought();
      thought = {
        ...signatureFor(parts, index),
        provider: NATIVE_PROVIDER,
        text: `${thought?.text ?? ''}${text}`,
      };
      if (signature !== undefined) closeThought();
      return;
    }
    if (text !== undefined) {
      closeThought();
      run ??= { text: '', segments: [] };
      run.text += text;
      run.segments.push({
        length: text.length,
        ...(signature !== undefined && { thought_signature: signature }),
      });
      return;
    }
    closeThought();
    closeRun();
    const call = isObject(part.functionCall) ? calls.indexOf(part.functionCall) : -1;
    if (call !== -1) {
      blocks.push(...callBlock(call, signature));
      return;
    }
    const tools = readTool(part);
    const other = tools.length > 0 ? undefined : (mediaBlock(part) ?? unknownBlock(part));
    blocks.push(...tools, ...(other === undefined ? [] : [other]));
  });
  closeThought();
  closeRun();
  return { blocks, spans };

  function callBlock(index: number, signature: string | undefined): Block[] {
    const call = toolCalls[index];
    if (call === undefined) return [];
    return [
      {
        blockType: 'tool_use',
        toolUseId: call.callId,
        toolName: call.name,
        input: call.arguments,
        provider: NATIVE_PROVIDER,
        ...signatureData(signature),
      },
    ];
  }

  function unknownBlock(part: GeminiPart): Block | undefined {
    const kind = findPartKind(part);
    if (kind === undefined) return undefined;
    return {
      blockType: 'tool_result',
      toolUseId: `google_${kind}_${answerId}_${blocks.length}`,
      toolName: kind,
      isError: false,
      textContent: '',
      executionSide: 'provider',
      provider: NATIVE_PROVIDER,
      providerData: JSON.stringify(part),
    };
  }
}

/** The text of a text part; a part with only a signature counts as empty text. */
function readPartText(part: GeminiPart): string | undefined {
  if (typeof part.text === 'string') return part.text;
  return findPartKind(part) === undefined && asText(part.thoughtSignature) !== undefined ? '' : undefined;
}

function textOfRun({ text, segments }: TextRun): Block {
  const block = { ...textBlock(text), provider: NATIVE_PROVIDER };
  const signed = segments.find((segment) => segment.thought_signature !== undefined);
  if (signed === undefined) return block;
  const data = {
    thought_signature: signed.thought_signature,
    ...(signed.length === 0 && { carrier: 'empty_text' }),
    ...(segments.length > 1 && { segments }),
  };
  return { ...block, providerData: JSON.stringify(data) };
}

/** The signature of a thought: its own, else of the next signed part, else of the one before. */
function signatureFor(
  parts: readonly GeminiPart[],
  index: number,
): Pick<ReceivedThought, 'signature' | 'carrier'> {
  const isSigned = (part: GeminiPart) => asText(part.thoughtSignature) !== undefined;
  const signed = parts.slice(index).find(isSigned) ?? parts.slice(0, index).findLast(isSigned);
  if (signed === undefined) return {};
  const carrier = signed.thought === true ? 'thought' : (findPartKind(signed) ?? 'text');
  return {
    signature: asText(signed.thoughtSignature),
    carrier: carrier === 'text' && (signed.text ?? '') === '' ? 'empty_text' : carrier,
  };
}

/** The kind of a part's content: `function_call`, `text`, `inline_data`; undefined for an empty part. */
function findPartKind(part: GeminiPart): string | undefined {
  const key = Object.keys(part).find(
    (name) => name !== 'thought' && name !== 'thoughtSignature' && name !== 'partMetadata',
  );
  return key === undefined ? undefined : snakeCase(key);
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function mediaBlock(part: GeminiPart): Block | undefined {
  const source: JsonObject | undefined = [part.inlineData, part.fileData].find(isObject);
  if (source === undefined) return undefined;
  const mimeType = asText(source.mimeType) ?? 'application/octet-stream';
  const data = asText(source.data);
  const uri = asText(source.fileUri);
  const title = asText(source.displayName);
  return {
    blockType: mimeType.startsWith('image/') ? 'image' : 'document',
    mimeType,
    provider: NATIVE_PROVIDER,
    ...(data !== undefined && { data }),
    ...(uri !== undefined && { uri }),
    ...(title !== undefined && { title }),
    ...signatureData(asText(part.thoughtSignature)),
  };
}

function signatureData(signature: string | undefined): { providerData?: string } {
  return signature === undefined ? {} : { providerData: JSON.stringify({ thought_signature: signature }) };
}

/** 48 bits are plenty: the ids only have to differ within a message. */
function answerDigest({ parts }: ReadableAnswer): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 12);
}
