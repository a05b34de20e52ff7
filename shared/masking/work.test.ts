import { describe, expect, it } from 'vitest';
import { escapeTimes, HOSTILE, USUAL, WORDS } from '../../test/bench/maskingTexts.ts';
import { countOperations } from '../../test/support/countOperations.ts';
import { IS_LONG } from '../../test/support/fullTests.ts';
import { findBase64Secrets } from './finders/base64.ts';
import { createMasker } from './masker.ts';
import { GROUPS } from './ruleGroups.ts';
import { createScan, type Finder } from './scan/scan.ts';

const finders: Finder[] = Object.values(GROUPS).flat();
const all = [...finders, findBase64Secrets(finders)];

/** Characters that all finders look at in one pass, as they count them. */
function workOf(text: string): number {
  const scan = createScan(text);
  for (const finder of all) finder(scan);
  return scan.work();
}

const LENGTH = IS_LONG ? 20_000 : 10_000;
const TIMES = 4;

/** Texts with escapes of their own, which are compared with words that have as many levels of them. */
const isEscaped = (text: string): boolean => /%[2-7]|&quot|\\/.test(text);

describe.each([0, 1, 2])('a text that is escaped %d times', (levels) => {
  const masker = createMasker({});
  const countAt = (make: (length: number) => string, times: number): number => {
    const text = escapeTimes(make(LENGTH), times).slice(0, LENGTH);
    return countOperations(() => void masker.mask(text));
  };
  const words = [0, 1, 2, 3].map((times) => countAt(WORDS, times));

  it.each(Object.entries({ ...USUAL, ...HOSTILE }))(
    'takes at most three times the work of words: %s',
    (name, make) => {
      const compared = words[levels + (isEscaped(make(100)) ? 1 : 0)] ?? 0;
      expect(countAt(make, levels) / compared, name).toBeLessThanOrEqual(3);
    },
  );
});

describe('work', () => {
  it.each(Object.entries({ ...USUAL, ...HOSTILE }))('grows only with the length: %s', (_, text) => {
    const short = workOf(text(LENGTH));
    const long = workOf(text(LENGTH * TIMES));
    expect(long).toBeLessThanOrEqual(short * TIMES * 1.25 + LENGTH);
    expect(long / (LENGTH * TIMES)).toBeLessThan(150);
  });

  it.each(Object.entries(HOSTILE))('is never too much: %s', (_, text) => {
    expect(createMasker({}).mask(text(LENGTH)).kinds.unreadable).toBeUndefined();
  });
});
