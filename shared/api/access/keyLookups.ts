// Finds API keys, and limits lookups of unknown keys, each of which reads the database.

import { createHash } from 'node:crypto';
import type { ApiKey } from '../../kits/access/apiKey.ts';
import { findApiKey, idOfApiKey } from '../../kits/access/apiKeys.ts';
import { ExpiringSet } from '../limits/expiringSet.ts';
import { countRequest, perMinute } from '../limits/rateLimit.ts';

/**
 * Milliseconds for which a refused text is refused again without a read of the database. A new key is a
 * different text, so it is valid at once. A key whose document was missing is found after this time.
 */
const REFUSED_MS = 10_000;
/** Maximum entries of the cache. */
const MAX_REMEMBERED = 10_000;
/** Lookups in a minute that find no valid key: for an address, for a key id, and in total. */
const PER_ADDRESS = 60;
const PER_ID = 60;
const PER_INSTANCE = 600;

interface SentKey {
  /** The whole key. */
  text: string;
  /** The client's address. */
  address: string;
  /** Whether it was valid within the last hour. Then its lookup is not counted, but still made. */
  isKnown: boolean;
}

/** Finds the API key with a text. */
export type FindKey = (sent: SentKey) => Promise<ApiKey | undefined>;

/**
 * Finds keys as `findApiKey` does, with limits. The cache and the counters depend on the text that was sent
 * and never on whether its id exists, so that neither responses nor their timing reveal existing ids.
 * @throws Problem `RATE_LIMITED` before a lookup when too many found nothing; RetryableError when the store
 * fails.
 */
export function keyLookups(deps: Parameters<typeof findApiKey>[1]): FindKey {
  const now = () => deps.clock.now();
  const refused = new ExpiringSet({ max: MAX_REMEMBERED, ms: REFUSED_MS, now });
  const limits = {
    address: perMinute(PER_ADDRESS),
    id: perMinute(PER_ID),
    instance: perMinute(PER_INSTANCE),
  };
  return async ({ text, address, isKnown }) => {
    const digest = createHash('sha256').update(text).digest('base64');
    if (refused.has(digest)) return undefined;
    const counted = [
      [limits.address, address],
      [limits.id, idOfApiKey(text) ?? ''],
      [limits.instance, ''],
    ] as const;
    if (!isKnown) for (const [limit, key] of counted) await countRequest(limit, key, TOO_MANY);
    const found = await findApiKey(text, deps);
    if (found === undefined) refused.add(digest);
    else if (!isKnown) for (const [limit, key] of counted) await limit.reward(key);
    return found;
  };
}

const TOO_MANY = 'too many unknown keys were sent: wait, and compare your key with `inquest keys list`';
