import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../../test/support/fullTests.ts';
import { cutResult } from './cutResult.ts';

const NOTE = '[This result is r5.]';
const info = (index: number) => `line ${index}: all is well`;
/** 1000 lines with errors in the middle, 20 bytes each and more. */
const lines = Array.from({ length: 1_000 }, (_, index) => info(index + 1));
lines[499] = 'ERROR disk 1 full';
lines[509] = 'ERROR disk 2 full';
lines[599] = 'panic: cannot go on';
const text = lines.join('\n');

describe('a result above its limit', () => {
  const cut = cutResult(text, 4_000, NOTE).split('\n');

  it('keeps head and tail, in whole lines, below its note', () => {
    expect(cut.slice(0, 3)).toEqual([NOTE, info(1), info(2)]);
    expect(cut.slice(-2)).toEqual([info(999), info(1000)]);
    expect(cut.filter((line) => line.startsWith('line ')).every((line) => lines.includes(line))).toBe(true);
  });

  it('keeps the first of each kind of error in between, with its number and how many there are', () => {
    expect(cut).toContain('500: ERROR disk 1 full (2 such lines)');
    expect(cut).toContain('600: panic: cannot go on');
    expect(cut.join('\n')).not.toContain('disk 2');
  });

  it('states how much is left out, and which lines', () => {
    const marks = cut.filter((line) => line.startsWith('[... '));
    const last = cut
      .filter((line) => line.startsWith('line '))
      .findIndex((line, index) => line !== info(index + 1));
    expect(marks[0]).toMatch(/^\[\.\.\. \d+ of \d+ bytes left out \.\.\.\]$/);
    expect(marks[1]).toMatch(new RegExp(`^\\[\\.\\.\\. lines ${last + 1} to \\d+\\. The first of each kind`));
    expect(marks[2]).toBe('[... the end of the result: ...]');
  });

  it('states that nothing in between looks like an error, and uses the room', () => {
    const calm = Array.from({ length: 1_000 }, (_, index) => info(index + 1)).join('\n');
    const shown = cutResult(calm, 4_000, NOTE);
    expect(shown).toContain('None of them looks like an error.');
    expect(Buffer.byteLength(shown)).toBeGreaterThan(3_600);
  });

  it('does not repeat errors that head or tail show', () => {
    const shown = cutResult(`ERROR first\n${text}\nERROR last`, 4_000, NOTE);
    expect(shown.match(/ERROR first/g)).toHaveLength(1);
    expect(shown.match(/ERROR last/g)).toHaveLength(1);
  });

  it('shows errors before warnings where not all fit', () => {
    const word = (index: number) => [...String(index)].map((digit) => 'abcdefghij'[Number(digit)]).join('');
    const warnings = Array.from({ length: 400 }, (_, index) => `WARN ${word(index)}`);
    const shown = cutResult([...lines, ...warnings, ...lines].join('\n'), 4_000, NOTE);
    expect(shown).toContain('600: panic: cannot go on');
    expect(shown).toMatch(/\(and \d+ more kinds\)/);
  });
});

it('a result within its limit is itself', () => {
  expect(cutResult('ERROR', 5, NOTE)).toBe('ERROR');
});

it('a limit without room for a note leaves head and tail', () => {
  expect(cutResult(text, 300, NOTE)).toMatch(/^line 1: [\s\S]*bytes left out[\s\S]*line 1000: all is well$/);
});

it('a cut result never passes its limit, whatever the text', () => {
  const pieces = fc.constantFrom(
    'ERROR a',
    'ERROR b',
    '\n',
    'x'.repeat(700),
    '😀',
    '"',
    ' ',
    '\ud83d',
    'exit code 3',
  );
  const anyText = fc.array(pieces, { maxLength: 200 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(anyText, fc.integer({ min: 0, max: 6_000 }), (any, maxBytes) => {
      const cut = cutResult(any, maxBytes, NOTE);
      expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(maxBytes);
      expect(cut.isWellFormed()).toBe(true);
    }),
    { numRuns: randomRuns(300) },
  );
});
