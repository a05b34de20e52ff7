import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { GLOSSARY } from './glossary.ts';

it('stands in the documentation with the same texts, by the alphabet', () => {
  const page = readFileSync(new URL('../../../docs/glossary.md', import.meta.url), 'utf8');
  const rows = page.split('\n').filter((line) => line.startsWith('- '));
  const own = Object.entries(GLOSSARY).map(([word, text]) => `- **${word}**: ${text}`);
  expect(rows).toEqual(own);
  expect(own).toEqual(own.toSorted());
});
