// Requests that change a session, with their outcome as a sentence for the user.

import { type Signal, useSignal } from '@preact/signals';
import { asError } from '../../api/client.ts';
import { useSession } from './sessionState.ts';

/** Sends requests, and keeps the outcome of the last one. */
interface Control {
  /** The outcome as a sentence; '' before the first request. */
  outcome: Signal<string>;
  /**
   * Sends a request and refreshes the session. The outcome of an error is its message.
   * @param textOf the outcome of an answer, as a sentence.
   * @returns the error; undefined after success.
   */
  send<T>(request: () => Promise<T>, textOf: (answer: T) => string): Promise<Error | undefined>;
}

/** So long an outcome is shown; errors stay until the next request. */
const SHOWN_MS = 10_000;

/** Removes the current outcome after some seconds. */
export function expire(outcome: Signal<string>): void {
  const text = outcome.peek();
  setTimeout(() => {
    if (outcome.peek() === text) outcome.value = '';
  }, SHOWN_MS);
}

/** The control of the session around a component. */
export function useControl(): Control {
  const { refresh } = useSession();
  const outcome = useSignal('');
  return {
    outcome,
    async send(request, textOf) {
      try {
        outcome.value = textOf(await request());
        expire(outcome);
        refresh();
        return undefined;
      } catch (cause) {
        const error = asError(cause);
        outcome.value = error.message;
        return error;
      }
    },
  };
}
