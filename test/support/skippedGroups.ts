// Names the tests that a run left out, as the last lines of its output.

import type { Reporter } from 'vitest/node';
import { FULL_ONLY, LONG_ONLY, type SELECTIONS } from './fullTests.ts';
import { listMissingParts } from './realParts.ts';

/** The reporter of a selection that leaves out groups; none for the others. */
export function listSkippedGroups(selection: keyof typeof SELECTIONS): Reporter[] {
  if (selection === 'quick') return [reporterOf({ ...FULL_ONLY, ...LONG_ONLY }, NEXT.quick)];
  if (selection === 'emulators') return [];
  return selection === 'full' ? [PARTS, reporterOf(LONG_ONLY, NEXT.full)] : [PARTS];
}

/** Names the programs of others whose tests were skipped. */
const PARTS: Reporter = {
  onTestRunEnd() {
    for (const part of listMissingParts())
      console.log(`Skipped: tests with real parts, because ${part}. With REQUIRE_PROGRAMS=1 they fail.`);
  },
};

const NEXT = {
  quick: '"npm run test:full" runs what CI runs, "npm run test:long" runs everything.',
  full: '"npm run test:long" runs everything.',
};

function reporterOf(groups: Record<string, unknown>, next: string): Reporter {
  return {
    onTestRunEnd: () => console.log(`Not run: ${Object.keys(groups).join('; ')}. ${next}`),
  };
}
