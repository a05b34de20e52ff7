// The environment of the first process of a service, as the kernel shows it to other processes.

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const SECRET = 'q7RkT2mZx9Lw4VbN8sYc';
const FIXTURE = join(import.meta.dirname, 'fixtures/shownEnvironment.ts');

function run(env: Record<string, string>) {
  const { PATH, HOME, NODE_OPTIONS } = process.env;
  const own = { PATH, HOME, ...(NODE_OPTIONS && { NODE_OPTIONS }) };
  const args = ['--stack-trace-limit=7', FIXTURE, 'one', 'two words'];
  return spawnSync(process.execPath, args, { env: { ...own, ...env }, encoding: 'utf8' });
}

it.skipIf(!existsSync('/proc/self/environ'))(
  'has every variable, and shows other processes those of the machine only',
  () => {
    const env = { LOGNAME: 'ada', GEMINI_API_KEY: SECRET, EMPTY: '', LINES: 'a\nb=c\u00e4' };
    const { stdout, stderr, pid } = run(env);
    expect(stderr).toBe('');
    const { own, environ, cmdline, args, execArgs, stdin, ...process } = JSON.parse(stdout);
    expect(own).toMatchObject(env);
    expect(own).not.toHaveProperty('INQUEST_ENVIRONMENT_MOVED');
    expect(environ).toContain('LOGNAME=ada');
    for (const shown of [environ, cmdline]) expect(shown).not.toContain(SECRET);
    for (const name of ['GEMINI_API_KEY', 'LINES']) expect(environ).not.toContain(name);
    expect(args).toEqual(['one', 'two words']);
    expect(execArgs).toEqual(['--stack-trace-limit=7']);
    expect(stdin).toBe('/dev/null');
    expect(process.pid).toBe(pid);
  },
);
