// The browser of tests and measurements: a package of the distribution, or the program that CHROMIUM names.

import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Its path; undefined when there is none. */
export function findChromium(): string | undefined {
  return process.env.CHROMIUM || inPath(['chromium', 'chromium-browser', 'google-chrome']);
}

/**
 * The path of Chromium without windows, which needs half the processor time of a whole one for a page;
 * undefined when there is none, and where CHROMIUM names a browser.
 */
export function findHeadlessShell(): string | undefined {
  return process.env.CHROMIUM ? undefined : inPath(['chromium-headless-shell', 'chrome-headless-shell']);
}

function inPath(names: readonly string[]): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return folders
    .flatMap((folder) => names.map((name) => join(folder, name)))
    .find((path) => existsSync(path));
}
