// The arguments and the output of the commands that move and rename.

import { readFileSync } from 'node:fs';
import { Command } from 'commander';

/**
 * The rows of the arguments, or of the file after `--list`: one a line, its parts separated by white space;
 * lines that start with `#` are comments. Ends the process with the usage when a row is incomplete.
 * @param parts the names of the parts of a row.
 */
export function parseArguments(name: string, parts: readonly string[]): { rows: string[][]; isDry: boolean } {
  const program = new Command(name)
    .argument('[rows...]', `${parts.join(' ')}, as often as needed`)
    .option('--list <file>', 'read rows from a file, one a line')
    .option('--dry', 'print what would change, and change nothing')
    .showHelpAfterError()
    .parse();
  const { list, dry = false } = program.opts<{ list?: string; dry?: boolean }>();
  const lines = list === undefined ? [] : readFileSync(list, 'utf8').split('\n');
  const listed = lines.map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('#'));
  const rows = listed.map((line) => line.split(/\s+/).slice(0, parts.length));
  for (let first = 0; first < program.args.length; first += parts.length)
    rows.push(program.args.slice(first, first + parts.length));
  if (rows.length === 0 || rows.some((row) => row.length < parts.length))
    program.error(`error: each row has ${parts.join(' and ')}`);
  return { rows, isDry: dry };
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
