// The arguments and the output of the commands that move and rename.

import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

/**
 * The rows of the arguments, or of the file after `--list`: one a line, its parts separated by white space; lines that
 * start with `#` are comments. Ends the process with the usage when a row is incomplete.
 * @param length how many parts a row has.
 */
export function parseArguments(usage: string, length: number): { rows: string[][]; isDry: boolean } {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { dry: { type: 'boolean' }, list: { type: 'string' } },
  });
  const lines = values.list === undefined ? [] : readFileSync(values.list, 'utf8').split('\n');
  const listed = lines.map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('#'));
  const rows = listed.map((line) => line.split(/\s+/).slice(0, length));
  for (let first = 0; first < positionals.length; first += length)
    rows.push(positionals.slice(first, first + length));
  if (rows.length === 0 || rows.some((row) => row.length < length)) {
    console.error(`usage: ${usage}`);
    process.exit(2);
  }
  return { rows, isDry: values.dry ?? false };
}

/** Runs a command. Its error is one message, without the place in the code. */
export function runCommand(command: () => void): void {
  try {
    command();
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}

/** Prints a change, and the places to look at. */
export function reportChange(lines: readonly string[], left: readonly string[], isDry: boolean): void {
  if (isDry) console.log(lines.join('\n'));
  console.log(`${lines.length} changes ${isDry ? 'would be made' : 'made'}.`);
  if (left.length > 0) console.log(`Look at these places, which are not rewritten:\n${left.join('\n')}`);
}
