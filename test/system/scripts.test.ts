// The scripts of package.json: `--help` runs nothing, a text for a number is refused.

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const run = promisify(execFile);
const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
/** Of each script that runs a file: the arguments of Node. */
const FILES = Object.entries(scripts).flatMap(([name, command]) => {
  const [, args] = /^(?:\w+=\w+ )?(?:exec )?node (.+)$/.exec(command) ?? [];
  return args === undefined ? [] : [[name, args.split(' ')] as const];
});
const argumentsOf = (script: string) => FILES.find(([name]) => name === script)?.[1] ?? [];

it('covers the scripts', () => {
  expect(FILES.length).toBeGreaterThan(15);
});

it.each(FILES)('%s --help prints help and runs nothing', async (_, args) => {
  const { stdout } = await run(process.execPath, [...args, '--help']);
  expect(stdout).toMatch(/^Usage: /);
});

it.each([
  ['simulate', '--seeds', 'ten'],
  ['simulate', '--seeds', '1e3'],
  ['simulate', '--from', ''],
  ['simulate', '--jobs', '0'],
  ['simulate-deliveries', 'ten'],
  ['simulate-deliveries', '10', 'first'],
  ['fuzz', '--cases', '0x10'],
  ['mutants', '--jobs', 'two'],
  ['bench', 'nosuch'],
  ['figures', '--wrods'],
])('%s %s %s is refused', async (script, ...given) => {
  const failed = await run(process.execPath, [...argumentsOf(script), ...given]).catch((error) => error);
  expect(failed).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/^error: /) });
});
