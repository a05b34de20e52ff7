// A block of an answer without secrets and hidden characters, in all its forms.

import type { Block } from '../../schema/block.ts';
import { asArray, isObject, parseJson } from '../../text/json.ts';
import { rangeMover } from '../../text/moveRange.ts';
import { cleanCitation, type TextCleaner } from './cleanSources.ts';

/** Keys of data that only its provider can read: random bytes, not text. */
const OPAQUE = new Set(['thought_signature', 'thoughtSignature']);
/** What is nested more deeply is left out. */
const MAX_DEPTH = 200;

/**
 * The block with its texts cleaned. The provider's own data in it (`providerData`, results) loses its secrets and keeps
 * everything else as it came.
 * @param change what cleaning makes of a piece of the text, to find where it stands then.
 */
export function cleanBlock(block: Block, cleaner: TextCleaner, change: (piece: string) => string): Block {
  const { mask, clean } = cleaner;
  const before = 'textContent' in block ? block.textContent : '';
  const after = 'textContent' in block ? clean(block.textContent) : '';
  const isChanged = before !== after;
  const move = rangeMover({ before, after, change });
  const { providerData, citations } = block;
  const cleaned: Block = {
    ...block,
    ...(providerData !== undefined && { providerData: cleanData(providerData, mask, isChanged) }),
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
      return { ...cleaned, toolName: mask(cleaned.toolName), input: mask(cleaned.input) };
    case 'tool_result':
      return {
        ...cleaned,
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
      return {
        ...cleaned,
        ...(cleaned.uri !== undefined && { uri: clean(cleaned.uri) }),
        ...(cleaned.title !== undefined && { title: clean(cleaned.title) }),
      };
  }
}

/** JSON text of a provider without secrets. Without any, and where the text is as it was, not a byte of it changes. */
function cleanData(json: string, mask: (text: string) => string, isTextChanged: boolean): string {
  const data = parseJson(json);
  if (!isObject(data)) return mask(json);
  const masked = mapTexts(data, mask);
  const moved = isTextChanged ? withoutSegments(masked) : masked;
  const written = JSON.stringify(moved);
  return written === JSON.stringify(data) ? json : written;
}

function mapTexts(value: unknown, change: (text: string) => string, depth = 0): unknown {
  if (typeof value === 'string') return change(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth > MAX_DEPTH) return null;
  if (Array.isArray(value)) return value.map((entry) => mapTexts(entry, change, depth + 1));
  // Bytes of a file are no text.
  const isOpaque = (key: string) => OPAQUE.has(key) || (key === 'data' && 'mimeType' in value);
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => [
      key,
      isOpaque(key) ? entry : mapTexts(entry, change, depth + 1),
    ]),
  );
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
