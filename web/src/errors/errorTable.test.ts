import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ERROR_CODES } from '../../../shared/core/errors.ts';
import { errorTable } from './errorTable.ts';

it('the page of errors has cause and remedy of each code, without links into the documentation', () => {
  const rows = errorTable(readFileSync(new URL('../../../docs/errors.md', import.meta.url), 'utf8'));
  expect(rows.map(({ code }) => code).toSorted()).toEqual([...ERROR_CODES].toSorted());
  expect(errorTable('| `A_B` | f | see [a](b.md) | c |\n| A | f | c | r |\n\n| `C` | f | c |')).toEqual([
    { code: 'A_B', family: 'f', cause: 'see a', remedy: 'c' },
  ]);
  for (const { code, cause, remedy } of rows) {
    expect(cause.length, code).toBeGreaterThan(10);
    expect(remedy, code).not.toMatch(/\]\((?!https?:)|^$/);
  }
});
