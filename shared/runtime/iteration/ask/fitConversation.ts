// Keeps a request within `conversationBytes`: of the oldest tool results only head and tail are repeated. What is stored stays
// whole. Pure.

import type { ConversationMessage } from '../../../contract/llm.ts';
import { limitText } from '../../../text/limitText.ts';

/** What is left of a result: enough to see what it was, so that the agent can ask again. */
const CUT_BYTES = 2_000;

/** Results are cut until this share of the limit is left, so that the next cuts, which change the prompt's prefix, are far. */
const SHARE_LEFT = 0.75;

/**
 * The conversation as it is repeated to the model. It is cut as if that had happened while it grew: every request repeats
 * the one before byte for byte, until the next time that the limit is passed.
 * @param maxBytes UTF-8 bytes of all messages; undefined for no limit. A conversation without results to cut stays above it.
 */
export function fitConversation(
  conversation: readonly ConversationMessage[],
  maxBytes: number | undefined,
): ConversationMessage[] {
  const fitted: ConversationMessage[] = [];
  if (maxBytes === undefined) return [...conversation];
  let bytes = 0;
  let oldest = 0;
  for (const message of conversation) {
    fitted.push(message);
    bytes += bytesOf(message);
    if (bytes <= maxBytes) continue;
    for (; oldest < fitted.length && bytes > maxBytes * SHARE_LEFT; oldest++) {
      const whole = fitted[oldest];
      if (whole?.role !== 'tool') continue;
      const cut = withCutResults(whole);
      bytes -= bytesOf(whole) - bytesOf(cut);
      fitted[oldest] = cut;
    }
  }
  return fitted;
}

function withCutResults(message: ConversationMessage): ConversationMessage {
  const blocks = message.blocks.map((block) =>
    block.blockType === 'tool_result'
      ? { ...block, textContent: limitText(block.textContent, CUT_BYTES).content }
      : block,
  );
  return { ...message, blocks };
}

/** What a message takes in a request: the provider's own form of it, if there is one. */
function bytesOf({ replay, blocks }: ConversationMessage): number {
  return replay === undefined ? textBytes(blocks) : Buffer.byteLength(replay.data);
}

function textBytes(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (value === null || typeof value !== 'object') return 0;
  return Object.values(value).reduce((sum: number, field) => sum + textBytes(field), 0);
}
