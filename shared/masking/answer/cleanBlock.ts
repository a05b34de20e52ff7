// Masks secrets and makes hidden characters visible in a block of an answer, in all its forms.

import type { Block, BlockOf } from '../../core/schema/block.ts';
import { asArray, isObject } from '../../text/json.ts';
import { rangeMover } from '../../text/moveRange.ts';
import { maskArguments, maskData } from '../maskData.ts';
import { cleanCitation, type TextCleaner } from './cleanSources.ts';

/**
 * Returns the block with its texts cleaned. In the provider's own data (`providerData`, results), only
 * secrets change. A file with a secret is replaced by a text: its bytes cannot be repaired.
 * @param change cleans a piece of the text, to find its new position.
 */
export function cleanBlock(block: Block, cleaner: TextCleaner, change: (piece: string) => string): Block {
  const { mask, clean } = cleaner;
  const before = 'textContent' in block ? block.textContent : '';
  const after = 'textContent' in block ? clean(block.textContent) : '';
  const isChanged = before !== after;
  const move = rangeMover({ before, after, change });
  const { providerData, citations } = block;
  const dropOffsets = isChanged ? withoutSegments : undefined;
  const cleaned: Block = {
    ...block,
    ...(providerData !== undefined && { providerData: maskData(providerData, mask, dropOffsets) }),
    ...(citations !== undefined && {
      citations: citations.map((citation) => move(cleanCitation(citation, cleaner))),
    }),
  };
  switch (cleaned.blockType) {
    case 'text':
    case 'thinking':
      return { ...cleaned, textContent: after };
    case 'tool_use':
    case 'web_search_use':
      return { ...cleaned, ...maskCall(cleaned, mask), input: maskArguments(cleaned.input, mask) };
    case 'tool_result':
      return {
        ...cleaned,
        ...maskCall(cleaned, mask),
        textContent: after,
        ...(cleaned.content !== undefined && { content: clean(cleaned.content) }),
        ...(cleaned.result !== undefined && { result: mask(cleaned.result) }),
        ...(cleaned.error !== undefined && { error: clean(cleaned.error) }),
        ...(cleaned.results !== undefined && {
          results: cleaned.results.map((result) => ({
            ...result,
            title: clean(result.title),
            url: clean(result.url),
          })),
        }),
      };
    case 'image':
    case 'document':
      return cleanFile(cleaned, cleaner);
  }
}

function maskCall(
  { toolUseId, toolName }: { toolUseId: string; toolName: string },
  mask: TextCleaner['mask'],
): { toolUseId: string; toolName: string } {
  return { toolUseId: mask(toolUseId), toolName: mask(toolName) };
}

function cleanFile(block: BlockOf<'image' | 'document'>, { mask, clean }: TextCleaner): Block {
  const { data, uri, title, mimeType, sequence, provider } = block;
  const isWhole = [data, uri].every((text) => text === undefined || mask(text) === text);
  if (!isWhole) {
    return {
      blockType: 'text',
      textContent: `[a file of type ${clean(mimeType)}, left out because it holds a secret]`,
      ...(sequence !== undefined && { sequence }),
      ...(provider !== undefined && { provider }),
    };
  }
  return {
    ...block,
    mimeType: mask(mimeType),
    ...(uri !== undefined && { uri: clean(uri) }),
    ...(title !== undefined && { title: clean(title) }),
  };
}

/** Removes the offsets of grounding metadata: they count the bytes of the original text. */
function withoutSegments(data: unknown): unknown {
  if (!isObject(data) || !isObject(data.grounding_metadata)) return data;
  const { grounding_metadata: metadata } = data;
  const supports = asArray(metadata.groundingSupports).map((support) => {
    if (!isObject(support) || !isObject(support.segment)) return support;
    const { startIndex: _, endIndex: __, ...segment } = support.segment;
    return { ...support, segment };
  });
  return {
    ...data,
    grounding_metadata: {
      ...metadata,
      ...(metadata.groundingSupports !== undefined && { groundingSupports: supports }),
    },
  };
}
