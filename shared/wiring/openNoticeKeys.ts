// Opens the keys that verify webhooks of models that answer while nothing runs.

import { createRemoteJWKSet, customFetch } from 'jose';
import { Webhook } from 'standardwebhooks';
import type { NoticeKeys } from '../contract/backgroundModel.ts';
import { RetryableError } from '../core/errors.ts';

const KEYS_ADDRESS = 'https://generativelanguage.googleapis.com';
/** Keys change seldom; an unknown one is looked for once a minute. */
const KEYS_MS = 3_600_000;
const RETRY_MS = 60_000;
const TIMEOUT_MS = 5_000;

/**
 * The keys that verify webhooks of Gemini: the secrets of `GEMINI_WEBHOOK_SECRET`, and Google's public keys,
 * which are kept for an hour. `GEMINI_WEBHOOK_AUDIENCE` is the audience that tokens must have.
 * @param send sends the request for the public keys. Default: Node's `fetch`.
 * @throws TypeError for a secret that is not Base64.
 */
export function openNoticeKeys(env: NodeJS.ProcessEnv, send: typeof fetch = fetch): NoticeKeys {
  const address = `${(env.GOOGLE_GEMINI_BASE_URL || KEYS_ADDRESS).replace(/\/+$/, '')}/.well-known/jwks.json`;
  return {
    secrets: (env.GEMINI_WEBHOOK_SECRET ?? '').split(/[\s,]+/).flatMap(readSecret),
    audience: env.GEMINI_WEBHOOK_AUDIENCE || undefined,
    findKey: createRemoteJWKSet(new URL(address), {
      cacheMaxAge: KEYS_MS,
      cooldownDuration: RETRY_MS,
      timeoutDuration: TIMEOUT_MS,
      [customFetch]: async (url, init) => {
        const response = await send(url, { ...init, redirect: 'error' }).catch(unavailable);
        return response.ok ? response : unavailable(`status ${response.status}`);
      },
    }),
  };
}

function unavailable(cause: unknown): never {
  throw new RetryableError('SOURCE_UNAVAILABLE', "The keys of Gemini's webhooks could not be read.", {
    cause,
  });
}

function readSecret(text: string): Webhook[] {
  if (text === '') return [];
  try {
    return [new Webhook(text)];
  } catch {
    const fix = 'write each secret as Google shows it: `whsec_` and Base64';
    throw new TypeError(`GEMINI_WEBHOOK_SECRET: a secret cannot be read; ${fix}`);
  }
}
