// Turns the result of an MCP tool into the one text that is stored, shown and sent to the model.

import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client';

const NO_OUTPUT = '(no output)';

/**
 * The text of a result: texts as they are, other content as a short description, one on each line. Structured
 * content usually repeats the text, so it is used only when there is no text. Never empty.
 */
export function resultText(result: Pick<CallToolResult, 'content' | 'structuredContent'>): string {
  const content = result.content ?? [];
  const lines = content.map(contentBlockText).filter((line) => line !== '');
  if (result.structuredContent !== undefined && !content.some(hasText)) {
    lines.push(JSON.stringify(result.structuredContent));
  }
  return lines.join('\n') || NO_OUTPUT;
}

function hasText(block: ContentBlock): boolean {
  if (block.type === 'text') return block.text !== '';
  return block.type === 'resource' && 'text' in block.resource && block.resource.text !== '';
}

function contentBlockText(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'image':
    case 'audio':
      return binaryText(block.mimeType, block.data);
    case 'resource_link':
      return `${block.title ?? block.name} (${block.uri})`;
    case 'resource':
      return 'text' in block.resource
        ? block.resource.text
        : binaryText(block.resource.mimeType ?? 'application/octet-stream', block.resource.blob);
  }
}

function binaryText(mimeType: string, base64: string): string {
  return `[${mimeType}, ${Buffer.byteLength(base64, 'base64')} bytes]`;
}
