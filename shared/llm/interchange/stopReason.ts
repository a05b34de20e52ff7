// Why an answer ended, in the words all providers share.
// Conversions of stored messages between providers' formats: tested, not used by any path yet.

/**
 * `STOP` is `tool_use` when the answer holds calls, else `end_turn`: Gemini sends STOP for both. `MAX_TOKENS`
 * is `max_tokens`; every other reason passes in lower case. Null when the provider gave none.
 */
export function stopReason(finishReason: string | null, hasCalls: boolean): string | null {
  if (finishReason === null) return null;
  if (finishReason === 'STOP') return hasCalls ? 'tool_use' : 'end_turn';
  return finishReason.toLowerCase();
}
