import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { GLOSSARY } from './glossary.ts';

const ROOT = new URL('../../../', import.meta.url);
/** A sentence of a term stands on its own line. */
const rows = readFileSync(new URL('docs/glossary.md', ROOT), 'utf8')
  .replaceAll('\n  ', ' ')
  .split('\n')
  .filter((line) => line.startsWith('- '));

describe('the glossary of the documentation', () => {
  it('has the words of the page with the same texts', () => {
    const own = Object.entries(GLOSSARY).map(([word, text]) => `- **${word}**: ${text}`);
    expect(own.filter((row) => !rows.includes(row))).toEqual([]);
  });

  it('defines each term once, in alphabetical order', () => {
    const terms = rows.map((row) => /^- \*\*(.+?)\*\*: \S/.exec(row)?.[1]);
    expect(terms).toEqual([...new Set(terms)].sort());
  });

  it('lists words to avoid that no file name has', () => {
    const avoided = rows.flatMap((row) => /Avoid: (.*)\.$/.exec(row)?.[1]?.split(', ') ?? []);
    const folders = '{shared,cli,local,packages,functions,deploy,web/src,test}/**/*.{ts,tsx}';
    const paths = globSync(folders, { cwd: ROOT, exclude: ['**/node_modules'] });
    const words = paths.flatMap((path) => path.split(/[\\/.]|(?=[A-Z])/).map((word) => word.toLowerCase()));
    expect(words.length).toBeGreaterThan(10_000);
    expect(avoided.length).toBeGreaterThan(0);
    expect(words.filter((word) => avoided.includes(word))).toEqual([]);
  });
});
