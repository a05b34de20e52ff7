// Hands what is pushed to one reader, in order.

/** New items that wait for a reader. One that is further behind is let go, and may come again. */
const MAX_WAITING = 5_000;

/** That a reader was let go. */
export class ReaderTooSlow extends Error {}

/** What is pushed comes out in order; the reading ends when all is read and `end` was called, or the signal aborts. */
export class PushQueue<T> {
  #waiting: T[] = [];
  /** Those at the beginning of `#waiting` that were read. */
  #taken = 0;
  readonly #signal: AbortSignal;
  readonly #onOverrun: () => void;
  #wake = () => {};
  #isEnded = false;
  #error: { cause: unknown } | undefined;
  #isOverrun = false;
  #mayWait = Number.POSITIVE_INFINITY;

  /** @param onOverrun called once, when the reader is too far behind: nothing more is taken then, and nothing is kept. */
  constructor(signal: AbortSignal, onOverrun: () => void) {
    this.#signal = signal;
    this.#onOverrun = onOverrun;
  }

  push(items: Iterable<T>): void {
    if (this.#isOverrun) return;
    for (const item of items) this.#waiting.push(item);
    if (this.#count > this.#mayWait) this.#overrun();
    this.#wake();
  }

  /** From now on only so many may wait beside those that do: what there was at first is not the reader's fault. */
  limit(): void {
    if (this.#mayWait === Number.POSITIVE_INFINITY) this.#mayWait = MAX_WAITING + this.#count;
  }

  /** A reader that has stopped reading may never come back to be told, so that what waits for it goes at once. */
  #overrun(): void {
    this.#isOverrun = true;
    this.#forget(this.#waiting.length);
    this.fail(new ReaderTooSlow('the reader is too far behind; it may come again'));
    this.#onOverrun();
  }

  get #count(): number {
    return this.#waiting.length - this.#taken;
  }

  /** What was read is dropped once it is half of all: to shift one after the other takes the square of their number. */
  #take(): T {
    const item = this.#waiting[this.#taken++] as T;
    if (2 * this.#taken >= this.#waiting.length) this.#forget(this.#taken);
    return item;
  }

  #forget(count: number): void {
    this.#waiting = this.#waiting.slice(count);
    this.#taken = 0;
  }

  end(): void {
    this.#isEnded = true;
    this.#wake();
  }

  /** Has the reader get this error, behind what waits. */
  fail(error: unknown): void {
    this.#error ??= { cause: error };
    this.#wake();
  }

  /** @throws the error of `fail`; ReaderTooSlow. */
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
