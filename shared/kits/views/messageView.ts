// Shows people a conversation's messages: each block's text, without data for its provider.

import * as z from 'zod';
import { type Block, citationSchema, isSigned } from '../../core/schema/block.ts';
import { numberedId } from '../../core/schema/ids.ts';
import type { Message } from '../../core/schema/message.ts';
import type { Session } from '../../core/schema/session.ts';
import { storedResultSchema } from '../../core/schema/storedResult.ts';
import { toolResultText } from '../../schema/toolResultText.ts';
import { cutText } from '../../text/cut.ts';

/** Replaces the mark of frames. */
const HIDDEN = '…';

/** A block as people read it. */
const blockViewSchema = z.strictObject({
  type: z
    .string()
    .describe('`text`, `thinking`, `tool_use`, `web_search_use`, `tool_result`, `image`, `document`'),
  text: z.string().describe('The text, the arguments of a call as JSON, or the result of a tool'),
  signed: z.boolean().describe('Whether the provider signed it'),
  ranBy: z.enum(['provider', 'server', 'client']).nullable().describe('Which side ran a tool'),
  /** Null for a block that is neither call nor result. */
  toolName: z.string().nullable(),
  /** Joins a call and its result. */
  toolUseId: z.string().nullable(),
  /** Null for a block that is not a result. */
  isError: z.boolean().nullable(),
  stored: storedResultSchema
    .nullable()
    .describe('The place of the complete result, if `text` is a part of it'),
  /** Only for a file, whose bytes are left out. */
  mimeType: z.string().nullable(),
  /** The address of a file. */
  uri: z.string().nullable(),
  citations: z.array(citationSchema.omit({ providerData: true })),
  sources: z.array(z.looseObject({ title: z.string(), url: z.string() })).describe('Of a search'),
});

/** A message as people read it. */
export const messageViewSchema = z.strictObject({
  /** `EXECUTION.NUMBER`, the id of its document. */
  messageId: z.string(),
  /** Position in the conversation, from 1. */
  sequenceNumber: z.int(),
  /** The author: `tool` for results of tool calls. */
  role: z.enum(['system', 'user', 'assistant', 'tool']),
  /** The iteration that stored it; null for messages of older code. */
  iteration: z.int().nullable(),
  model: z.string().nullable().describe('The model that wrote it, as `provider/model`'),
  /** In order, each cut to its share of the bytes. */
  blocks: z.array(blockViewSchema),
  cut: z.boolean().describe('Whether texts or blocks are omitted; `getMessage` has them'),
  createdAt: z.date(),
});
/** A message as people read it. */
export type MessageView = z.infer<typeof messageViewSchema>;

/**
 * Removes the mark of frames from a text: with the mark, an author of alerts or logs could close the frame
 * around them.
 */
export function frameMarkHider({ dataNonce }: Pick<Session, 'dataNonce'>): (text: string) => string {
  return (text) => text.replaceAll(dataNonce, HIDDEN);
}

/**
 * Shows a message.
 * @param whole all blocks, if the message contains only the first of them. Default: the blocks of the
 * message.
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
    const text = hide(readBlockText(block));
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

function readBlockText(block: Block): string {
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

function blockView(block: Block, text: string): MessageView['blocks'][number] {
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
