// How long masking takes: processor milliseconds for a megabyte of usual logs and of hostile texts.

import { createMasker } from '../../shared/masking/masker.ts';
import { escapeTimes, HOSTILE, USUAL, WORDS } from './maskingTexts.ts';
import { median } from './spread.ts';

const MEGABYTE = 1_000_000;
const ROUNDS = 5;

/** Prints the median of some rounds, each of the usual logs and the slowest hostile texts. */
export async function measureMasking(): Promise<void> {
  const known = Array.from({ length: 20 }, (_, index) => `known-secret-${index}-of-this-process`);
  const masker = createMasker({ sessionKey: 'bench', known });
  const measure = (texts: typeof USUAL) =>
    Object.entries(texts).map(([name, text]) => ({ name, ms: medianTime(masker.mask, text(MEGABYTE)) }));
  console.log(`\nMasking, processor ms for 1 MB, median of ${ROUNDS}, 20 known secrets`);
  print(measure(USUAL));
  for (const levels of [0, 1, 2]) {
    const escaped = (texts: typeof USUAL): typeof USUAL =>
      Object.fromEntries(
        Object.entries(texts).map(([name, make]) => [
          name,
          (length) => escapeTimes(make(length), levels).slice(0, length),
        ]),
      );
    console.log(`  hostile, escaped ${levels} times: words, and the slowest ten`);
    print(measure(escaped({ words: WORDS })));
    const slowest = measure(escaped(HOSTILE)).sort((a, b) => b.ms - a.ms);
    print(slowest.slice(0, 10));
  }
}

function print(rows: { name: string; ms: number }[]): void {
  for (const { name, ms } of rows) console.log(`  ${name.slice(0, 60).padEnd(62)} ${ms.toFixed(0)}`);
}

function medianTime(mask: (text: string) => unknown, text: string): number {
  return median(
    Array.from({ length: ROUNDS }, () => {
      const start = process.cpuUsage();
      mask(text);
      const { user, system } = process.cpuUsage(start);
      return (user + system) / 1000;
    }),
  );
}
