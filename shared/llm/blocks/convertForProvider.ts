// Converts a conversation for another provider: replaces its maker's data, keeps all other content.

import type { Block } from '../../core/schema/block.ts';
import { isOwn, type PortableMessage, readProviderData, type Target, textBlock } from './portableMessage.ts';
import { splitProviderTools } from './splitProviderTools.ts';
import { thinkingFor } from './thinking.ts';
import { sanitizeToolIds } from './toolIds.ts';
import { answerToolCalls, mergeConsecutiveSameRole, splitMessagesAtToolResults } from './turns.ts';

/** The converted messages, and notes on content that was left out. */
interface ConvertedConversation {
  /** At most one system message, first; then user and assistant in turn. Tool results are the user's. */
  messages: PortableMessage[];
  /** Content that could not be passed on, for the log: one sentence each, without content. */
  notes: string[];
}

/**
 * Messages for a target; the input is not changed.
 * - Tools run by other providers become exchanges of text, thoughts the target did not sign tagged text.
 * - Results follow their calls; a call without result gets an error, a result without call becomes text.
 * - Ids of calls are sanitised, but for Google, which takes any.
 * - Signatures, raw data and citations' data go only to their own provider.
 * - A file without bytes or address becomes a note in its place; blank texts are left out.
 * Not for answers that are replayed from raw parts: those are sent back unchanged.
 */
export function convertForProvider(
  messages: readonly PortableMessage[],
  target: Target,
): ConvertedConversation {
  const notes: string[] = [];
  const system = messages.filter(({ role }) => role === 'system').flatMap(({ blocks }) => blocks);
  const spoken = messages
    .filter(({ role }) => role !== 'system')
    .map(({ role, blocks }): PortableMessage => ({ role: role === 'assistant' ? role : 'user', blocks }));

  const split = splitMessagesAtToolResults(splitProviderTools(spoken, target), target);
  const readable = split.map(({ role, blocks }) => ({
    role,
    blocks: blocks.flatMap((block) => blockFor(block, target, notes)),
  }));
  const merged = mergeConsecutiveSameRole(readable.filter(({ blocks }) => blocks.length > 0));
  const answered = answerToolCalls(merged);
  const identified = target === 'google' ? answered : sanitizeToolIds(answered);
  const all = system.length > 0 ? [{ role: 'system' as const, blocks: system }, ...identified] : identified;
  return { messages: all.map(inSequence), notes };
}

function inSequence({ role, blocks }: PortableMessage): PortableMessage {
  return { role, blocks: blocks.map((block, sequence) => ({ ...block, sequence })) };
}

/** The block converted for the target; none when it has no content. */
function blockFor(block: Block, target: Target, notes: string[]): Block[] {
  if (block.blockType === 'thinking') {
    const thought = thinkingFor(block, target);
    return thought === null ? [] : [thought];
  }
  const own = isOwn(block, target);
  // An empty text of the target itself can carry its signature.
  const isBlank = block.blockType === 'text' && block.textContent.trim() === '';
  if (isBlank && !(own && readProviderData(block) !== undefined)) return [];
  const isFile = block.blockType === 'image' || block.blockType === 'document';
  const hasRaw = own && typeof readProviderData(block)?.type === 'string';
  if (isFile && block.data === undefined && block.uri === undefined && !hasRaw) {
    notes.push(`A block of type ${block.blockType} (${block.mimeType}) has neither data nor address.`);
    const title = block.title === undefined ? '' : `: ${block.title}`;
    return [textBlock(`[${block.blockType} ${block.mimeType}${title}]`)];
  }
  return [own ? block : withoutProviderData(block)];
}

function withoutProviderData(block: Block): Block {
  const { providerData: _, citations, ...rest } = block;
  if (citations === undefined) return rest;
  return { ...rest, citations: citations.map(({ providerData: __, ...citation }) => citation) };
}
