// The client of the API, which has the origin of the page.

import { signal } from '@preact/signals';
import { createClient } from '../../../shared/client/client.ts';

/** Whether the API requires to sign in again. */
export const isSignedOut = signal(false);

/** The API of this page. */
export const api = createClient({
  send: (address, init) => fetch(address, { credentials: 'same-origin', ...init }),
  lostText: () => 'The server cannot be reached.',
  onStatus(status) {
    isSignedOut.value = status === 401;
  },
});

/** Anything that was thrown, as an error. */
export function asError(cause: unknown): Error {
  return cause instanceof Error ? cause : new Error(String(cause));
}
