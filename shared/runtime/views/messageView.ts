// Messages of a conversation, for people: what each block says, without what only its provider reads.

import { type Block, type Citation, isSigned, type SearchResult } from '../../schema/block.ts';
import { numberedId } from '../../schema/documents.ts';
import type { Message } from '../../schema/message.ts';
import type { Session } from '../../schema/session.ts';
import type { StoredResult } from '../../schema/storedResult.ts';
import { toolResultText } from '../../schema/toolResultText.ts';
import { cutToBytes } from '../../text/utf8.ts';

/** Stands for the mark of frames. */
const HIDDEN = '…';

/** A block as people read it. */
interface BlockView {
  type: Block['blockType'];
  /** What it says: the text; the arguments of a call; what a tool gave. Empty for a file. */
  text: string;
  /** Whether its provider signed it. */
  signed: boolean;
  /** Which side ran a tool; null for what is no call and no result. */
  ranBy: 'provider' | 'server' | 'client' | null;
  toolName: string | null;
  toolUseId: string | null;
  /** Null for what is no result. */
  isError: boolean | null;
  /** Where a result is stored whole, if its text is a part of it. */
  stored: StoredResult | null;
  /** Of a file. Its bytes are not given. */
  mimeType: string | null;
  uri: string | null;
  citations: Omit<Citation, 'providerData'>[];
  /** Of a search. */
  sources: SearchResult[];
}

/** A message as people read it. */
export interface MessageView {
  messageId: string;
  sequenceNumber: number;
  role: Message['role'];
  iteration: number | null;
  /** The model that wrote it, as `provider/model`; null for all that no model wrote. */
  model: string | null;
  blocks: BlockView[];
  /** Whether blocks or parts of their texts are left out. */
  cut: boolean;
  createdAt: Date;
}

/** Takes out of a text the mark of frames: who writes an alert or a log could close a frame that it is in. */
export function frameMarkHider({ dataNonce }: Pick<Session, 'dataNonce'>): (text: string) => string {
  return (text) => text.replaceAll(dataNonce, HIDDEN);
}

/**
 * @param whole the blocks, where the message has only the beginning of them. Absent: what the message has.
 * @param textBytes UTF-8 bytes of all texts together; longer ones get an equal share of it.
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
    const shown = cutToBytes(text, share);
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
