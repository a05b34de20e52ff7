// Remembers texts for a limited time, in bounded memory.

/** A set whose entries expire. Above `max` entries, the oldest one leaves earlier. */
export class ExpiringSet {
  readonly #expiry = new Map<string, number>();
  readonly #options: { max: number; ms: number; now: () => Date };

  /** @param options.ms milliseconds for which an entry stays. */
  constructor(options: { max: number; ms: number; now: () => Date }) {
    this.#options = options;
  }

  has(key: string): boolean {
    const expiry = this.#expiry.get(key);
    return expiry !== undefined && expiry > this.#options.now().getTime();
  }

  add(key: string): void {
    const { max, ms, now } = this.#options;
    // An entry that is added again becomes the newest.
    this.#expiry.delete(key);
    this.#expiry.set(key, now().getTime() + ms);
    const [oldest] = this.#expiry.keys();
    if (this.#expiry.size > max && oldest !== undefined) this.#expiry.delete(oldest);
  }

  delete(key: string): void {
    this.#expiry.delete(key);
  }
}
