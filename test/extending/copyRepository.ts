// A copy of the repository in a temporary folder, to change it and to run its own tools.

import { execFile, execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

/** Copies the files that git knows, or would add, and links the packages. */
export function copyRepository(to: string): void {
  const listed = execFileSync('git', ['ls-files', '-z', '-co', '--exclude-standard'], { encoding: 'utf8' });
  for (const file of listed.split('\0').filter((name) => name !== '')) {
    mkdirSync(dirname(join(to, file)), { recursive: true });
    cpSync(file, join(to, file));
  }
  // Links to files, not folders: a bundler would name modules after the linked folders.
  const flag = process.platform === 'darwin' ? '-Rc' : '-al';
  // The cache of vitest changes while tests run: a file of it can go between its listing and its copy.
  const entries = readdirSync('node_modules').filter((name) => name !== '.vitest-cache');
  mkdirSync(join(to, 'node_modules'));
  execFileSync('cp', [flag, ...entries.map((name) => join('node_modules', name)), join(to, 'node_modules')]);
  symlinkSync(join(process.cwd(), 'test/packages/node_modules'), join(to, 'test/packages/node_modules'));
}

/** Runs a program in a copy, tests as `npm test` does; its output, also of one that fails. */
export async function runIn(root: string, command: string, args: string[]): Promise<string> {
  const { CI: _, INQUEST_TESTS: __, ...env } = process.env;
  return await promisify(execFile)(command, args, { cwd: root, env }).then(
    ({ stdout }) => stdout,
    ({ stdout, stderr }) => `failed: ${stdout}${stderr}`,
  );
}
