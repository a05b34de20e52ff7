// Takes secrets out of one block of a model's answer: its text, and all else that the model or its provider wrote.

import type { Block } from '../../schema/block.ts';
import { isObject, parseJson } from '../../text/json.ts';

/** How texts of a block lose their secrets. */
interface TextMasks {
  /** Takes secrets out. */
  mask: (text: string) => string;
  /** The same, and what cannot be seen becomes visible. */
  clean: (text: string) => string;
}

/** Only its own provider reads it, and it must come back byte for byte. */
const SIGNATURE = /^thought_?signature$/i;

/** The block without secrets. A file with one becomes a text that says so: its bytes cannot be mended. */
export function maskBlock(block: Block, masks: TextMasks): Block {
  const { mask, clean } = masks;
  const { providerData } = block;
  const shared = providerData === undefined ? {} : { providerData: maskData(providerData, mask) };
  switch (block.blockType) {
    case 'text':
    case 'thinking':
      return { ...block, ...shared, textContent: clean(block.textContent) };
    case 'tool_use':
      return { ...block, ...shared, ...maskCall(block, mask), input: maskArguments(block.input, mask) };
    case 'web_search_use':
      return { ...block, ...shared, ...maskCall(block, mask) };
    case 'tool_result':
      return { ...block, ...shared, ...maskCall(block, mask), textContent: clean(block.textContent) };
    case 'image':
    case 'document':
      return maskFile(block, shared, masks);
  }
}

function maskCall(
  { toolUseId, toolName }: { toolUseId: string; toolName: string },
  mask: TextMasks['mask'],
): { toolUseId: string; toolName: string } {
  return { toolUseId: mask(toolUseId), toolName: mask(toolName) };
}

function maskFile(
  block: Extract<Block, { blockType: 'image' | 'document' }>,
  shared: Pick<Block, 'providerData'>,
  { mask, clean }: TextMasks,
): Block {
  const { data, uri, title, mimeType, sequence, provider } = block;
  const isWhole = [data, uri].every((text) => text === undefined || mask(text) === text);
  if (isWhole) {
    return {
      ...block,
      ...shared,
      mimeType: mask(mimeType),
      ...(title !== undefined && { title: clean(title) }),
    };
  }
  return {
    blockType: 'text',
    textContent: `[a file of type ${clean(mimeType)}, left out because it holds a secret]`,
    ...(sequence !== undefined && { sequence }),
    ...(provider !== undefined && { provider }),
  };
}

/** Arguments of a call, as JSON text: masked as they stand, where keys say what is a secret, and text by text. */
export function maskArguments(args: string, mask: TextMasks['mask']): string {
  return maskData(mask(args), mask);
}

/** JSON text, masked text by text: it stays JSON. */
function maskData(data: string, mask: TextMasks['mask']): string {
  const value = parseJson(data);
  if (value === undefined) return mask(data);
  let isChanged = false;
  const maskText = (text: string): string => {
    const masked = mask(text);
    isChanged ||= masked !== text;
    return masked;
  };
  const walk = (current: unknown): unknown => {
    if (typeof current === 'string') return maskText(current);
    if (Array.isArray(current)) return current.map(walk);
    if (!isObject(current)) return current;
    const entries = Object.entries(current).map(([key, entry]) =>
      SIGNATURE.test(key) ? [key, entry] : [maskText(key), walk(entry)],
    );
    return Object.fromEntries(entries);
  };
  const masked = walk(value);
  return isChanged ? JSON.stringify(masked) : data;
}
