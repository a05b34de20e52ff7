// Limits requests by the address that they come from, before anything else of them is looked at: requests that prove no caller,
// and webhooks.

import type { ApiLimits } from './apiLimits.ts';
import { countRequest, perMinute, tooMany } from './countRequest.ts';
import { RecentKeys } from './recentKeys.ts';

/** All addresses together that proved no caller, as a multiple of the limit of one. */
const INSTANCE_FACTOR = 10;
const INSTANCE = 'instance';
/** Addresses of callers are remembered for as long, so that a flood from elsewhere does not keep them out. */
const KNOWN_MS = 10 * 60_000;
const MAX_KNOWN = 10_000;

/** A request that was let in. */
export interface Entry {
  /** Takes the request off the counts, because it proved its caller. */
  prove(): Promise<void>;
  /** The same for a request that was refused because of its caller's rate. */
  refund(): Promise<void>;
}

/** The limits by address of one instance. */
export class AddressGate {
  readonly #addresses;
  readonly #instance;
  readonly #webhooks;
  readonly #known: RecentKeys;

  constructor({
    unauthenticatedPerMinute,
    webhooksPerMinute,
  }: Pick<ApiLimits, 'unauthenticatedPerMinute' | 'webhooksPerMinute'>) {
    this.#addresses = perMinute(unauthenticatedPerMinute);
    this.#instance = perMinute(INSTANCE_FACTOR * unauthenticatedPerMinute);
    this.#webhooks = perMinute(webhooksPerMinute);
    this.#known = new RecentKeys({ max: MAX_KNOWN, ms: KNOWN_MS, now: () => new Date() });
  }

  /** Counts a request until it proves its caller. @throws Problem `RATE_LIMITED`. */
  async enter(address: string, { isWebhook }: { isWebhook: boolean }): Promise<Entry> {
    // An address above its limit does not use up the limit of all others.
    const counted = await this.#addresses.get(address);
    if (counted !== null && counted.remainingPoints <= 0) throw tooMany(OF_ADDRESS, counted.msBeforeNext);
    // The limit for all callers bounds the number of counted addresses, each of which uses memory.
    const isNew = !this.#known.has(address);
    if (isNew) await countRequest(this.#instance, INSTANCE, OF_INSTANCE);
    await countRequest(this.#addresses, address, OF_ADDRESS);
    if (isWebhook) await countRequest(this.#webhooks, address, OF_WEBHOOKS);
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

const OF_ADDRESS = 'too many requests from this address prove no caller: wait';
const OF_INSTANCE = 'too many requests prove no caller: wait';
const OF_WEBHOOKS =
  'too many webhooks from this address in a minute: wait, or raise webhooksPerMinute in access.yaml';
