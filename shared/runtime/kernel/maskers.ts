// The maskers of sessions: one for each, with the session's own key.

import { canaryOf } from '../../masking/canary.ts';
import { createGate } from '../../masking/gate.ts';
import type { LearnedSecrets } from '../../masking/learnedSecrets.ts';
import {
  createMasker,
  DEFAULT_MASKING,
  type Masked,
  type Masker,
  type MaskingRules,
  prepareSecrets,
} from '../../masking/masker.ts';
import { maskInThread } from './maskingThread.ts';

/** Makes the masker of a session from its `maskKey`. */
export type MaskerFor = (key: string) => Masker;

/** Maximum number of kept maskers; a process works on few sessions at a time. */
const MAX_KEPT = 100;

/** Characters of tool results that a process masks in its own thread at the same time. */
const MASKED_AT_ONCE = 2 * 1024 * 1024;
/** Texts up to this length are masked without interruption. */
const SHORT_TEXT = 64 * 1024;
/** Longer texts are masked in another thread, one at a time. For shorter ones, its start would take too long. */
const LONGEST_HERE = 1024 * 1024;

/** The secrets and rules of the maskers. */
export interface MaskersOptions {
  /** Secrets that this process was given. Default: none. */
  known?: readonly string[];
  /** Secrets that the process learns later. They also apply to existing maskers. */
  learned?: LearnedSecrets;
  /** Default: all groups. */
  rules?: MaskingRules;
  /** Masks a long text. Default: in a thread of its own. */
  inThread?: typeof maskInThread;
}

/** Keeps the maskers of the latest sessions. The known secrets are prepared once for all of them. */
export function createMaskers({
  known = [],
  learned,
  rules = DEFAULT_MASKING,
  inThread = maskInThread,
}: MaskersOptions): MaskerFor {
  const kept = new Map<string, Masker>();
  const gate = createGate(MASKED_AT_ONCE);
  const threadGate = createGate(1);
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

  async function maskLong(key: string, text: string): Promise<Masked> {
    const setup = { known, learned: learned?.list() ?? [], rules, sessionKey: key };
    const masked = await inThread(text, setup).catch(() => current(key).maskGradually(text));
    if (masked !== 'too large') return masked;
    return { text: current(key).markOf(text, 'unreadable'), count: 1, kinds: { unreadable: 1 } };
  }

  return (key) => ({
    canary: canaryOf(key),
    mask: (text) => current(key).mask(text),
    async maskGradually(text) {
      if (text.length <= SHORT_TEXT) return current(key).mask(text);
      return text.length <= LONGEST_HERE
        ? gate.run(text.length, () => current(key).maskGradually(text))
        : threadGate.run(1, () => maskLong(key, text));
    },
    wouldChange: (text) => current(key).wouldChange(text),
    taint: (text) => current(key).taint(text),
    taintTogether: (earlier, texts) => current(key).taintTogether(earlier, texts),
    markOf: (text, kind) => current(key).markOf(text, kind),
    maskJson: (value) => current(key).maskJson(value),
  });
}
