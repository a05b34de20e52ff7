import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const rows = [...readFileSync('docs/rules.md', 'utf8').matchAll(/^\| (.+) \| (.+) \|$/gm)]
  .map(([, rule = '', proof = '']) => ({ rule, references: proof.split('<br>') }))
  .filter(({ rule }) => rule !== 'rule');
const rules = rows.map(({ rule }) => rule);
/** `file › group › test`, each once. */
const references = [...new Set(rows.flatMap((row) => row.references))];

/** Whether a source has a title as a string of its own, in any kind of quotes. */
function hasTitle(source: string, title: string): boolean {
  return ["'", '"', '`'].some((quote) => {
    const escaped = title.replaceAll('\\', '\\\\').replaceAll(quote, `\\${quote}`);
    return source.includes(`${quote}${escaped}${quote}`);
  });
}

describe('docs/rules.md', () => {
  it('has rules', () => {
    expect(rules.length).toBeGreaterThan(100);
  });

  it.each(references)('names a test that exists: %s', (reference) => {
    const [, file = '', titles = ''] = /^`([^`]+\.test\.ts)` › (.+)$/.exec(reference) ?? [];
    expect(existsSync(file), 'the file').toBe(true);
    const source = readFileSync(file, 'utf8');
    expect(titles.split(' › ').filter((title) => !hasTitle(source, title))).toEqual([]);
  });

  it.each([
    ['A', 8],
    ['B', 8],
    ['C', 5],
    ['D', 7],
    ['E', 14],
  ])('has a rule for each wire shape %s1 to %i', (letter, count) => {
    const numbers = rules.flatMap((rule) => rule.match(/^[A-E]\d+(?=\. )/) ?? []);
    const expected = Array.from({ length: count }, (_, index) => `${letter}${index + 1}`);
    expect(numbers.filter((number) => number.startsWith(letter))).toEqual(expected);
  });

  it('has the thirteen rules of the parser', () => {
    const numbers = rules.flatMap((rule) => rule.match(/^\d+(?=\. )/) ?? []);
    expect([...new Set(numbers)]).toEqual(Array.from({ length: 13 }, (_, index) => `${index + 1}`));
  });
});
