import { expect, it } from 'vitest';
import { CANARY_KIND } from './canary.ts';
import { createLeakCheck } from './secretLeak.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');
/** Masking finds `TOKEN` as a secret, and `TRAP` as a canary. */
const kindsIn = (text: string) => ({
  ...(text.includes('TOKEN') && { token: 1 }),
  ...(text.includes('TRAP') && { [CANARY_KIND]: 1 }),
});

it.each([
  ['disk full', undefined],
  ['a TOKEN', 'secret'],
  [`see ${base64('a TOKEN that is here')}`, 'secret'],
  ['h-u-n-t-e-r 2 2 2 2', 'secret'],
  ['2222retnuh', 'secret'],
  ['a TRAP', 'canary'],
  ['TRAP and TOKEN', 'canary'],
  ['c a n a r y 7 7 7 7', 'canary'],
  ['hunter2222 and canary7777', 'canary'],
  [`see ${base64('it is canary7777, is it not')}`, 'canary'],
  ['[masked:token]', 'mark'],
  ['masked:token#0a1b2c', 'mark'],
  ['masked:token', undefined],
  ['[masked:token] and TOKEN', 'secret'],
  [`[masked:token] ${base64('a TOKEN that is here')}`, 'secret'],
  [`see ${base64('it is [masked:token], yes')}`, 'mark'],
])('%j leaks %s', (text, leak) => {
  const check = createLeakCheck({ condensed: ['hunter2222', '2222retnuh'], canary: 'canary7777', kindsIn });
  expect(check(text)).toBe(leak);
  expect(check(text)).toBe(leak);
});
