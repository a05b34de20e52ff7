// Limits how many streams are open at once: each holds a connection, a watch of the store and memory.

import { Problem } from '../http/problem.ts';
import { type Caller, callerIdentity } from '../http/route.ts';
import type { ApiLimits } from './apiLimits.ts';

/** Seconds of `Retry-After`: readers disconnect often. */
const RETRY_SECONDS = 10;

/** The streams of one instance. */
export class OpenStreams {
  readonly #limits;
  readonly #byCaller = new Map<string, number>();
  #count = 0;

  constructor(limits: Pick<ApiLimits, 'streamsPerCaller' | 'streamsPerInstance'>) {
    this.#limits = limits;
  }

  /**
   * Takes a slot for a stream.
   * @returns a function that releases the slot; repeated calls have no effect.
   * @throws Problem `RATE_LIMITED` when the caller, or all callers together, have no slot left.
   */
  open(caller: Caller): () => void {
    const { streamsPerCaller, streamsPerInstance } = this.#limits;
    const identity = callerIdentity(caller);
    const own = this.#byCaller.get(identity) ?? 0;
    if (own >= streamsPerCaller)
      throw full(`you have ${own} open streams, the maximum: close one (streamsPerCaller in access.yaml)`);
    if (this.#count >= streamsPerInstance)
      throw full(
        `this instance has ${this.#count} open streams, the maximum: try again later (streamsPerInstance in access.yaml)`,
      );
    this.#byCaller.set(identity, own + 1);
    this.#count += 1;
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      this.#count -= 1;
      const left = (this.#byCaller.get(identity) ?? 1) - 1;
      if (left === 0) this.#byCaller.delete(identity);
      else this.#byCaller.set(identity, left);
    };
  }
}

const full = (detail: string) => new Problem('RATE_LIMITED', detail, { retryAfter: RETRY_SECONDS });

/** Wraps a response so that `release` is called when its body was sent, failed, or lost its reader. */
export function whenSent(response: Response, release: () => void): Response {
  if (response.body === null) {
    release();
    return response;
  }
  // A variable, because the types of browsers do not know `cancel`.
  const transformer = { flush: release, cancel: release };
  const body = response.body.pipeThrough(new TransformStream(transformer));
  return new Response(body, response);
}
