import { describe, expect, it } from 'vitest';
import { countLines, MAX_LINE } from './lines.ts';
import { pageLines, searchLines } from './pageText.ts';

const text = Array.from({ length: 100 }, (_, index) => `line ${index + 1}`).join('\n');
const ALL = { from: 1, to: 100 };

describe('lines', () => {
  it.each([
    ['', 0],
    ['a', 1],
    ['a\n', 1],
    ['a\n\nb', 3],
    ['\n\n', 2],
    ['x'.repeat(MAX_LINE), 1],
    ['x'.repeat(MAX_LINE + 1), 2],
    [`${'x'.repeat(MAX_LINE)}\ny`, 2],
  ])('of %j are counted; long ones count as several', (any, count) => {
    expect(countLines(any)).toBe(count);
  });

  it('are not cut inside a character', () => {
    const { text: shown } = pageLines(`x${'😀'.repeat(MAX_LINE)}`, { from: 1, to: 3 }, 10_000);
    expect(shown).not.toContain('\ufffd');
  });
});

describe('a page', () => {
  it('shows its lines with their numbers', () => {
    expect(pageLines(text, { from: 98, to: 100 }, 1_000)).toEqual({
      text: '98: line 98\n99: line 99\n100: line 100',
    });
  });

  it('ends with its range, and can start after the text', () => {
    expect(pageLines(text, { from: 10, to: 11 }, 1_000)).toStrictEqual({ text: '10: line 10\n11: line 11' });
    expect(pageLines(text, { from: 101, to: 200 }, 1_000)).toStrictEqual({ text: '' });
  });

  it('holds exactly its bytes, with a line break for each line', () => {
    expect(pageLines('ä\nb\nc', { from: 1, to: 3 }, 6 + 5)).toEqual({ text: '1: ä\n2: b', next: 3 });
    expect(pageLines('ä\nb\nc', { from: 1, to: 3 }, 6 + 4)).toEqual({ text: '1: ä', next: 2 });
    expect(pageLines('ä\ud83d', { from: 1, to: 1 }, 100)).toEqual({ text: '1: ä\ufffd' });
  });

  it('ends where there is no room, and names the place to continue', () => {
    expect(pageLines(text, { from: 10, to: 50 }, 26)).toEqual({ text: '10: line 10\n11: line 11', next: 12 });
  });

  it('is never empty: a line without room is cut', () => {
    expect(pageLines('abcdefgh\ni', { from: 1, to: 2 }, 6)).toEqual({
      text: '1: ab'.padEnd(6, 'c'),
      next: 2,
    });
  });
});

describe('a search', () => {
  const search = (found: number[], context: number, maxBytes = 1_000, range = ALL) =>
    searchLines(
      text,
      { matches: (line) => found.includes(Number(line.slice(5))), cost: 1, context, range },
      maxBytes,
    );

  it('shows the matches with the lines around them, each once, and marks gaps', () => {
    expect(search([10, 12, 50], 2).text.split('\n')).toEqual([
      '8- line 8',
      '9- line 9',
      '10: line 10',
      '11- line 11',
      '12: line 12',
      '13- line 13',
      '14- line 14',
      '--',
      '48- line 48',
      '49- line 49',
      '50: line 50',
      '51- line 51',
      '52- line 52',
    ]);
  });

  it('counts the matches beyond its room', () => {
    expect(search([10, 20, 30], 0, 27)).toEqual({ text: '10: line 10\n--\n20: line 20', found: 3, next: 30 });
  });

  it('shows nothing after the first line without room, not even a shorter one', () => {
    const { text: shown, next } = searchLines(
      `1\n${'x'.repeat(30)}\n3`,
      { matches: () => true, cost: 1, context: 0, range: { from: 1, to: 3 } },
      20,
    );
    expect({ shown, next }).toEqual({ shown: '1: 1', next: 2 });
  });

  it('keeps within its range', () => {
    expect(search([10, 20, 30], 1, 1_000, { from: 20, to: 30 })).toStrictEqual({
      text: '20: line 20\n21- line 21\n--\n29- line 29\n30: line 30',
      found: 2,
    });
  });

  it('ends when it takes too much work, and names the place to continue', () => {
    const stop = (cost: number) => {
      const search = { matches: () => true, cost, context: 0, range: ALL };
      const { stoppedAt, found } = searchLines(text, search, 1_000);
      return [stoppedAt, found];
    };
    expect(stop(50_000_000)).toEqual([6, 5]);
    // Lines have 7 characters with their line break: six of them are exactly the limit.
    expect(stop(2_000_000_000 / 42)).toEqual([7, 6]);
  });
});
