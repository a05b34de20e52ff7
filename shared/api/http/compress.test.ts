import { expect, it } from 'vitest';
import { acceptedEncoding } from './compress.ts';

it.each<[string | null | undefined, string | undefined, string | undefined]>([
  [undefined, undefined, undefined],
  [null, undefined, undefined],
  ['', undefined, undefined],
  ['identity', undefined, undefined],
  ['gzip', 'gzip', 'gzip'],
  ['br', 'br', 'br'],
  ['gzip, br', 'br', 'gzip'],
  ['GZIP;q=1, BR;Q=0.5', 'gzip', 'gzip'],
  ['gzip;q=0.5, br;q=0.9', 'br', 'br'],
  ['gzip, br;q=0.5', 'gzip', 'gzip'],
  ['br;q=0', undefined, undefined],
  ['br;q=0, *', 'gzip', 'gzip'],
  ['*', 'br', 'gzip'],
  ['*;q=0', undefined, undefined],
  ['*;q=0.1, gzip;q=0.2', 'gzip', 'gzip'],
  ['gzip;q=none', undefined, undefined],
  ['gzip ; x=1 ; q=0.3', 'gzip', 'gzip'],
])('of a client that accepts %j a text has %s, a stream %s', (header, text, stream) => {
  expect(acceptedEncoding(header)).toBe(text);
  expect(acceptedEncoding(header, ['gzip', 'br'])).toBe(stream);
});
