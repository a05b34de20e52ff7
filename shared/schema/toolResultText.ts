// The text of a tool's result in any of its forms.

import type { SearchResult, ToolResultBlock } from '../core/schema/block.ts';
import { parseJson } from '../text/json.ts';

/**
 * `textContent`, else `content`, else the result itself: for an error its message and code, followed by the
 * result if there is one; otherwise `result` (a JSON string gives its value, other JSON stays JSON), else the
 * list of sources. Empty when the result contains no text at all.
 */
export function toolResultText(block: ToolResultBlock): string {
  if (block.textContent !== '') return block.textContent;
  if (block.content !== undefined && block.content !== '') return block.content;
  const code = block.errorCode === undefined ? undefined : `Error: ${block.errorCode}`;
  const errors = [block.error, code].filter((text) => text !== undefined && text !== '');
  const result = block.result === undefined ? '' : decodeString(block.result);
  if (block.isError) return [...errors, result].filter((text) => text !== '').join('\n');
  if (result !== '') return result;
  if (block.results !== undefined && block.results.length > 0) return sourceList(block.results);
  return errors.join('\n');
}

/**
 * Sources as numbered Markdown links, in order; a source without an address is only its title. Recorded
 * addresses contain spaces, which would end a link.
 */
function sourceList(results: readonly SearchResult[]): string {
  return results
    .map(({ title, url, pageAge }, index) => {
      const age = pageAge === undefined ? '' : `\n   (Published: ${pageAge})`;
      const name = (title === '' ? url : title).replace(/\s+/g, ' ');
      const link = url === '' ? name : `[${name}](${url.replace(/\s/g, '%20')})`;
      return `${index + 1}. ${link}${age}`;
    })
    .join('\n');
}

/** Returns the value of a JSON string, and any other text unchanged. */
function decodeString(json: string): string {
  const value = parseJson(json);
  return typeof value === 'string' ? value : json;
}
