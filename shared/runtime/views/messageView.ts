// Shows people the messages of a conversation: the text of each block, without data that only its provider reads.

import { type Block, type Citation, isSigned, type SearchResult } from '../../schema/block.ts';
import { numberedId } from '../../schema/ids.ts';
import type { Message } from '../../schema/message.ts';
import type { Session } from '../../schema/session.ts';
import type { StoredResult } from '../../schema/storedResult.ts';
import { toolResultText } from '../../schema/toolResultText.ts';
import { cutText } from '../../text/cut.ts';

/** Replaces the mark of frames. */
const HIDDEN = '…';

/** A block as people read it. */
interface BlockView {
  /** The kind of the block, as it is stored. */
  type: Block['blockType'];
  /** The text of the block, the arguments of a call, or the output of a tool. Empty for a file. */
  text: string;
  /** Whether its provider signed it. */
  signed: boolean;
  /** The side that ran a tool; null for a block that is neither call nor result. */
  ranBy: 'provider' | 'server' | 'client' | null;
  /** Null for a block that is neither call nor result. */
  toolName: string | null;
  /** The id that joins a call and its result; null for other blocks. */
  toolUseId: string | null;
  /** Null for a block that is not a result. */
  isError: boolean | null;
  /** The stored result, if the text shows only a part of it. */
  stored: StoredResult | null;
  /** Only for a file. Its bytes are not included. */
  mimeType: string | null;
  /** Address of a file; null for other blocks and for a file without one. */
  uri: string | null;
  /** Sources of the text; empty for none. */
  citations: Omit<Citation, 'providerData'>[];
  /** Only for a search. */
  sources: SearchResult[];
}

/** A message as people read it. */
export interface MessageView {
  /** `EXECUTION.NUMBER`, the id of its document. */
  messageId: string;
  /** Position in the conversation, from 1. */
  sequenceNumber: number;
  /** The author: `tool` for results of tool calls. */
  role: Message['role'];
  /** The iteration that stored it; null for messages of older code. */
  iteration: number | null;
  /** The model that wrote it, as `provider/model`; null if no model did. */
  model: string | null;
  /** The blocks in order, each cut to its share of the bytes. */
  blocks: BlockView[];
  /** Whether blocks or parts of their texts are left out. */
  cut: boolean;
  /** When the message was stored. */
  createdAt: Date;
}

/**
 * Removes the mark of frames from a text: with the mark, an author of alerts or logs could close the frame around them.
 */
export function frameMarkHider({ dataNonce }: Pick<Session, 'dataNonce'>): (text: string) => string {
  return (text) => text.replaceAll(dataNonce, HIDDEN);
}

/**
 * Shows a message.
 * @param whole all blocks, if the message contains only the first of them. Default: the blocks of the message.
 * @param textBytes UTF-8 bytes of all texts together; longer texts get an equal share.
 */
export function messageView(
  message: Message,
  { hide, whole, textBytes }: { hide(text: string): string; whole?: readonly Block[]; textBytes: number },
): MessageView {
  const { executionId, sequenceNumber, role, iteration, providerParts, createdAt, blockDocuments } = message;
  const stored = whole ?? message.blocks;
  const share = Math.floor(textBytes / Math.max(1, stored.length));
  let isCut = blockDocuments > 0 && whole === undefined;
  const blocks = stored.map((block) => {
    const text = hide(textOf(block));
    const shown = cutText(text, share, 'bytes');
    isCut ||= shown.length < text.length;
    return blockView(block, shown);
  });
  return {
    messageId: numberedId(executionId, sequenceNumber),
    sequenceNumber,
    role,
    iteration,
    model: providerParts && `${providerParts.provider}/${providerParts.model}`,
    blocks,
    cut: isCut,
    createdAt,
  };
}

function textOf(block: Block): string {
  switch (block.blockType) {
    case 'text':
    case 'thinking':
      return block.textContent;
    case 'tool_use':
    case 'web_search_use':
      return block.input;
    case 'tool_result':
      return toolResultText(block);
    case 'image':
    case 'document':
      return '';
  }
}

function blockView(block: Block, text: string): BlockView {
  const isTool = 'toolUseId' in block;
  return {
    type: block.blockType,
    text,
    signed: isSigned(block),
    ranBy: isTool ? (block.executionSide ?? 'server') : null,
    toolName: isTool ? block.toolName : null,
    toolUseId: isTool ? block.toolUseId : null,
    isError: 'isError' in block ? block.isError : null,
    stored: ('stored' in block && block.stored) || null,
    mimeType: 'mimeType' in block ? block.mimeType : null,
    uri: ('uri' in block && block.uri) || null,
    citations: (block.citations ?? []).map(({ providerData: _, ...citation }) => citation),
    sources: 'results' in block ? (block.results ?? []) : [],
  };
}
