// Something that is read from the API when a page is entered.

import { type ReadonlySignal, signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';

/** The state of a resource. */
export interface Resource<T> {
  value: ReadonlySignal<T | undefined>;
  error: ReadonlySignal<Error | undefined>;
  reload: () => void;
}

/**
 * Reads, and again when a key changes; then the value is undefined until it is read. Keeps the old value
 * during a reload.
 * @param read its signal aborts when the answer is no longer wanted.
 * @param keys the values that `read` depends on.
 */
export function useResource<T>(
  read: (left: AbortSignal) => Promise<T>,
  keys: readonly unknown[] = [],
): Resource<T> {
  const made = useMemo(() => {
    const value = signal<T | undefined>(undefined);
    const error = signal<Error | undefined>(undefined);
    let left = new AbortController();
    const reload = () => {
      left.abort();
      left = new AbortController();
      const { signal: own } = left;
      read(own).then(
        (answer) => {
          value.value = answer;
          error.value = undefined;
        },
        (cause: Error) => {
          if (!own.aborted) error.value = cause;
        },
      );
    };
    return { value, error, reload, stop: () => left.abort() };
  }, keys);
  useEffect(() => {
    made.reload();
    return made.stop;
  }, [made]);
  return made;
}

/** Reads a resource again when its page becomes visible. @returns stops that. */
export function reloadWhenVisible({ reload }: Resource<unknown>): () => void {
  const onVisible = () => {
    if (!document.hidden) reload();
  };
  document.addEventListener('visibilitychange', onVisible);
  return () => document.removeEventListener('visibilitychange', onVisible);
}
