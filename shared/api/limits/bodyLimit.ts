// Reads bodies of requests within limits: bytes of one body, bytes of all bodies in memory, and time.

import type { Clock } from '../../core/kernel/deps.ts';
import { secondsText } from '../../text/amounts.ts';
import { Problem } from '../http/problem.ts';

/** Maximum bytes of a body: the limit of an alert, plus its JSON. */
const MAX_BODY_BYTES = 1_100_000;
/** Seconds of `Retry-After` for a body that had no room. */
const RETRY_SECONDS = 5;

/** A body that is being read. */
interface Reading {
  /** Bytes that have arrived. */
  bytes: number;
  /** Ends the reading with a problem. */
  stop(problem: Problem): void;
}

/** A body in memory. */
export interface HeldBody {
  /** The body as received. */
  bytes: Buffer;
  /** Stops counting the body as in memory. */
  release(): void;
}

/** The bodies that an instance has in memory. */
export class Bodies {
  readonly #limits: { bodyMs: number; bodyBytes: number };
  readonly #deps: { clock: Pick<Clock, 'after'> };
  /** Oldest first. */
  readonly #readings = new Set<Reading>();
  /** Bytes of all bodies that are being read, or were read and are not released. */
  #bytes = 0;

  constructor(limits: { bodyMs: number; bodyBytes: number }, deps: { clock: Pick<Clock, 'after'> }) {
    this.#limits = limits;
    this.#deps = deps;
  }

  /**
   * Reads a body. When all bodies have too many bytes, the oldest one that is being read is aborted: a body
   * that is sent at a usual speed is complete before it is the oldest, however many slow ones there are.
   * @throws Problem `ENCODING_UNSUPPORTED`, `REQUEST_TOO_LARGE`, `REQUEST_TOO_SLOW`; `API_BUSY` for an
   *   aborted body; `REQUEST_INVALID` for a body that ends early.
   */
  async read(request: Request): Promise<HeldBody> {
    refuseEncoding(request.headers.get('content-encoding'));
    if (Number(request.headers.get('content-length') ?? 0) > MAX_BODY_BYTES) throw tooLarge();
    if (request.body === null) return { bytes: Buffer.alloc(0), release: () => {} };
    const reader = request.body.getReader() as ReadableStreamDefaultReader<Uint8Array>;
    const stopped = Promise.withResolvers<never>();
    // Without a handler, a rejection after the reading ended would fail the process.
    stopped.promise.catch(() => {});
    const reading: Reading = { bytes: 0, stop: stopped.reject };
    const { bodyMs } = this.#limits;
    const cancelTimer = this.#deps.clock.after(bodyMs, () => stopped.reject(tooSlow(bodyMs)));
    this.#readings.add(reading);
    try {
      const pieces: Uint8Array[] = [];
      for (;;) {
        const { done, value } = await Promise.race([stopped.promise, reader.read()]);
        if (done) break;
        this.#add(reading, value.byteLength);
        pieces.push(value);
      }
      const bytes = Buffer.concat(pieces);
      return { bytes, release: () => this.#forget(reading) };
    } catch (error) {
      this.#forget(reading);
      void reader.cancel().catch(() => {});
      throw error instanceof Problem
        ? error
        : new Problem('REQUEST_INVALID', 'body: ended early; send it again');
    } finally {
      this.#readings.delete(reading);
      cancelTimer();
    }
  }

  #add(reading: Reading, bytes: number): void {
    reading.bytes += bytes;
    this.#bytes += bytes;
    if (reading.bytes > MAX_BODY_BYTES) throw tooLarge();
    for (const oldest of this.#readings) {
      if (this.#bytes <= this.#limits.bodyBytes) return;
      if (oldest === reading) throw busy();
      this.#forget(oldest);
      oldest.stop(busy());
    }
  }

  #forget(reading: Reading): void {
    this.#readings.delete(reading);
    this.#bytes -= reading.bytes;
    reading.bytes = 0;
  }
}

/** Bodies are read as they arrive: a small compressed one can grow, and signatures cover sent bytes. */
function refuseEncoding(encoding: string | null): void {
  if (encoding === null || /^\s*(?:identity)?\s*$/i.test(encoding)) return;
  throw new Problem(
    'ENCODING_UNSUPPORTED',
    'header Content-Encoding: only identity is accepted; send the body uncompressed',
  );
}

const tooLarge = () => new Problem('REQUEST_TOO_LARGE', `the body is larger than ${MAX_BODY_BYTES} bytes`);
const tooSlow = (ms: number) =>
  new Problem(
    'REQUEST_TOO_SLOW',
    `the body did not arrive within ${secondsText(ms)}: send the request again`,
  );
const busy = () =>
  new Problem('API_BUSY', 'too many bodies are being received: send the request again', {
    retryAfter: RETRY_SECONDS,
  });
