// Follows the streamed output of a session's models, and marks the session as watched meanwhile.

import { errorMessage } from '../../core/errors.ts';
import type { StateDeps } from '../../core/kernel/deps.ts';
import type { LiveChange, LiveSource } from '../../kits/live/liveSource.ts';
import { type LiveText, liveTextType } from '../../kits/live/liveText.ts';
import { RENEW_WATCH_MS, renewWatch } from '../../kits/live/renewWatch.ts';
import { watchReadable } from '../../kits/views/readable.ts';

/** The dependencies of live texts. */
export interface LiveDeps extends Pick<StateDeps, 'store' | 'clock' | 'log'> {
  /** Live texts that no function writes. Absent: there are none. */
  liveSource?: LiveSource | undefined;
}

/** Milliseconds between checks whether each text is still renewed. */
const CHECK_EVERY_MS = 5_000;

/**
 * Follows the live texts of a session, and keeps the session watched, until the returned function is called.
 * A failure is logged and stops only the live output.
 */
export function followLive(
  sessionId: string,
  onChange: (change: LiveChange) => void,
  { store, clock, log, liveSource }: LiveDeps,
): () => void {
  const shown = new Map<string, LiveText>();
  const warn = (error: unknown) => log.warn({ sessionId }, `live text is not shown: ${errorMessage(error)}`);
  const end = (executionId: string): void => {
    const live = shown.get(executionId);
    if (live !== undefined && shown.delete(executionId)) onChange({ live, ended: true });
  };
  const endStale = (): void => {
    // A text that is not renewed belongs to a process that died.
    for (const [id, { freshUntil }] of shown) if (freshUntil <= clock.now()) end(id);
  };
  const renew = (): void => {
    renewWatch(sessionId, { store, clock }).catch(warn);
  };
  const stops = [
    watchReadable(
      { collection: liveTextType.paths.allLive(sessionId) },
      liveTextType,
      {
        onDocuments(documents) {
          for (const { id, value } of documents) {
            if (value.freshUntil <= clock.now()) end(id);
            else {
              shown.set(id, value);
              onChange({ live: value, ended: false });
            }
          }
        },
        onUnreadable: ({ message }) => log.warn({ sessionId }, `a live text is not shown: ${message}`),
        onError: warn,
        onDeleted(ids) {
          for (const id of ids) end(id);
        },
      },
      store,
    ),
    clock.every(CHECK_EVERY_MS, endStale),
    clock.every(RENEW_WATCH_MS, renew),
    ...(liveSource === undefined ? [] : [liveSource(sessionId, onChange, { store, clock, log })]),
  ];
  renew();
  return () => {
    for (const stop of stops) stop();
  };
}

/** The latest output of each execution, for a reader that can be slow. */
export class LatestOutput {
  readonly #latest = new Map<string, LiveChange>();
  readonly #unread = new Set<string>();

  /** Stores the latest output. Returns false if the previous output of the execution is still unread. */
  take(change: LiveChange): boolean {
    const { executionId } = change.live;
    const isNews = !this.#unread.has(executionId);
    this.#latest.set(executionId, change);
    this.#unread.add(executionId);
    return isNews;
  }

  /** The latest of an execution, if there is any. */
  read(executionId: string): LiveChange[] {
    this.#unread.delete(executionId);
    const change = this.#latest.get(executionId);
    if (change?.ended === true) this.#latest.delete(executionId);
    return change === undefined ? [] : [change];
  }

  /** An end for each output whose end the reader has not seen. */
  ends(): LiveChange[] {
    return [...this.#latest.values()].map(({ live }) => ({ live, ended: true }));
  }
}
