// Names what a run left out as the last line of its output.

import type { Reporter } from 'vitest/node';
import { FULL_ONLY, LONG_ONLY, type SELECTIONS } from './fullTests.ts';

/** The reporter of a selection that leaves out groups; none for the others. */
export function skippedGroups(selection: keyof typeof SELECTIONS): Reporter[] {
  if (selection === 'quick') return [reporterOf({ ...FULL_ONLY, ...LONG_ONLY }, NEXT.quick)];
  return selection === 'full' ? [reporterOf(LONG_ONLY, NEXT.full)] : [];
}

const NEXT = {
  quick: '"npm run test:full" runs what CI runs, "npm run test:long" runs everything.',
  full: '"npm run test:long" runs everything.',
};

function reporterOf(groups: Record<string, unknown>, next: string): Reporter {
  return {
    onTestRunEnd: () => console.log(`Not run: ${Object.keys(groups).join('; ')}. ${next}`),
  };
}
