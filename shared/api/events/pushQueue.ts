// A queue of pushed items for one reader, in order.

/** Maximum new items in the queue. A slower reader is disconnected, and can connect again. */
const MAX_QUEUED = 5_000;

/** A reader was disconnected because it read too slowly. */
export class ReaderTooSlow extends Error {}

/** Gives items to one reader in order. Reading ends after `end` when all is read, or on abort. */
export class PushQueue<T> {
  #items: T[] = [];
  /** Number of items at the start of `#items` that were read. */
  #read = 0;
  readonly #signal: AbortSignal;
  readonly #onOverrun: () => void;
  #wake = () => {};
  #isEnded = false;
  #error: { cause: unknown } | undefined;
  #isOverrun = false;
  #maxQueued = Number.POSITIVE_INFINITY;

  /** @param onOverrun called once when the reader is too slow. Then the queue drops all items. */
  constructor(signal: AbortSignal, onOverrun: () => void) {
    this.#signal = signal;
    this.#onOverrun = onOverrun;
  }

  /** Appends items for the reader. */
  push(items: Iterable<T>): void {
    if (this.#isOverrun) return;
    for (const item of items) this.#items.push(item);
    if (this.#count > this.#maxQueued) this.#overrun();
    this.#wake();
  }

  /** Limits the queue to 5,000 further items: a long first result does not make a reader slow. */
  limit(): void {
    if (this.#maxQueued === Number.POSITIVE_INFINITY) this.#maxQueued = MAX_QUEUED + this.#count;
  }

  /** A reader can stop for ever, so its items are dropped at once and not when it reads the error. */
  #overrun(): void {
    this.#isOverrun = true;
    this.#forget(this.#items.length);
    this.fail(new ReaderTooSlow('the reader is too far behind; connect again'));
    this.#onOverrun();
  }

  get #count(): number {
    return this.#items.length - this.#read;
  }

  /** Read items are dropped once they are half of all. Dropping them one by one would take quadratic time. */
  #take(): T {
    const item = this.#items[this.#read++] as T;
    if (2 * this.#read >= this.#items.length) this.#forget(this.#read);
    return item;
  }

  #forget(count: number): void {
    this.#items = this.#items.slice(count);
    this.#read = 0;
  }

  /** Ends the reading after the queued items. */
  end(): void {
    this.#isEnded = true;
    this.#wake();
  }

  /** Makes the reader throw this error after the queued items. */
  fail(error: unknown): void {
    this.#error ??= { cause: error };
    this.#wake();
  }

  /** Reads the items as they arrive. @throws the error of `fail`; ReaderTooSlow. */
  async *read(): AsyncGenerator<T, void> {
    const onAbort = () => this.#wake();
    this.#signal.addEventListener('abort', onAbort);
    try {
      for (;;) {
        if (this.#signal.aborted) return;
        if (this.#count > 0) yield this.#take();
        else if (this.#error !== undefined) throw this.#error.cause;
        else if (this.#isEnded) return;
        else
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
      }
    } finally {
      this.#signal.removeEventListener('abort', onAbort);
    }
  }
}
