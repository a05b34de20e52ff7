import { describe, expect, it } from 'vitest';
import { HOSTILE, USUAL } from '../../test/bench/maskingTexts.ts';
import { IS_LONG } from '../../test/support/fullTests.ts';
import { findEncoded } from './finders/encoded.ts';
import { GROUPS } from './groups.ts';
import { createMasker } from './masker.ts';
import { createScan, type Finder } from './scan/scan.ts';

const finders: Finder[] = Object.values(GROUPS).flat();
const all = [...finders, findEncoded(finders)];

/** Characters that all finders look at in one pass, as they count them. */
function workOf(text: string): number {
  const scan = createScan(text);
  for (const finder of all) finder(scan);
  return scan.work();
}

const LENGTH = IS_LONG ? 20_000 : 10_000;
const TIMES = 4;

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
