// Limits how many streams are open at the same time: each holds a connection, a watch of the store and memory.

import { Problem } from '../problem.ts';
import { type Caller, callerIdentity } from '../route.ts';
import type { ApiLimits } from './apiLimits.ts';

/** Seconds after which a place can be free: readers come and go within moments. */
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
   * Takes a place for a stream.
   * @returns a function that releases the slot; repeated calls have no effect.
   * @throws Problem `RATE_LIMITED` when the caller or all callers have none left.
   */
  open(caller: Caller): () => void {
    const { streamsPerCaller, streamsPerInstance } = this.#limits;
    const identity = callerIdentity(caller);
    const own = this.#byCaller.get(identity) ?? 0;
    if (own >= streamsPerCaller)
      throw full(
        `you have ${own} streams open, and can have no more: close one (streamsPerCaller in access.yaml)`,
      );
    if (this.#count >= streamsPerInstance)
      throw full(
        `${this.#count} streams are open, and no more are possible here (streamsPerInstance in access.yaml)`,
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

const full = (detail: string) => new Problem('RATE_LIMITED', detail, [], RETRY_SECONDS);

/** The response, with `release` called once its body was sent, failed or is not read any more. */
export function whenSent(response: Response, release: () => void): Response {
  if (response.body === null) {
    release();
    return response;
  }
  const body = response.body.pipeThrough(new TransformStream({ flush: release, cancel: release }));
  return new Response(body, response);
}
