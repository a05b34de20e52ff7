// A file with one JSON value a line that survives a crash: a line that was cut off is left out.

import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { parseJson } from '../text/json.ts';

/** The values of a file; none if it does not exist. */
export function readJsonLines<T>(file: string): T[] {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
  return lines.flatMap((line) => {
    const value = parseJson(line);
    return value === undefined ? [] : [value as T];
  });
}

/** Adds a value. The line break before it ends a line that a crash cut off. */
export function appendJsonLine(file: string, value: unknown): void {
  appendFileSync(file, `\n${JSON.stringify(value)}`, { mode: 0o600 });
}
