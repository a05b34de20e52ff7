import { expect, it } from 'vitest';
import { fieldList, withoutFields } from './fieldList.ts';

it.each([
  ['without a list', undefined, ['pods_get', 'pods_top', 'other']],
  ['with an unknown list', 'others', ['pods_get', 'pods_top', 'other']],
  ['with a list', 'kubernetes', ['other']],
])('tools that yield states %s have no fields: %s', (_, fields, expected) => {
  const yields = { '*': 'state', '*_log': 'text' };
  expect(withoutFields(['pods_get', 'pods_top', 'other', 'pods_log'], { yields, fields })).toEqual(expected);
  expect(withoutFields(['other'], { fields })).toEqual([]);
});

it('a list is read once, and by its plain name only', () => {
  expect(fieldList('kubernetes')).toBe(fieldList('kubernetes'));
  expect(['others', '../fields/kubernetes', 'Kubernetes'].map(fieldList)).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});
