// The messages of an execution, read in pages.

import { signal } from '@preact/signals';
import type { ConversationMessage } from '../../../shared/lists/apiTypes.ts';
import { api, asError } from '../api/client.ts';

/** The messages that were read, and the read of the others. */
export type MessagesState = ReturnType<typeof openMessages>;

/** Opens an execution's messages, reading none before `readNext`. */
export function openMessages(execution: { sessionId: string; executionId: string }) {
  const messages = signal<readonly ConversationMessage[]>([]);
  const next = signal<string | null | undefined>(undefined);
  const error = signal<Error | undefined>(undefined);
  const left = new AbortController();
  let reading: Promise<void> | undefined;
  const read = async () => {
    try {
      const page = await api.get(
        '/v1/sessions/{sessionId}/executions/{executionId}/messages',
        { ...execution, after: next.peek() ?? undefined },
        left.signal,
      );
      messages.value = [...messages.peek(), ...page.messages];
      next.value = page.next;
      error.value = undefined;
    } catch (cause) {
      if (!left.signal.aborted) error.value = asError(cause);
    }
  };
  /** Reads the next page, once for concurrent calls. A failure is in `error`; the next call retries. */
  const readNext = (): Promise<void> => {
    if (next.peek() === null) return Promise.resolve();
    reading ??= read().finally(() => {
      reading = undefined;
    });
    return reading;
  };
  return {
    messages,
    /** The cursor of the next page: undefined before the first one, null after the last one. */
    next,
    error,
    readNext,
    /** Reads pages until an iteration is there, or there are no more. */
    async readUntil(iteration: number | undefined): Promise<void> {
      const isThere = () =>
        iteration === undefined || messages.peek().some((message) => message.iteration === iteration);
      do await readNext();
      while (!isThere() && next.peek() && error.peek() === undefined);
    },
    stop: () => left.abort(),
  };
}
