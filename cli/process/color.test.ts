import { expect, it } from 'vitest';
import { hasColor } from './color.ts';

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
