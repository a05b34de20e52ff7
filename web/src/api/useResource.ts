// Something that is read from the API when a page is entered.

import { type ReadonlySignal, signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { getJson } from './client.ts';

/** The state of a resource. */
export interface Resource<T> {
  value: ReadonlySignal<T | undefined>;
  error: ReadonlySignal<Error | undefined>;
  reload: () => void;
}

/** Reads an address, and again when it changes. Keeps the old value during the new read. */
export function useResource<T>(path: string): Resource<T> {
  const made = useMemo(() => {
    const value = signal<T | undefined>(undefined);
    const error = signal<Error | undefined>(undefined);
    let left = new AbortController();
    const reload = () => {
      left.abort();
      left = new AbortController();
      const { signal: own } = left;
      getJson<T>(path, own).then(
        (read) => {
          value.value = read;
          error.value = undefined;
        },
        (cause: Error) => {
          if (!own.aborted) error.value = cause;
        },
      );
    };
    return { value, error, reload, stop: () => left.abort() };
  }, [path]);
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
