// A block of an answer without secrets and hidden characters, in all its forms.

import type { Block, BlockOf } from '../../../schema/block.ts';
import { asArray, isObject } from '../../../text/json.ts';
import { rangeMover } from '../../../text/moveRange.ts';
import { cleanCitation, type TextCleaner } from './cleanSources.ts';
import { maskArguments, maskData } from './maskData.ts';

/**
 * The block with its texts cleaned. The provider's own data in it (`providerData`, results) loses its secrets and keeps
 * everything else as it came. A file with a secret becomes a text that says so: its bytes cannot be mended.
 * @param change what cleaning makes of a piece of the text, to find where it stands then.
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

/** Grounding metadata without offsets: they count the bytes of the text as it came. */
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
