// Builds the dashboard once, before its tests.

import { buildWeb } from '../../../deploy/buildWeb.ts';

/** What vitest calls before the tests of the dashboard. */
export default function setup(): Promise<void> {
  return buildWeb((line) => process.stderr.write(`${line}\n`), new AbortController().signal);
}
