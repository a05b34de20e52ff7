// Work that several callers wait for: an abort of one is not felt by the others.

/** Work under way. */
export interface SharedWork<T> {
  /**
   * Waits for the outcome. When the last of those who wait has aborted, the work is aborted, and this ends
   * after it.
   * @throws the error of the work; the signal's reason on abort.
   */
  join(signal: AbortSignal): Promise<T>;
  /** Resolves when the work has ended. Never rejects. */
  readonly ended: Promise<void>;
}

/**
 * Starts the work. The caller joins at once: work that was never joined is never aborted.
 * @param onEnd called when the work has ended or is about to be aborted; no joins are possible afterwards.
 * Can be called twice.
 */
export function shareWork<T>(work: (signal: AbortSignal) => Promise<T>, onEnd: () => void): SharedWork<T> {
  const abort = new AbortController();
  let waiting = 0;
  const outcome = work(abort.signal).finally(onEnd);
  const ended = outcome.then(
    () => {},
    () => {},
  );

  return {
    ended,
    async join(signal) {
      signal.throwIfAborted();
      waiting++;
      const { promise: aborted, reject } = Promise.withResolvers<never>();
      const onAbort = () => reject(signal.reason);
      signal.addEventListener('abort', onAbort, { once: true });
      try {
        return await Promise.race([outcome, aborted]);
      } finally {
        signal.removeEventListener('abort', onAbort);
        waiting--;
        if (waiting === 0 && signal.aborted) {
          onEnd();
          abort.abort(signal.reason);
          await ended;
        }
      }
    },
  };
}
