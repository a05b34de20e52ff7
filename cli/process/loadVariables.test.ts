import { expect, it } from 'vitest';
import { parseVariables } from './loadVariables.ts';

it.each([
  ['A=foo#bar', 'foo#bar'],
  ['A=#bar', ''],
  ['A=foo #bar', 'foo'],
  ['export A=a b#c # d\r\nB=1', 'a b#c'],
  ['A="foo#bar" # c', 'foo#bar'],
  ["A=it's#one", "it's#one"],
  ['B="x\nA=y#z\n"\nA=1', '1'],
])('reads %j as a shell does', (text, value) => {
  expect(parseVariables(text).A).toBe(value);
});
