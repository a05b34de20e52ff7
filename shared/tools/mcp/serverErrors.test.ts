// Real deaths of Node processes, and what other runtimes are known to write.

import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { errorLines } from './serverErrors.ts';

/** What a Node process writes that runs this module. */
function deathOf(code: string): string {
  const { stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', code], {
    encoding: 'utf8',
  });
  expect(stderr).toMatch(/^Node\.js v/m);
  return stderr;
}

describe('the error lines of a Node process', () => {
  it.each([
    ["throw new Error('no token in the environment')", 'Error: no token in the environment'],
    ['null.x', "TypeError: Cannot read properties of null (reading 'x')"],
    ["throw new TypeError('first\\nsecond')", 'TypeError: first second'],
    [
      "throw Object.assign(new Error('refused', { cause: new Error('inner') }), { code: 'E' })",
      'Error: refused',
    ],
    [
      "throw new AggregateError([new Error('a'), new Error('b')], 'both failed')",
      'AggregateError: both failed',
    ],
    ["console.error('listening'); await Promise.reject(new Error('port taken'))", 'Error: port taken'],
    [
      "(await import('node:fs')).readFileSync('/nosuch')",
      "Error: ENOENT: no such file or directory, open '/nosuch'",
    ],
  ])('%s', (code, expected) => {
    expect(errorLines(deathOf(code))).toBe(expected);
  });

  it.each([
    [
      "await import('no-such-package')",
      /^Error \[ERR_MODULE_NOT_FOUND\]: Cannot find package 'no-such-package'/,
    ],
    ["await Promise.reject('no reason')", /no reason/],
    ['one two', /^SyntaxError: Unexpected identifier 'two'/],
  ])('%s', (code, expected) => {
    expect(errorLines(deathOf(code))).toMatch(expected);
  });
});

describe('the error lines of other processes', () => {
  it.each([
    [
      'Python',
      'INFO: starting\nTraceback (most recent call last):\n  File "s.py", line 3, in <module>\n    raise KeyError("TOKEN")\nKeyError: \'TOKEN\'\n',
      "KeyError: 'TOKEN'",
    ],
    [
      'Java',
      'Exception in thread "main" java.lang.IllegalStateException: cannot start\n\tat s.Main.main(Main.java:3)\nCaused by: java.io.IOException: no token\n\t... 1 more\n',
      'Caused by: java.io.IOException: no token',
    ],
    [
      'Go',
      'panic: no token\n\ngoroutine 1 [running]:\nmain.main()\n\t/s/main.go:4 +0x1d\nexit status 2\n',
      'panic: no token',
    ],
    [
      'Rust',
      "thread 'main' panicked at src/main.rs:2:5:\nno token\nnote: run with `RUST_BACKTRACE=1` environment variable to display a backtrace\n",
      'no token',
    ],
    [
      'npm',
      'npm error code E404\nnpm error 404 Not Found - GET https://registry.npmjs.org/nosuch\nnpm error A complete log of this run can be found in: /root/.npm/_logs/x.log\n',
      'npm error code E404 npm error 404 Not Found - GET https://registry.npmjs.org/nosuch',
    ],
    [
      'a log with times',
      '2026-11-22T10:00:00Z ERROR no token\n2026-11-22T10:00:00Z INFO bye\n',
      '2026-11-22T10:00:00Z ERROR no token 2026-11-22T10:00:00Z INFO bye',
    ],
    ['a shell', 'sh: 1: nosuch: not found\n', 'sh: 1: nosuch: not found'],
    ['plain words', 'starting\ncannot log in: token expired\n', 'cannot log in: token expired'],
    ['noise alone', 'Node.js v24.0.0\n', 'Node.js v24.0.0'],
    ['nothing', '\n', ''],
  ])('%s', (_, stderr, expected) => {
    expect(errorLines(stderr)).toBe(expected);
  });
});
