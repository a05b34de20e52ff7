// The maskers of sessions: one for each, with the session's own key.

import type { Masked, Masker, MaskerFor } from '../core/contract/guard.ts';
import type { LearnedSecrets } from './learnedSecrets.ts';
import { createMasker, DEFAULT_MASKING, type MaskingRules, prepareSecrets } from './masker.ts';
import { maskInThread } from './maskingThread.ts';

/** Maximum number of kept maskers; a process works on few sessions at a time. */
const MAX_KEPT = 100;

/** Characters of tool results that a process masks in its own thread at the same time. */
const MASKED_AT_ONCE = 2 * 1024 * 1024;
/** Texts up to this length are masked without interruption. */
const SHORT_TEXT = 64 * 1024;
/** Longer texts are masked in another thread, one at a time. For shorter ones its start takes too long. */
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

interface KeptMasker {
  /** Knows the secrets that the process knows now. */
  current: Masker;
  /** Calls the current masker. The same object for a session until secrets are learned: a cache key. */
  given: Masker;
}

/** Keeps the maskers of the latest sessions. The known secrets are prepared once for all of them. */
export function createMaskers({
  known = [],
  learned,
  rules = DEFAULT_MASKING,
  inThread = maskInThread,
}: MaskersOptions): MaskerFor {
  const kept = new Map<string, KeptMasker>();
  const concurrency = createConcurrencyLimit(MASKED_AT_ONCE);
  const threadGate = createConcurrencyLimit(1);
  let learnedBefore = learned?.list();
  let prepared = prepareSecrets(known, rules, learnedBefore);

  function keptMasker(key: string): KeptMasker {
    const learnedNow = learned?.list();
    if (learnedNow !== learnedBefore) {
      learnedBefore = learnedNow;
      prepared = prepareSecrets(known, rules, learnedNow);
      kept.clear();
    }
    const found = kept.get(key) ?? makeMasker(key);
    kept.delete(key);
    kept.set(key, found);
    const [oldest] = kept.keys();
    if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest);
    return found;
  }

  const currentMasker = (key: string): Masker => keptMasker(key).current;

  async function maskLong(key: string, text: string): Promise<Masked> {
    const setup = { known, learned: learned?.list() ?? [], rules, sessionKey: key };
    const masked = await inThread(text, setup).catch(() => currentMasker(key).maskGradually(text));
    if (masked !== 'too large') return masked;
    return { text: currentMasker(key).markOf(text, 'unreadable'), count: 1, kinds: { unreadable: 1 } };
  }

  function makeMasker(key: string): KeptMasker {
    const current = createMasker({ prepared, rules, sessionKey: key });
    const given: Masker = {
      canary: current.canary,
      mask: (text) => currentMasker(key).mask(text),
      async maskGradually(text) {
        if (text.length <= SHORT_TEXT) return currentMasker(key).mask(text);
        return text.length <= LONGEST_HERE
          ? concurrency.run(text.length, () => currentMasker(key).maskGradually(text))
          : threadGate.run(1, () => maskLong(key, text));
      },
      wouldChange: (text) => currentMasker(key).wouldChange(text),
      findLeak: (text) => currentMasker(key).findLeak(text),
      hasSplitLeak: (earlier, texts) => currentMasker(key).hasSplitLeak(earlier, texts),
      markOf: (text, kind) => currentMasker(key).markOf(text, kind),
      maskJson: (value) => currentMasker(key).maskJson(value),
      async maskJsonGradually(value, length) {
        if (length <= SHORT_TEXT) return currentMasker(key).maskJson(value);
        return concurrency.run(length, () => currentMasker(key).maskJsonGradually(value, length));
      },
    };
    return { current, given };
  }

  return (key) => keptMasker(key).given;
}

/** Lets work run while the sizes of all that runs stay within a limit. */
interface ConcurrencyLimit {
  /** Runs `work` as soon as there is room for `size`. Work that is larger than the limit runs on its own. */
  run<T>(size: number, work: () => Promise<T>): Promise<T>;
}

/** Limits work to sizes up to `limit` at the same time. Waiting work starts in the order in which it came. */
export function createConcurrencyLimit(limit: number): ConcurrencyLimit {
  const waiting: { size: number; start: () => void }[] = [];
  let running = 0;
  const hasRoom = (size: number): boolean => running === 0 || running + size <= limit;
  const startWaiting = (): void => {
    for (let next = waiting[0]; next !== undefined && hasRoom(next.size); next = waiting[0]) {
      waiting.shift();
      running += next.size;
      next.start();
    }
  };
  return {
    async run(size, work) {
      await new Promise<void>((resolve) => {
        waiting.push({ size, start: resolve });
        startWaiting();
      });
      try {
        return await work();
      } finally {
        running -= size;
        startWaiting();
      }
    },
  };
}
