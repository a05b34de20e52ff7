// Ends and deletes interactions at Google. Apart from the rest, because the sweep needs nothing else of it.

import type { BackgroundModel } from '../../contract/backgroundModel.ts';
import { asObject } from '../../text/json.ts';
import type { Environment } from '../credentials.ts';
import { geminiBackend } from '../gemini/backend.ts';
import { requestInteraction } from './sendInteraction.ts';

/** Removes interactions with the key of `env`. @param send Default: the global `fetch`. */
export function interactionRemover(
  env: Environment,
  send: typeof fetch = fetch,
): Pick<BackgroundModel, 'remove'> {
  return {
    async remove(id, signal) {
      const transport = {
        backend: geminiBackend(env),
        fetch: ((url, init) => send(url, { ...init, redirect: 'error' })) satisfies typeof fetch,
        signal,
      };
      const path = `/${encodeURIComponent(id)}`;
      const isGone = (thrown: unknown) => asObject(thrown).status === 404;
      // Only an interaction at work can be cancelled, and it is not known whether deleting ends the work.
      await requestInteraction(transport, 'POST', `${path}/cancel`).catch(() => undefined);
      return requestInteraction(transport, 'DELETE', path).then(() => true, isGone);
    },
  };
}
