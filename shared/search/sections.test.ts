import { expect, it } from 'vitest';
import { findSections } from './sections.ts';

it.each([
  [
    '**Root cause** (confidence: high): out of memory.\nmore\n\n**Evidence**\n- log A\n- log B\n\n**Impact**: much\n\n**What to do now**\n1. Raise the limit.',
    [
      ['Cause', 'out of memory.\nmore'],
      ['Evidence', '- log A\n- log B'],
      ['Fix', '1. Raise the limit.'],
    ],
  ],
  [
    'Intro: this is it.\n## Root Cause\nA deploy.\n### Recommended actions\nRoll back.',
    [
      ['Cause', 'A deploy.'],
      ['Fix', 'Roll back.'],
    ],
  ],
  [
    'Cause: disk\nFix: clean it',
    [
      ['Cause', 'disk'],
      ['Fix', 'clean it'],
    ],
  ],
  ['1. **Root cause:** disk', [['Cause', 'disk']]],
  ['The cause is the disk, and the fix is to clean it.', []],
  ['**Evidence**\nlog A', []],
  ['Root cause\nno heading', []],
  ['', []],
])('sections of %j', (analysis, expected) => {
  expect(findSections(analysis).map(({ name, text }) => [name, text])).toEqual(expected);
});

it('takes no time for long lines', () => {
  expect(findSections(`**${'a '.repeat(200_000)}\nCause: x`)).toEqual([{ name: 'Cause', text: 'x' }]);
});
