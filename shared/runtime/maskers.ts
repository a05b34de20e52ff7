// The maskers of sessions: one for each, with the session's own key.

import { createMasker, type Masker, type MaskerOptions } from '../masking/masker.ts';

/** Makes the masker of a session from its `maskKey`. */
export type MaskerFor = (key: string) => Masker;

/** A process works on few sessions at a time. */
const MAX_KEPT = 100;

/** Keeps the maskers of the latest sessions: what is known beforehand is prepared for each. */
export function createMaskers(options: Omit<MaskerOptions, 'sessionKey'>): MaskerFor {
  const kept = new Map<string, Masker>();
  return (key) => {
    const masker = kept.get(key) ?? createMasker({ ...options, sessionKey: key });
    kept.delete(key);
    kept.set(key, masker);
    const [oldest] = kept.keys();
    if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest);
    return masker;
  };
}
