// Reads of a session that start before the code of its page has been loaded.

import { addressedSession, firstReads } from '../../../shared/api/pages/sessionReads.ts';
import type { SessionView } from '../../../shared/api/types.ts';
import { getJson } from './client.ts';

/** The path of a session in the API. */
export const sessionPath = (sessionId: string) => `/v1/sessions/${encodeURIComponent(sessionId)}`;
const started = new Map<string, Promise<unknown>>();

/**
 * Starts to read the session that the address names. Call it once, when the page is loaded.
 * @returns the session; undefined if the address names none.
 */
export function startEarlyReads({ pathname }: { pathname: string }): Promise<SessionView> | undefined {
  const sessionId = addressedSession(pathname);
  const [session] = (sessionId === undefined ? [] : firstReads(sessionId)).map((path) => {
    const read = getJson(path);
    // The failure is thrown to the caller of `getEarly`.
    read.catch(() => {});
    started.set(path, read);
    return read;
  });
  return session as Promise<SessionView> | undefined;
}

/** The started read's response for its first caller; else that of a new read. @throws ApiError */
export function getEarly<T>(path: string): Promise<T> {
  const read = started.get(path) as Promise<T> | undefined;
  started.delete(path);
  return read ?? getJson<T>(path);
}
