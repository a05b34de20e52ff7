import { describe, expect, it } from 'vitest';
import { IS_FULL } from '../../../test/support/fullTests.ts';
import { errorSign, toLineShape } from '../../text/largeText/errorShape.ts';
import { errorSteps, findErrors } from './errorLines.ts';
import { MAX_LINE } from './lines.ts';

describe('a line', () => {
  it.each([
    '2026-11-22T21:14:19Z ERROR connection lost',
    'level=error msg="no route"',
    '{"level":"fatal","msg":"x"}',
    'E1122 21:14:19.1 1 sync.go:12] cannot sync',
    'java.lang.NullPointerException: x',
    'Caused by: java.io.IOException',
    'Traceback (most recent call last):',
    'goroutine 17 [running]:',
    'panic: runtime',
    'container web exited with code 137',
    'exit status 1',
    '10.0.0.1 "GET / HTTP/1.1" 503 12',
    'status=502 path=/a',
    'State: OOMKilled',
    'Warning  BackOff  kubelet  restarting',
    'ErrImagePull',
    'dial tcp: i/o timeout',
    'dial tcp 10.0.0.1:5432: connect: connection refused',
    'no errors before, then an error',
  ])('looks like an error: %s', (line) => {
    expect(errorSign(line)?.level).toBe('error');
  });

  it.each([
    '2026-11-22T21:14:19Z INFO all is well',
    'exited with code 0',
    'exit status 0',
    '{"errors": 0, "failed": null, "error": ""}',
    'finished with 0 errors',
    'no failures',
    'status=200 bytes=503',
    'terrors and mirrors',
    'took 512 ms',
  ])('looks like none: %s', (line) => {
    expect(errorSign(line)).toBeUndefined();
  });

  it('can look like a warning, which an error beats', () => {
    expect(errorSign('WARN slow query')?.level).toBe('warning');
    expect(errorSign('WARN query failed')?.level).toBe('error');
  });
});

describe('two error lines', () => {
  it.each([
    ['numbers', 'ERROR took 12 ms', 'ERROR took 3456 ms'],
    ['times', '2026-11-22T21:14:19.123Z ERROR x', '2027-01-02T03:04:05Z ERROR x'],
    ['ids', 'failed 3f2a1c9e-0b1d-4e5f-8a9b-0c1d2e3f4a5b', 'failed 00000000-1111-2222-3333-444444444444'],
    ['hexadecimal letters', 'failed at deadbeef', 'failed at cafebabe'],
    ['pods', 'pod web-7d9f8b6c5d-x2x9k failed', 'pod web-5c6b7d8f9a-q1w2e failed'],
    ['addresses', 'dial 10.0.0.1:5432 refused', 'dial 10.12.0.9:80 refused'],
    ['quoted texts', 'cannot open "a.txt"', 'cannot open "/var/log/b.txt"'],
    [
      'values of a log line',
      '{"level":"error","msg":"lost","user":"eve"}',
      '{"level":"error","msg":"lost","user":"bob"}',
    ],
  ])('are of one kind when they differ in %s', (_, one, other) => {
    expect(toLineShape(one)).toBe(toLineShape(other));
  });

  it.each([
    ['words', 'ERROR disk full', 'ERROR disk slow'],
    ['the message of a log line', '{"level":"error","msg":"lost"}', '{"level":"error","msg":"full"}'],
    ['the message of logfmt', 'level=error msg="lost"', 'level=error msg="full"'],
    ['the exit code', 'exited with code 1', 'exited with code 137'],
    ['the answer of HTTP', 'HTTP 502 from upstream', 'HTTP 504 from upstream'],
  ])('are of two kinds when they differ in %s', (_, one, other) => {
    expect(toLineShape(one)).not.toBe(toLineShape(other));
  });
});

describe('the errors of a text', () => {
  it('are the first line of each kind, with its number and how many there are', () => {
    const text = ['start', 'ERROR a 1', 'fine', 'ERROR b', 'ERROR a 22', 'WARN c'].join('\n');
    expect(findErrors(text).kinds).toEqual([
      { level: 'error', line: 2, start: 6, excerpt: 'ERROR a 1', count: 2 },
      { level: 'error', line: 4, start: 21, excerpt: 'ERROR b', count: 1 },
      { level: 'warning', line: 6, start: 40, excerpt: 'WARN c', count: 1 },
    ]);
  });

  it('are found in a line of megabytes, around where it looks like one', () => {
    const { kinds } = findErrors(`${'a '.repeat(50_000)}ERROR full${' b'.repeat(50_000)}`);
    expect(kinds).toHaveLength(1);
    const makeExcerpt = (length: number) =>
      findErrors(`${'a'.repeat(length - 1)} ERROR full  `).kinds[0]?.excerpt;
    expect(makeExcerpt(160)).toBe(`${'a'.repeat(159)} ERROR full`);
    expect(makeExcerpt(161)).toBe(`…${'a'.repeat(159)} ERROR full`);
    expect(kinds[0]?.line).toBe(100_000 / MAX_LINE + 1);
    expect(kinds[0]?.excerpt).toMatch(/ERROR full/);
  });

  const words = (index: number) => [...String(index)].map((digit) => 'abcdefghij'[Number(digit)]).join('');

  it('are listed up to a limit, and counted beyond', () => {
    const lines = Array.from({ length: 2_000 }, (_, index) => `ERROR ${words(index)}`);
    const { kinds, others } = findErrors(lines.join('\n'));
    expect([kinds.length, others]).toEqual([500, 1_500]);
    const many = findErrors('err!\n'.repeat(100_003));
    expect([many.kinds, many.others]).toMatchObject([[{ count: 100_000 }], 3]);
  });

  it('have at least four characters', () => {
    expect(findErrors('err\nerr!').kinds).toMatchObject([{ line: 2, excerpt: 'err!' }]);
  });

  it('are found with the same numbers in a text that is read in steps', () => {
    const lines = Array.from({ length: 60_000 }, (_, index) => `line ${index}`);
    for (const line of [1, 20_000, 40_000, 60_000]) lines[line - 1] = `ERROR ${words(line)}`;
    const text = `${lines.join('\n')}\n${'x'.repeat(300_000)} ERROR last`;
    const steps = errorSteps(text);
    let count = 0;
    let step = steps.next();
    for (; !step.done; step = steps.next()) count++;
    expect(count).toBeGreaterThanOrEqual(5);
    expect(step.value.kinds.map(({ line }) => line)).toEqual([1, 20_000, 40_000, 60_000, 60_301]);
    expect(text.slice(step.value.kinds[3]?.start)).toMatch(/^ERROR/);
  });

  // A step is a character that is read. An expression that runs wild takes no steps, but never ends.
  it.each([
    ['of one line', 'error '],
    ['of quotation marks', '"error\\'],
    ['of apostrophes', "error '\\"],
    ['of blanks', ' '],
    ['of line breaks', '\n'],
    ['of short errors', 'err!\n'],
    ['of words that begin like an exit code', 'exit code : '],
    ['of words that begin like a class', 'Err'],
    ['of denials', 'no error 0 errors: 0 '],
    ['of digits', '5'],
    ['of slashes', 'HTTP/'],
    ['of two halves of a character', '\ud83d\ude00'],
  ])('cost steps in proportion to the text, also megabytes %s', (_, pattern) => {
    const text = pattern.repeat((IS_FULL ? 5_000_000 : 1_000_000) / pattern.length);
    const { steps, kinds } = findErrors(text);
    expect(steps).toBeLessThan(2.5 * text.length);
    expect(kinds.length).toBeLessThan(20);
  });
});
