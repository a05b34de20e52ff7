import { expect, it } from 'vitest';
import { hasColor, printableText } from './output.ts';

it.each([
  ['a terminal', true, {}, true],
  ['a pipe', false, {}, false],
  ['a pipe in CI', false, { CI: 'true' }, false],
  ['a terminal with NO_COLOR', true, { NO_COLOR: '1' }, false],
  ['a pipe with FORCE_COLOR', false, { FORCE_COLOR: '1' }, true],
  ['a terminal with FORCE_COLOR=0', true, { FORCE_COLOR: '0' }, false],
])('%s has colours: %s', (_, isTTY, env, expected) => {
  expect(hasColor({ isTTY }, env)).toBe(expected);
});

it('printable text keeps line breaks and tabs, and turns all other line ends into breaks', () => {
  expect(printableText('a\tb\nc\r\nd\re')).toBe('a\tb\nc\nd\ne');
});
