// docs/extending.md quotes the examples: its code must be theirs, and what it links to must exist.

import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';

const text = readFileSync('docs/extending.md', 'utf8');
const examples = globSync('docs/extending/*.ts', { exclude: ['**/*.test.ts'] }).sort();

it.each(examples)('quotes %s as it is, once, below a link to it', (file) => {
  const link = `(extending/${basename(file)})`;
  const quotes = text.split(`\n\`\`\`ts\n${readFileSync(file, 'utf8')}\`\`\`\n`);
  expect(quotes, 'copy the file into docs/extending.md').toHaveLength(2);
  expect(quotes[0]?.split('\n\n').at(-1)).toContain(link);
});

it('quotes nothing else', () => {
  expect(text.match(/^```./gm)).toEqual(examples.map(() => '```t'));
});

it('links to files that exist', () => {
  const targets = [...text.matchAll(/\]\(([^)#]+)\)/g)].map(([, target = '']) => target);
  expect(targets.length).toBeGreaterThan(15);
  expect(targets.filter((target) => !existsSync(join('docs', target)))).toEqual([]);
});

it('names files that exist', () => {
  const named = [...text.matchAll(/`((?:shared|cli|test|docs)\/[\w/.]+\.(?:ts|md|yaml))`/g)];
  const files = named.map(([, file = '']) => file).filter((file) => !file.includes('NAME'));
  expect(files.length).toBeGreaterThan(15);
  expect(files.filter((file) => !existsSync(file))).toEqual([]);
});
