// docs/extending.md names and links files that exist, and every example.

import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';

const text = readFileSync('docs/extending.md', 'utf8');
const examples = globSync('docs/extending/*', { exclude: ['**/*.test.ts'] }).sort();

it.each(examples)('copies %s in a step', (file) => {
  expect(text).toContain(`](extending/${basename(file)}) to \``);
});

it('links to files that exist', () => {
  const targets = [...text.matchAll(/\]\(([^)#]+)\)/g)].map(([, target = '']) => target);
  expect(targets.length).toBeGreaterThan(15);
  expect(targets.filter((target) => !existsSync(join('docs', target)))).toEqual([]);
});

it('names files that exist, or that a step creates', () => {
  const created = [...text.matchAll(/\) to `([^`]+)`/g)].map(([, file]) => file);
  const named = [...text.matchAll(/`((?:shared|cli|test|docs|web)\/[\w/.]+\.(?:tsx?|md|yaml))`/g)];
  const files = named.map(([, file = '']) => file).filter((file) => !created.includes(file));
  expect(files.length).toBeGreaterThan(15);
  expect(files.filter((file) => !existsSync(file))).toEqual([]);
});
