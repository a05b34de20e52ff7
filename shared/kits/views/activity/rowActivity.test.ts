import { expect, it } from 'vitest';
import { firstParagraph } from './rowActivity.ts';

it.each([
  ['## Root cause\n\n**Root cause** (confidence: high): the disk is full.\n\nMore.', 'the disk is full.'],
  ['**Root cause**\nThe `disk` is\nfull.', 'The disk is full.'],
  ['**Cause:** the disk', 'the disk'],
  ['**Root cause** (confidence: high)\n\n- The disk is full.', 'The disk is full.'],
  ['**checkout** fails since release 42.', 'checkout fails since release 42.'],
  [`${'word '.repeat(200)}`, `${'word '.repeat(60).slice(0, 299).trimEnd()}…`],
  ['# Only a heading', null],
  ['', null],
])('the first paragraph of %j is %j', (markdown, text) => {
  expect(firstParagraph(markdown)).toBe(text);
});
