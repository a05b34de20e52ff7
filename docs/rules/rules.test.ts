import { existsSync, globSync, readFileSync } from 'node:fs';
import { matchesGlob } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FULL_ONLY_FILES } from '../../test/support/fullTests.ts';
import { hasTitle, readReference } from '../../test/support/testReferences.ts';

const pages = globSync('docs/rules/*.md').filter((page) => !page.endsWith('README.md'));
const text = pages.map((page) => readFileSync(page, 'utf8')).join('\n');
const rows = [...text.matchAll(/^\| (.+) \| (.+) \|$/gm)]
  .map(([, rule = '', proof = '']) => ({ rule, references: proof.split('<br>') }))
  .filter(({ rule }) => rule !== 'rule' && !rule.startsWith('rule | '));
const rules = rows.map(({ rule }) => rule);
/** `[name](../file) title`, each once. */
const references = [...new Set(rows.flatMap((row) => row.references))];

describe('docs/rules', () => {
  it('has rules', () => {
    expect(rules.length).toBeGreaterThan(100);
  });

  it.each(references)('names a test that exists: %s', (reference) => {
    const { file, title } = readReference(reference);
    expect(existsSync(file), 'the file').toBe(true);
    expect(hasTitle(readFileSync(file, 'utf8'), title), 'the title').toBe(true);
  });

  it('has a file for each rule that npm test runs, but for those of LangChain and of the page in a browser', () => {
    const isExcepted = (glob: string) => /^(shared\/llm\/langchain|test\/web)\//.test(glob);
    const leftOut = FULL_ONLY_FILES.filter((glob) => !isExcepted(glob));
    const isQuick = (reference: string) =>
      !leftOut.some((glob) => matchesGlob(readReference(reference).file, glob));
    expect(rows.filter((row) => !row.references.some(isQuick)).map(({ rule }) => rule)).toEqual([]);
  });

  it('has at most two tests for a rule, so that it can be read', () => {
    expect(rows.filter((row) => row.references.length > 2)).toEqual([]);
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
