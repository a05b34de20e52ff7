import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ERROR_CODES } from './core/errors.ts';

const documented = [...readFileSync('docs/errors.md', 'utf8').matchAll(/^\| `([A-Z_]+)` \|/gm)].map(
  ([, code]) => code,
);

it('explains every error code in docs/errors.md, in alphabetical order', () => {
  expect(documented).toEqual([...ERROR_CODES].sort());
});
