// Totals of a session with unreadable executions: the rest is a lower bound, unknown is not 0.

/** A document that cannot be read. */
interface Unread {
  /** `sessions/ID/executions/ID`. */
  path: string;
}

/**
 * A total over the executions of a session, in words.
 * @param total the sum over those that can be read.
 * @param text the words for it.
 * @param unreadable the documents of the session that cannot be read.
 */
export function knownTotal(total: number, text: string, unreadable: readonly Unread[]): string {
  if (!unreadable.some(({ path }) => path.includes('/executions/'))) return text;
  if (total === 0) return 'unknown';
  return /^(?:at least|unknown)/.test(text) ? text : `at least ${text}`;
}
