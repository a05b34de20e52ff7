import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseQuery } from '../../../../shared/search/parseQuery.ts';
import { parseMarkdown } from '../../markdown/parse.ts';
import { ageText } from './age.ts';
import { evenHeadings } from './headings.ts';
import { linksFrom, linksTo } from './links.ts';
import { matchingLine } from './matchingLine.ts';
import { readTyped, searchedWords } from './query.ts';

const known = { keys: new Set(['checkout', 'card-fails']), isWhole: true };

describe('the typed text', () => {
  it.each([
    ['disk full', 'FUZZY disk full', 'spelling'],
    ['paymnts', 'FUZZY paymnts', 'spelling'],
    ['why is checkout slow', 'SEARCH why is checkout slow', 'meaning'],
    ['  why   is\nit slow ', 'SEARCH why is it slow', 'meaning'],
    ['checkout', 'LOOKUP checkout', 'key'],
    ['Card-Fails', 'LOOKUP card-fails', 'key'],
    ['out-of-memory', 'SEARCH out-of-memory', 'meaning'],
    ['SEARCH slow IN runbooks', 'SEARCH slow IN runbooks', 'written'],
    ['traverse checkout depth 2', 'traverse checkout depth 2', 'written'],
    ['LOOKUP', 'LOOKUP', 'written'],
    ['lookups fail', 'FUZZY lookups fail', 'spelling'],
    ['memory limit', 'FUZZY "memory limit"', 'spelling'],
    ['pods in sessions hang', 'SEARCH "pods in sessions hang"', 'meaning'],
  ])('%s becomes %s', (typed, query, kind) => {
    expect(readTyped(typed, known)).toEqual({ query, kind });
  });

  it('is a key by its form where not all keys are listed', () => {
    expect(readTyped('out-of-memory', { ...known, isWhole: false })).toMatchObject({ kind: 'key' });
  });

  it('of any words is a query that the knowledge base reads, with all of them', () => {
    const word = fc.oneof(
      fc.stringMatching(/^[a-z]{1,8}$/),
      fc.constantFrom(
        'limit',
        'IN',
        'sessions',
        'threshold',
        'LIMIT=3',
        "it's",
        '3',
        'a=b',
        'min_similarity',
      ),
    );
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 6 }), (words) => {
        const { query, kind } = readTyped(words.join(' '), { keys: new Set(), isWhole: true });
        fc.pre(kind !== 'written');
        const parsed = parseQuery(query);
        expect(parsed).toMatchObject({ ok: true });
        if (parsed.ok && 'text' in parsed.query) expect(parsed.query.text).toBe(words.join(' '));
      }),
    );
  });

  it('has words that are looked for, without the parameters', () => {
    expect(searchedWords('FUZZY Disk full LIMIT 3')).toEqual(['disk', 'full']);
    expect(searchedWords('SEARCH slow requests IN sessions')).toEqual(['slow', 'requests']);
    expect(searchedWords('FUZZY "memory limit"')).toEqual(['memory', 'limit']);
    expect(searchedWords('LOOKUP checkout')).toEqual([]);
    expect(searchedWords('FUZZY --')).toEqual([]);
    expect(searchedWords('FUZZY disks')).toEqual(['disks']);
  });
});

describe('the matching line', () => {
  const text = '# Checkout\n\nTakes orders.\n- The **disk** of checkout is small\n| a | b |\n|---|---|';
  const lineOf = (of: string, words: string[]) =>
    matchingLine(of, words)
      .map(({ text: part, isHit }) => (isHit ? `[${part}]` : part))
      .join('');

  it('is the one with the most words, which are marked', () => {
    expect(lineOf(text, ['disk', 'checkout'])).toBe('The [disk] of [checkout] is small');
    expect(lineOf(text, ['orders'])).toBe('Takes [orders].');
  });
  it('is the first line when there are no words in it', () => {
    expect(lineOf(text, ['nothing'])).toBe('Checkout');
    expect(lineOf(text, [])).toBe('Checkout');
    expect(lineOf('', ['disk'])).toBe('');
    expect(matchingLine('```\n\n', ['disk'])).toEqual([]);
    expect(lineOf('---\nThe first', ['to'])).toBe('The first');
  });
  it('is without the marks of markdown', () => {
    expect(lineOf('> 1. see [the **docs**](https://a.example/x) of `disk`', ['disk'])).toBe(
      'see the docs of [disk]',
    );
  });
  it('is cut around the first word', () => {
    const line = lineOf(`${'before '.repeat(60)}needle ${'after '.repeat(60)}`, ['needle']);
    expect(line).toMatch(/^…before .*\[needle\] after .*…$/);
    expect(line.length).toBeLessThan(260);
  });
  it.each([
    ['x'.repeat(240), ['x'.repeat(240)], `[${'x'.repeat(240)}]`],
    [`${'a '.repeat(119)}end more`, ['none'], `${'a '.repeat(119)}en…`],
    [`a ${'b '.repeat(130)}`, ['a b'], `[a b]${' b'.repeat(118)}…`],
    [`${'c '.repeat(130)}needle`, ['needle'], `…${'c '.repeat(19)}[needle]`],
    [`${'c '.repeat(130)}one two`, ['two', 'one', 'none'], `…${'c '.repeat(19)}[one] [two]`],
    ['the cat', ['cat', 'th'], 'the [cat]'],
    [`${'c '.repeat(40)}needle`, ['needle'], `${'c '.repeat(40)}[needle]`],
    [`${'c '.repeat(120)}`, ['none'], `${'c '.repeat(119)}c`],
    [`needle ${'c '.repeat(130)}end`, ['needle', 'end'], `[needle] ${'c '.repeat(116)}c…`],
  ])('is cut where it is longer than 240 characters: %#', (of, words, line) => {
    expect(lineOf(of, words)).toBe(line);
  });
  it('has no empty parts', () => {
    expect(matchingLine('disk', ['disk'])).toEqual([{ text: 'disk', isHit: true }]);
    expect(matchingLine('a', ['disk'])).toEqual([{ text: 'a', isHit: false }]);
    expect(matchingLine('ab', [])).toEqual([{ text: 'ab', isHit: false }]);
    expect(matchingLine('', [])).toEqual([]);
  });
  it('holds the characters of the text, whatever they are', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme' }),
        fc.array(fc.stringMatching(/^[a-z0-9]{1,5}$/)),
        (any, words) => {
          const line = matchingLine(any, words);
          expect(line.map((part) => part.text).join('').length).toBeLessThan(244);
        },
      ),
    );
  });
});

it.each([
  ['2026-11-20T11:30:00.000Z', '30 min ago'],
  ['2026-11-19T12:00:00.000Z', '19 Nov'],
  ['2026-11-12T08:30:00.000Z', '12 Nov'],
  ['2025-11-12T08:30:00.000Z', '12 Nov 2025'],
])('an entry of %s is from %s', (iso, text) => {
  expect(ageText(iso, Date.parse('2026-11-20T12:00:00.000Z'))).toBe(text);
});

describe('headings', () => {
  const depths = (source: string) =>
    evenHeadings(parseMarkdown(source).children).flatMap((node) =>
      node.type === 'heading' ? [node.depth] : [],
    );
  it.each([
    ['## A\n\ntext\n\n## B', [1, 1]],
    ['# A\n### B\n### C\n## D\n# E', [1, 2, 2, 2, 1]],
    ['###### A\n# B\n#### C\n###### D', [1, 1, 2, 3]],
    ['no heading', []],
  ])('of %j go down in steps of one', (source, expected) => {
    expect(depths(source)).toEqual(expected);
  });
});

describe('links', () => {
  const entry = (key: string, ...links: { key: string; type: string | null }[]) => ({
    key,
    title: `T ${key}`,
    links,
  });
  const all = [
    entry('a', { key: 'b', type: null }, { key: 'gone', type: 'next' }),
    entry('b', { key: 'a', type: 'used-by' }, { key: 'a', type: null }, { key: 'b', type: null }),
  ];
  const [a = entry('')] = all;

  it('lead to entries with titles, or to none', () => {
    expect(linksFrom(a, all, true)).toEqual([
      { key: 'b', type: null, title: 'T b', isMissing: false },
      { key: 'gone', type: 'next', title: undefined, isMissing: true },
    ]);
    expect(linksFrom(a, all, false)[1]).toMatchObject({ isMissing: false });
  });
  it('come from other entries', () => {
    expect(linksTo('a', all).map(({ key, type }) => [key, type])).toEqual([
      ['b', 'used-by'],
      ['b', null],
    ]);
    expect(linksTo('b', all)).toEqual([{ key: 'a', type: null, title: 'T a', isMissing: false }]);
  });
});
