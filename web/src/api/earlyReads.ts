// Reads of a session that start before the code of its page has been loaded.

import { addressedSession, firstReads } from '../../../shared/api/pages/sessionReads.ts';
import { getJson } from './client.ts';

/** The path of a session in the API. */
export const sessionPath = (sessionId: string) => `/v1/sessions/${encodeURIComponent(sessionId)}`;
const started = new Map<string, Promise<unknown>>();

/** Starts to read the session that the address names, if it names one. Call it once, when the page is loaded. */
export function startEarlyReads({ pathname }: { pathname: string }): void {
  const sessionId = addressedSession(pathname);
  for (const one of sessionId === undefined ? [] : firstReads(sessionId)) {
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
