// A program requests a check at a later time, such as some minutes after a rollout.

import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { StateDeps } from '../../core/kernel/deps.ts';
import { type Check, checkType } from './check.ts';
import { publishCheck, requestWrite } from './checkRequest.ts';

/** Digits of an id: as many as tell the requests of a tenant apart. */
const ID_DIGITS = 12;

interface RequestedCheck {
  tenantId: string;
  userId: string | null;
  /** Name of the requester; stored and shown. */
  by: string;
  /** The requester's own key: a second request with it is the same. */
  key: string;
  /** Milliseconds until the check starts. */
  afterMs: number;
  /** Without secrets. */
  content: NonNullable<Check['content']>;
}

/**
 * Stores a request of a check once for its key.
 * @returns `key_reused` if the key was used for another content.
 * @throws RetryableError when the store fails. If publishing fails, the sweep does it.
 */
export async function requestCheck(
  { tenantId, userId, by, key, afterMs, content }: RequestedCheck,
  deps: Pick<StateDeps, 'store' | 'clock' | 'publisher'>,
): Promise<{ kind: 'requested' | 'existing'; check: Check } | { kind: 'key_reused' }> {
  const { store, clock, publisher } = deps;
  const now = clock.now();
  const digest = createHash('sha256')
    .update(JSON.stringify([tenantId, key]))
    .digest('hex');
  const checkId = `check.${digest.slice(0, ID_DIGITS)}`;
  const slot = new Date(now.getTime() + afterMs);
  const write = requestWrite(
    { checkId, tenantId, userId, schedule: null, slot, content, previousId: null, requestedBy: by },
    now,
  );
  if ((await store.commit([write])).ok) {
    if (afterMs === 0) await publishCheck(publisher, checkId).catch(() => undefined);
    return { kind: 'requested', check: write.value as Check };
  }
  const stored = await store.get(checkType.paths.check(checkId), checkType);
  if (stored === undefined || !isDeepStrictEqual(stored.value.content, content))
    return { kind: 'key_reused' };
  return { kind: 'existing', check: stored.value };
}
