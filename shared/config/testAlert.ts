// An alert to try a configuration with, in a file beside it.

import { readFileSync } from 'node:fs';
import path from 'node:path';

/** Its name. `inquest init` writes it. */
export const TEST_ALERT = 'test-alert.json';
/** A longer text is no example. */
const MAX_CHARACTERS = 64_000;

/** Its text; undefined without one that can be read. @param folder of the configuration. */
export function readTestAlert(folder: string): string | undefined {
  try {
    const text = readFileSync(path.join(folder, TEST_ALERT), 'utf8');
    return text.length <= MAX_CHARACTERS ? text : undefined;
  } catch {
    return undefined;
  }
}
