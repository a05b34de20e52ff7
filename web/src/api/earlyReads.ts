// Reads of a session that start before the code of its page has been loaded.

import { addressedSession, FIRST_STEPS } from '../../../shared/api/pages/sessionReads.ts';
import type { SessionView } from '../../../shared/lists/apiTypes.ts';
import { api } from './client.ts';
import { readSteps } from './readSteps.ts';

/**
 * The reads of a session's page that come first, in the order of `firstReads`, which the browser preloads.
 */
const FIRST_READS = {
  view: (sessionId: string) => api.get('/v1/sessions/{sessionId}', { sessionId }),
  steps: (sessionId: string) => readSteps({ sessionId, ...FIRST_STEPS }),
  calls: (sessionId: string) => api.get('/v1/sessions/{sessionId}/interactions', { sessionId }),
};
type Reads = typeof FIRST_READS;

const started = new Map<string, Promise<unknown>>();

/**
 * Starts to read the session that the address names. Call it once, when the page is loaded.
 * @returns the session; undefined if the address names none.
 */
export function startEarlyReads({ pathname }: { pathname: string }): Promise<SessionView> | undefined {
  const sessionId = addressedSession(pathname);
  if (sessionId === undefined) return undefined;
  for (const [name, read] of Object.entries(FIRST_READS)) {
    const reading = read(sessionId);
    // The failure is thrown to the caller of `readEarly`.
    reading.catch(() => {});
    started.set(`${name} ${sessionId}`, reading);
  }
  return started.get(`view ${sessionId}`) as Promise<SessionView>;
}

/** The started read's answer for its first caller; else that of a new read. @throws ApiError */
export function readEarly<K extends keyof Reads>(name: K, sessionId: string): ReturnType<Reads[K]> {
  const key = `${name} ${sessionId}`;
  const reading = started.get(key) ?? FIRST_READS[name](sessionId);
  started.delete(key);
  return reading as ReturnType<Reads[K]>;
}
