// The maskers of sessions: one for each, with the session's own key.

import { canaryOf } from '../masking/canary.ts';
import { createGate } from '../masking/gate.ts';
import type { LearnedSecrets } from '../masking/learnedSecrets.ts';
import {
  createMasker,
  DEFAULT_MASKING,
  type Masker,
  type MaskingRules,
  prepareSecrets,
} from '../masking/masker.ts';

/** Makes the masker of a session from its `maskKey`. */
export type MaskerFor = (key: string) => Masker;

/** A process works on few sessions at a time. */
const MAX_KEPT = 100;

/** Characters of tool results that a process masks at the same time. One of them takes some ten times its size. */
const MASKED_AT_ONCE = 4 * 1024 * 1024;
/** Shorter texts are masked at once. */
const SHORT_TEXT = 64 * 1024;

/** What is masked. */
export interface MaskersOptions {
  /** Secrets that this process was given. Default: none. */
  known?: readonly string[];
  /** Secrets that it comes to know. Maskers that were made before know them, too. */
  learned?: LearnedSecrets;
  /** Default: all groups. */
  rules?: MaskingRules;
}

/** Keeps the maskers of the latest sessions. What is known beforehand is prepared once for all of them. */
export function createMaskers({ known = [], learned, rules = DEFAULT_MASKING }: MaskersOptions): MaskerFor {
  const kept = new Map<string, Masker>();
  const gate = createGate(MASKED_AT_ONCE);
  let learnedBefore = learned?.list();
  let prepared = prepareSecrets(known, rules, learnedBefore);

  function current(key: string): Masker {
    const learnedNow = learned?.list();
    if (learnedNow !== learnedBefore) {
      learnedBefore = learnedNow;
      prepared = prepareSecrets(known, rules, learnedNow);
      kept.clear();
    }
    const masker = kept.get(key) ?? createMasker({ prepared, rules, sessionKey: key });
    kept.delete(key);
    kept.set(key, masker);
    const [oldest] = kept.keys();
    if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest);
    return masker;
  }

  return (key) => ({
    canary: canaryOf(key),
    mask: (text) => current(key).mask(text),
    maskGradually: async (text) =>
      text.length <= SHORT_TEXT
        ? current(key).mask(text)
        : gate.run(text.length, () => current(key).maskGradually(text)),
    wouldChange: (text) => current(key).wouldChange(text),
    taint: (text) => current(key).taint(text),
    taintTogether: (earlier, texts) => current(key).taintTogether(earlier, texts),
    markOf: (text, kind) => current(key).markOf(text, kind),
    maskJson: (value) => current(key).maskJson(value),
  });
}
