// Content of an Anthropic-shaped message as portable blocks. Data that only its own provider can read stays
// in `providerData`.

import type { Block, BlockOf, Citation, SearchResult } from '../../core/schema/block.ts';
import { asArray, asObject, asText, isObject, type JsonObject } from '../../text/json.ts';
import { textBlock } from '../blocks/portableMessage.ts';
import { thinkingOrText } from '../blocks/thinking.ts';

const PROVIDER = 'anthropic';

/**
 * Blocks of a message's content, in order. No kind is dropped: those not known here become results with their
 * raw form. Entries that are no objects are skipped.
 */
export function blocksFromAnthropic(content: readonly unknown[]): Block[] {
  return content.filter(isObject).map((raw, sequence) => ({ ...blockOf(raw, sequence), sequence }));
}

function blockOf(raw: JsonObject, index: number): Block {
  const type = asText(raw.type) ?? 'unknown';
  switch (type) {
    case 'text':
      return receivedText(raw);
    case 'thinking': {
      const [text, signature] = [asText(raw.thinking) ?? '', asText(raw.signature)];
      return thinkingOrText({ text, signature, provider: PROVIDER });
    }
    case 'redacted_thinking':
      return { blockType: 'thinking', textContent: '', ...ownData(raw) };
    case 'tool_use':
      return { blockType: 'tool_use', ...callOf(raw, index), provider: PROVIDER };
    case 'server_tool_use':
    case 'mcp_tool_use': {
      const call = { ...callOf(raw, index), executionSide: 'provider' as const, ...ownData(raw) };
      const isSearch = type === 'server_tool_use' && call.toolName === 'web_search';
      return { blockType: isSearch ? 'web_search_use' : 'tool_use', ...call };
    }
    case 'web_search_tool_result':
      return searchResult(raw, index);
    case 'tool_result':
      return { ...resultOf(raw, index, ''), provider: PROVIDER };
    case 'image':
    case 'document':
      return mediaOf(raw, type);
    default:
      return { ...resultOf(raw, index, type), executionSide: 'provider', ...ownData(raw) };
  }
}

function ownData(raw: JsonObject): { provider: string; providerData: string } {
  return { provider: PROVIDER, providerData: JSON.stringify(raw) };
}

function receivedText(raw: JsonObject): Block {
  const block = textBlock(asText(raw.text) ?? '');
  const citations = asArray(raw.citations).filter(isObject).map(citationOf);
  if (citations.length === 0) return { ...block, provider: PROVIDER };
  return { ...block, citations, ...ownData(raw) };
}

function citationOf(raw: JsonObject): Citation {
  const isSearch = raw.type === 'web_search_result_location';
  const url = asText(raw.url);
  const title = asText(raw.title) ?? asText(raw.document_title);
  const citedText = asText(raw.cited_text);
  const encrypted = asText(raw.encrypted_index);
  return {
    type: isSearch ? 'web_search_result' : 'url_citation',
    ...(url !== undefined && { url }),
    ...(title !== undefined && { title }),
    ...(citedText !== undefined && { citedText }),
    ...(encrypted !== undefined && { providerData: JSON.stringify({ encrypted_index: encrypted }) }),
  };
}

function callOf(raw: JsonObject, index: number): { toolUseId: string; toolName: string; input: string } {
  return {
    toolUseId: asText(raw.id) ?? `anthropic_call_${index}`,
    toolName: asText(raw.name) ?? '',
    input: JSON.stringify(raw.input ?? {}),
  };
}

function searchResult(raw: JsonObject, index: number): Block {
  const common: BlockOf<'tool_result'> = {
    blockType: 'tool_result',
    toolUseId: asText(raw.tool_use_id) ?? `anthropic_result_${index}`,
    toolName: 'web_search',
    isError: !Array.isArray(raw.content),
    textContent: '',
    executionSide: 'provider',
    ...ownData(raw),
  };
  if (common.isError) return { ...common, errorCode: asText(asObject(raw.content).error_code) ?? 'unknown' };
  return { ...common, results: asArray(raw.content).filter(isObject).map(sourceOf) };
}

function sourceOf(raw: JsonObject): SearchResult {
  const pageAge = asText(raw.page_age);
  return {
    title: asText(raw.title) ?? '',
    url: asText(raw.url) ?? '',
    ...(pageAge !== undefined && { pageAge }),
  };
}

/** A result of any kind: `web_fetch_tool_result` becomes the result of `web_fetch`. */
function resultOf(raw: JsonObject, index: number, type: string): BlockOf<'tool_result'> {
  const errorCode = asText(asObject(raw.content).error_code);
  return {
    blockType: 'tool_result',
    toolUseId: asText(raw.tool_use_id) ?? `anthropic_result_${index}`,
    toolName: type.replace(/_tool_result$/, ''),
    isError: raw.is_error === true || errorCode !== undefined,
    textContent: errorCode === undefined ? textOf(raw.content) : '',
    ...(errorCode !== undefined && { errorCode }),
  };
}

/** Text, text blocks joined by lines, or JSON without data that only the provider can read. */
function textOf(content: unknown): string {
  if (content === undefined || content === null) return '';
  if (typeof content === 'string') return content;
  const texts = asArray(content).map((item) =>
    asObject(item).type === 'text' ? asText(asObject(item).text) : undefined,
  );
  if (Array.isArray(content) && texts.every((text) => text !== undefined)) return texts.join('\n');
  return JSON.stringify(content, (key, value) => (key.startsWith('encrypted_') ? undefined : value));
}

function mediaOf(raw: JsonObject, blockType: 'image' | 'document'): Block {
  const source = asObject(raw.source);
  const [data, uri, title] = [asText(source.data), asText(source.url), asText(raw.title)];
  return {
    blockType,
    mimeType: asText(source.media_type) ?? (blockType === 'image' ? 'image/*' : 'application/pdf'),
    ...(data !== undefined && { data }),
    ...(uri !== undefined && { uri }),
    ...(title !== undefined && { title }),
    ...ownData(raw),
  };
}
