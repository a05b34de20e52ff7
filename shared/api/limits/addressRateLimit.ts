// Limits requests by client address before reading more of them: unidentified callers, and webhooks.

import type { ApiLimits } from './apiLimits.ts';
import { ExpiringSet } from './expiringSet.ts';
import { countRequest, perMinute, tooMany } from './rateLimit.ts';

/** The limit of all addresses without an identified caller, as a multiple of the limit of one address. */
const INSTANCE_FACTOR = 10;
const INSTANCE = 'instance';
/** Milliseconds for which addresses of identified callers are remembered: a flood does not block them. */
const KNOWN_MS = 10 * 60_000;
const MAX_KNOWN = 10_000;

/** An admitted request. */
export interface Entry {
  /** Stops counting the request, because its caller is identified. */
  prove(): Promise<void>;
  /** Stops counting a request that was refused because of its caller's rate. */
  refund(): Promise<void>;
}

/** A limit by address of one instance, for requests that identify their callers in the same way. */
export class AddressGate {
  readonly #addresses;
  readonly #instance;
  readonly #known = new ExpiringSet({ max: MAX_KNOWN, ms: KNOWN_MS, now: () => new Date() });

  constructor({ unauthenticatedPerMinute }: Pick<ApiLimits, 'unauthenticatedPerMinute'>) {
    this.#addresses = perMinute(unauthenticatedPerMinute);
    this.#instance = perMinute(INSTANCE_FACTOR * unauthenticatedPerMinute);
  }

  /** Counts a request until its caller is identified. @throws Problem `RATE_LIMITED`. */
  async enter(address: string): Promise<Entry> {
    // An address above its limit does not use up the limit of all others.
    const counted = await this.#addresses.get(address);
    if (counted !== null && counted.remainingPoints <= 0) throw tooMany(OF_ADDRESS, counted.msBeforeNext);
    // The limit for all callers bounds the number of counted addresses, each of which uses memory.
    const isNew = !this.#known.has(address);
    if (isNew) await countRequest(this.#instance, INSTANCE, OF_INSTANCE);
    await countRequest(this.#addresses, address, OF_ADDRESS);
    const refund = async () => {
      await this.#addresses.reward(address);
      if (isNew) await this.#instance.reward(INSTANCE);
    };
    const prove = async () => {
      this.#known.add(address);
      await refund();
    };
    return { prove, refund };
  }
}

const OF_ADDRESS = 'too many requests from this address have no valid login: wait';
const OF_INSTANCE = 'too many requests have no valid login: wait';
