// A conversation as Gemini's `contents`: its answers go back as they came, others as portable blocks.

import { isGemini3OrLater } from '../../core/contract/geminiVersion.ts';
import type { ConversationMessage, Replay } from '../../core/contract/llm.ts';
import { NATIVE_PROVIDER } from '../../core/contract/modelFacts.ts';
import { TerminalError } from '../../core/errors.ts';
import { type Block, isOwnCall } from '../../core/schema/block.ts';
import { asText } from '../../text/json.ts';
import { convertForProvider } from '../blocks/convertForProvider.ts';
import type { PortableMessage } from '../blocks/portableMessage.ts';
import { answerToolCalls } from '../blocks/turns.ts';
import { convertToParts } from '../interactions/steps.ts';
import { sharesSignatures } from '../modelFamily.ts';
import { fromWireName } from '../wireNames.ts';
import { collectChunks, executableCalls } from './collectStream.ts';
import type { Content, GeminiPart } from './content.ts';
import { blocksFromGemini } from './readAnswer.ts';
import { type ReplayForm, readForm, readReplay } from './replay.ts';
import { replayableParts, signFirstCall } from './replayableParts.ts';
import { composeFunctionResponse, googleContents, googleParts } from './writeContents.ts';

/** A conversation as a request to Gemini holds it. */
interface GeminiContents {
  /** Texts of all system messages; absent when there are none. */
  systemInstruction?: string;
  /** User and model in turns, the oldest first. */
  contents: Content[];
}

/** The model that reads the contents, and the parts of the history that are left out for it. */
export interface BuildOptions {
  /** The model that will read it. */
  model: string;
  /** Trust no signature of the history: how a 400 about signatures is answered. Default false. */
  repairSignatures?: boolean;
  /** Vertex AI: the SDK throws on parts of server-side tools there, so they are left out. Default false. */
  withoutServerToolParts?: boolean;
  /** The form in which own answers are replayed: parts, or the steps of an interaction. Default: parts. */
  form?: ReplayForm;
  /** Receives a sentence, without content, for each thing that could not be passed on. */
  note?: (sentence: string) => void;
}

/**
 * How an answer is sent: part by part as it came (`replayed`), or made of its blocks, with the signatures in
 * them (`own`) or without anything that belongs to the model that gave it (`other`).
 */
type Mode = 'replayed' | 'own' | 'other';

/** A message with the parts of its answer; none when they are not needed, or there are none. */
export interface ReadMessage extends PortableMessage {
  /** The parts of the answer as Gemini sent them. */
  parts: readonly GeminiPart[];
}

/** Neighbouring messages of the same form. A replayed answer is grouped only with its results. */
interface Stretch {
  /** The form in which its messages are sent. */
  mode: Mode;
  /** Its messages, in order. */
  messages: ReadMessage[];
}

/**
 * Contents for a conversation.
 * - Assistant messages of the same model family are replayed part by part as they came; others are made of
 *   their blocks as `convertForProvider` retells them. On Gemini 3 and later the first call of each gets the
 *   documented dummy when it has no signature.
 * - Results of one answer become one user content, in call order; a call without result gets an error in its
 *   place, because Gemini refuses unequal counts. A result without its call becomes text.
 * - Adjacent user messages become one content.
 * @throws TerminalError `MODEL_BAD_REQUEST` when nothing is left to answer; `DOCUMENT_INVALID` when parts
 *   that are needed cannot be read.
 */
export function buildContents(
  messages: readonly ConversationMessage[],
  options: BuildOptions,
): GeminiContents {
  const system = messages
    .filter(({ role }) => role === 'system')
    .flatMap(({ blocks }) => listBlockTexts(blocks));
  const contents: Content[] = [];
  for (const { mode, messages: stretch } of groupStretches(messages, options)) {
    const next =
      mode === 'replayed' ? replayMessages(stretch, options) : convertMessages(stretch, mode, options);
    for (const content of next) addContent(contents, content);
  }
  if (contents.length === 0) {
    throw new TerminalError('MODEL_BAD_REQUEST', 'The conversation has no message for the model to answer.');
  }
  return { ...(system.length > 0 && { systemInstruction: system.join('\n\n') }), contents };
}

function listBlockTexts(blocks: readonly Block[]): string[] {
  return blocks.filter((block) => block.blockType === 'text').map((block) => block.textContent);
}

/** The conversation without its system messages, in stretches of one form. */
export function groupStretches(messages: readonly ConversationMessage[], options: BuildOptions): Stretch[] {
  const all: Stretch[] = [];
  for (const message of messages) {
    const { role, blocks } = message;
    if (role === 'system') continue;
    const last = all.at(-1);
    if (role === 'assistant') {
      const { mode, parts } = readOwnAnswer(message, options);
      if (mode === last?.mode && mode !== 'replayed') last.messages.push({ role, blocks, parts });
      else all.push({ mode, messages: [{ role, blocks, parts }] });
    } else {
      const joins = last !== undefined && (last.mode !== 'replayed' || role === 'tool');
      if (joins) last.messages.push({ role, blocks, parts: [] });
      else all.push({ mode: 'own', messages: [{ role, blocks, parts: [] }] });
    }
  }
  return all;
}

/** How an answer is sent, and its parts where they are needed: for replay, or because no blocks were kept. */
function readOwnAnswer(
  { blocks, replay, signaturesRefused }: ConversationMessage,
  options: BuildOptions,
): { mode: Mode; parts: readonly GeminiPart[] } {
  const isRefused = options.repairSignatures === true || signaturesRefused === true;
  const native = replay?.provider === NATIVE_PROVIDER ? replay : undefined;
  // Whether one API verifies the signatures of the other is not documented.
  const isOtherForm = native !== undefined && readForm(native) !== (options.form ?? 'parts');
  const isOtherModel = isRefused || isOtherForm || !isOfFamily(replay, options.model);
  const isNeeded = !isOtherModel || blocks.length === 0;
  const parts = native !== undefined && isNeeded ? readReplay(native) : [];
  if (isOtherModel) return { mode: 'other', parts };
  return { mode: parts.length === 0 ? 'own' : 'replayed', parts };
}

/** Whether `model` can read data of the answer's model. Messages without a replay have none. */
function isOfFamily(replay: Replay | undefined, model: string): boolean {
  if (replay === undefined) return true;
  return sharesSignatures(replay, { provider: NATIVE_PROVIDER, model });
}

/** Adds a content. Results get a content of their own, and consecutive user contents are merged. */
function addContent(contents: Content[], { role, parts }: Content): void {
  if (role === 'model') {
    if (parts.length > 0) contents.push({ role, parts });
    return;
  }
  const responses = parts.filter(isResponse);
  if (responses.length > 0) contents.push({ role, parts: responses });
  const others = parts.filter((part) => !isResponse(part));
  if (others.length === 0) return;
  const last = contents.at(-1);
  if (last?.role === 'user' && !last.parts.some(isResponse)) last.parts.push(...others);
  else contents.push({ role, parts: others });
}

function isResponse(part: GeminiPart): boolean {
  return part.functionResponse !== undefined;
}

function convertMessages(
  messages: readonly ReadMessage[],
  mode: 'own' | 'other',
  { model, withoutServerToolParts = false, note }: BuildOptions,
): Content[] {
  const portable = messages.map((message) => ({ role: message.role, blocks: restoreMessageBlocks(message) }));
  // Parts that cannot be sent unchanged become text.
  const target = mode === 'own' && !withoutServerToolParts ? NATIVE_PROVIDER : null;
  const { messages: readable, notes } = convertForProvider(portable, target);
  for (const sentence of notes) note?.(sentence);
  return googleContents(readable, model).map(({ role, parts }) => ({
    role,
    parts: replayableParts(parts, withoutServerToolParts),
  }));
}

/** Blocks are read from the parts where only those were kept. */
export function restoreMessageBlocks({ blocks, parts }: ReadMessage): Block[] {
  if (blocks.length > 0 || parts.length === 0) return blocks;
  const isOfSteps = parts.every(({ type }) => typeof type === 'string');
  const chunk = { candidates: [{ content: { parts: isOfSteps ? convertToParts(parts) : parts } }] };
  const toolName = (wireName: string) => fromWireName(wireName, new Map());
  const answer = collectChunks([chunk], { callIdPrefix: 'call_', toolName });
  return blocksFromGemini(answer, { groundings: [], citations: [] });
}

/** An answer as it came, and the results of its calls. */
function replayMessages(messages: readonly ReadMessage[], options: BuildOptions): Content[] {
  const [answer, ...tools] = messages;
  const parts = replayableParts(answer?.parts ?? [], options.withoutServerToolParts);
  const results = tools.flatMap(({ blocks }) => blocks);
  return [
    { role: 'model', parts: isGemini3OrLater(options.model) ? signFirstCall(parts) : parts },
    { role: 'user', parts: answersTo(parts, answer?.blocks ?? [], results) },
  ];
}

/**
 * One response per call, in call order, then the results without a call. A call has its id in our blocks,
 * which stand in the same order as the calls; the id of the response is the provider's or none: ids of ours
 * never reach it.
 */
function answersTo(
  parts: readonly GeminiPart[],
  blocks: readonly Block[],
  results: readonly Block[],
): GeminiPart[] {
  const calls = executableCalls(parts);
  const known = blocks.filter(isOwnCall);
  const uses = calls.map((call, index): Block => {
    const toolUseId = known[index]?.toolUseId ?? asText(call.id) ?? `call_${index}`;
    return { blockType: 'tool_use', toolUseId, toolName: asText(call.name) ?? '', input: '{}' };
  });
  const answered = answerToolCalls([
    { role: 'assistant', blocks: uses },
    { role: 'user', blocks: [...results] },
  ]);
  return (answered.at(-1)?.blocks ?? []).flatMap((block, index): GeminiPart[] => {
    const call = calls[index];
    if (call === undefined || block.blockType !== 'tool_result') return googleParts(block, false);
    const id = asText(call.id);
    return [
      {
        functionResponse: {
          ...(id !== undefined && { id }),
          name: call.name,
          response: composeFunctionResponse(block),
        },
      },
    ];
  });
}
