import { expect, it } from 'vitest';
import { plainMarkdown } from './plainMarkdown.ts';

it.each([
  ['pods.status of shop/checkout (2 of 3)', 'pods.status of shop/checkout (2 of 3)'],
  ['**bold** [a](b) <b> | x', '\\*\\*bold\\*\\* \\[a\\](b) \\<b\\> \\| x'],
  ['two\n\n# lines', 'two \\# lines'],
  ['see https://x.example or WWW.x.example', 'see https\\://x.example or WWW\\.x.example'],
  ['@team and ada@example.com', '@\u200bteam and ada@example.com'],
])('shows %j as it is', (text, markdown) => {
  expect(plainMarkdown(text)).toBe(markdown);
});

it('shows hidden characters', () => {
  expect(plainMarkdown('a\u202eb')).not.toContain('\u202e');
});
