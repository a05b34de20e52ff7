// Wires models that answer while nothing runs, where models.yaml has one.

import type { BackgroundModel, NoticeKeys, PublicKey } from '../contract/backgroundModel.ts';
import { createBackgroundModel } from '../llm/interactions/backgroundModel.ts';
import { asArray, asObject, isObject } from '../text/json.ts';

const KEYS_ADDRESS = 'https://generativelanguage.googleapis.com';
/** Keys change seldom; an unknown one is looked for once a minute. */
const KEYS_MS = 3_600_000;
const RETRY_MS = 60_000;
const TIMEOUT_MS = 5_000;

/** Gemini in the background; `GEMINI_WEBHOOK_URL` is the address that gets its webhooks. */
export function openBackground(env: NodeJS.ProcessEnv, secrets: readonly string[] = []): BackgroundModel {
  return createBackgroundModel({ env, secrets, webhookUrl: env.GEMINI_WEBHOOK_URL || undefined });
}

/**
 * The keys that verify webhooks of Gemini: the secrets of `GEMINI_WEBHOOK_SECRET`, and Google's public keys,
 * which are kept for an hour. `GEMINI_WEBHOOK_AUDIENCE` is the audience that tokens must have.
 * @param send sends the request for the public keys. Default: Node's `fetch`.
 */
export function openNoticeKeys(
  env: NodeJS.ProcessEnv,
  now: () => number,
  send: typeof fetch = fetch,
): NoticeKeys {
  const address = `${(env.GOOGLE_GEMINI_BASE_URL || KEYS_ADDRESS).replace(/\/+$/, '')}/.well-known/jwks.json`;
  let known: { at: number; keys: Promise<ReadonlyMap<unknown, PublicKey>> } | undefined;
  const readKeys = (maxAgeMs: number): Promise<ReadonlyMap<unknown, PublicKey>> => {
    if (known === undefined || now() - known.at >= maxAgeMs)
      known = { at: now(), keys: fetchKeys(address, send) };
    return known.keys;
  };
  return {
    secrets: (env.GEMINI_WEBHOOK_SECRET ?? '').split(/[\s,]+/).filter((secret) => secret !== ''),
    audience: env.GEMINI_WEBHOOK_AUDIENCE || undefined,
    publicKey: async (id) => (await readKeys(KEYS_MS)).get(id) ?? (await readKeys(RETRY_MS)).get(id),
  };
}

/** The public keys by id; none if they cannot be read. */
async function fetchKeys(address: string, send: typeof fetch): Promise<ReadonlyMap<unknown, PublicKey>> {
  try {
    const response = await send(address, { signal: AbortSignal.timeout(TIMEOUT_MS), redirect: 'error' });
    const keys = asArray(asObject(await response.json()).keys).filter(isObject);
    return new Map(keys.map((key) => [key.kid, key as PublicKey]));
  } catch {
    return new Map();
  }
}
