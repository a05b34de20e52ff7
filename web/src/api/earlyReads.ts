// Reads of a session that start before the code of its page has been loaded.

import { getJson } from './client.ts';

/** Bytes of a result that are read with its row: a few lines. The rest is read when the row is unfolded. */
export const RESULT_BYTES = 600;
/** Events of the first page, so that it comes soon. */
const FIRST_EVENTS = 100;

/** The path of a session in the API. */
export const sessionPath = (sessionId: string) => `/v1/sessions/${encodeURIComponent(sessionId)}`;
/** The first page of its steps. */
export const firstStepsPath = (path: string) =>
  `${path}/timeline?resultBytes=${RESULT_BYTES}&limit=${FIRST_EVENTS}`;
/** The first page of its model calls. */
export const callsPath = (path: string) => `${path}/interactions`;

const started = new Map<string, Promise<unknown>>();

/** Starts to read the session that the address names, if it names one. Call it once, when the page is loaded. */
export function startEarlyReads({ pathname }: { pathname: string }): void {
  const sessionId = /^\/s\/([^/]+)(?:\/ask)?$/.exec(pathname)?.[1];
  if (sessionId === undefined) return;
  const path = `/v1/sessions/${sessionId}`;
  for (const one of [path, firstStepsPath(path), callsPath(path)]) {
    const read = getJson(one);
    // The failure is thrown to the caller of `getEarly`.
    read.catch(() => {});
    started.set(one, read);
  }
}

/** The response of a read that was started, for its first caller; for others, and of other paths, that of a new read. @throws ApiError */
export function getEarly<T>(path: string): Promise<T> {
  const read = started.get(path) as Promise<T> | undefined;
  started.delete(path);
  return read ?? getJson<T>(path);
}
