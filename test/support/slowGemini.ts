// A scripted Gemini that says as much as a test lets it say, piece by piece.

import type { Sleep } from '../../packages/scripted-gemini/src/index.ts';

/** How far a Gemini may speak. */
export interface Gate {
  /** For `geminiSleep`. */
  sleep: Sleep;
  /** Lets it send so many chunks more. */
  release(chunks: number): void;
  /** Lets it send all that it has. */
  open(): void;
}

/** A gate that is shut: nothing is sent, not even the first chunk. */
export function createGate(): Gate {
  let permits = 0;
  let waiting: (() => void)[] = [];
  const wake = () => {
    const all = waiting;
    waiting = [];
    for (const one of all) one();
  };
  return {
    async sleep(_, signal) {
      const onAbort = () => wake();
      signal.addEventListener('abort', onAbort);
      while (permits === 0 && !signal.aborted) await new Promise<void>((resolve) => waiting.push(resolve));
      signal.removeEventListener('abort', onAbort);
      signal.throwIfAborted();
      permits -= 1;
    },
    release(chunks) {
      permits += chunks;
      wake();
    },
    open() {
      permits = Number.POSITIVE_INFINITY;
      wake();
    },
  };
}
