// Names what `npm test` left out as the last line of its output.

import type { Reporter } from 'vitest/node';
import { FULL_ONLY } from './fullTests.ts';

export const skippedGroups: Reporter = {
  onTestRunEnd() {
    const groups = Object.keys(FULL_ONLY).join('; ');
    console.log(`Not run: ${groups}. "npm run test:full" runs everything.`);
  },
};
