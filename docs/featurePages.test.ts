// The page of a feature is the README of its folder, and all pages have one form.

import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

/** The headings of a page, in this order. The opening below the title says what the feature is for. */
const FORM = ['Smallest configuration', 'What one sees', 'Options', 'Limits', 'What fails, and what then'];
/** A marker of a list, and a lead-in such as `**Keys.**`. */
const START = /^\s*(?:- |\d+\. )?(?:\*\*[^*]+\*\*)?/;

const folders = globSync('shared/features/*/').map((path) => path.replaceAll('\\', '/').replace(/\/$/, ''));

/** A page with a word in place of each piece of code. */
function readPage(folder: string): string {
  const text = readFileSync(`${folder}/README.md`, 'utf8');
  return text.replaceAll(/^ *```[\s\S]*?^ *```$/gm, 'code').replaceAll(/`[^`\n]*`/g, 'code');
}

it.each(folders)('%s has a page with an opening and the headings of the form, none empty', (folder) => {
  const [opening, ...sections] = readPage(folder).split(/^## /m);
  expect(opening).toMatch(/^# \S.*\n\n\S/);
  const headings = sections.map((section) => section.split('\n', 1)[0] ?? '');
  expect(headings).toEqual(FORM.filter((heading) => headings.includes(heading)));
  expect(sections.filter((section) => section.trim().split('\n').length < 2)).toEqual([]);
});

it.each(folders)('the page of %s has one sentence a line', (folder) => {
  const lines = readPage(folder).split('\n');
  const isLong = (line: string) => !line.startsWith('|') && /[.!?] +[A-Z]/.test(line.replace(START, ''));
  expect(lines.filter(isLong)).toEqual([]);
});

it('docs/README.md links the page of each feature once', () => {
  const index = readFileSync('docs/README.md', 'utf8');
  const linked = [...index.matchAll(/\]\(\.\.\/(shared\/features\/\w+)\/README\.md\)/g)];
  expect(linked.map(([, path]) => path).sort()).toEqual(folders.sort());
});
