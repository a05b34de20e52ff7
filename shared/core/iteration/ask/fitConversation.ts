// Keeps a request within `conversationBytes` by cutting the oldest tool results to head and tail. The stored
// results stay whole. Pure.

import { incrementalFold } from '../../../text/incrementalFold.ts';
import { limitText } from '../../../text/limitText.ts';
import { memoized } from '../../../text/memo.ts';
import type { ConversationMessage } from '../../contract/llm.ts';

/** Remaining size of a cut result: enough to recognise it, so that the agent can ask again. */
const CUT_BYTES = 2_000;

/** Results are cut to this share, so that the next cuts, which change the prefix, are far away. */
const SHARE_LEFT = 0.75;

/**
 * Returns the conversation for the next request. Cuts as if the limit had been applied while the conversation
 * grew: each request repeats the previous one byte for byte, until the limit is exceeded again.
 * @param maxBytes limit of all messages, in UTF-8 bytes; undefined for no limit. A conversation without
 *   results to cut stays above it.
 */
export function fitConversation(
  conversation: readonly ConversationMessage[],
  maxBytes: number | undefined,
): readonly ConversationMessage[] {
  return maxBytes === undefined ? conversation : fitMessages(conversation, maxBytes).fitted.slice();
}

const fitMessages = incrementalFold(
  () => ({ fitted: [] as ConversationMessage[], bytes: 0, oldest: 0 }),
  (state, message: ConversationMessage, maxBytes: number) => {
    const { fitted } = state;
    fitted.push(message);
    state.bytes += bytesOf(message);
    if (state.bytes <= maxBytes) return;
    for (; state.oldest < fitted.length && state.bytes > maxBytes * SHARE_LEFT; state.oldest++) {
      const whole = fitted[state.oldest];
      if (whole?.role !== 'tool') continue;
      const cut = withCutResults(whole);
      state.bytes -= bytesOf(whole) - bytesOf(cut);
      fitted[state.oldest] = cut;
    }
  },
);

/** Remembered, like the size of a message: this process keeps messages, and each request repeats them. */
const withCutResults = memoized((message: ConversationMessage): ConversationMessage => {
  const blocks = message.blocks.map((block) =>
    block.blockType === 'tool_result'
      ? { ...block, textContent: limitText(block.textContent, CUT_BYTES).content }
      : block,
  );
  return { ...message, blocks };
});

/** The size of a message in a request: of the provider's own form, if there is one. */
const bytesOf = memoized(({ replay, blocks }: ConversationMessage): number =>
  replay === undefined ? textBytes(blocks) : Buffer.byteLength(replay.data),
);

function textBytes(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (value === null || typeof value !== 'object') return 0;
  return Object.values(value).reduce((sum: number, field) => sum + textBytes(field), 0);
}
