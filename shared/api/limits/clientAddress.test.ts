import { expect, it } from 'vitest';
import { clientAddress } from './clientAddress.ts';

const PEER = '169.254.1.1';

it.each<[string | undefined, number, string]>([
  ['203.0.113.7', 1, '203.0.113.7'],
  ['1.1.1.1, 203.0.113.7', 1, '203.0.113.7'],
  ['1.1.1.1,2.2.2.2,203.0.113.7', 1, '203.0.113.7'],
  ['1.1.1.1, 203.0.113.7, 35.191.0.1', 2, '203.0.113.7'],
  ['203.0.113.7', 2, '203.0.113.7'],
  ['1.1.1.1, 203.0.113.7', 0, PEER],
  [undefined, 1, PEER],
  ['', 1, PEER],
  ['1.1.1.1, evil', 1, 'unknown'],
  ['1.1.1.1, 203.0.113.7:4711', 1, 'unknown'],
  ['::ffff:203.0.113.7', 1, '203.0.113.7'],
  ['2001:db8:1:2:3:4:5:6', 1, '2001:db8:1:2::/64'],
  ['2001:0DB8:0001:0002::1', 1, '2001:db8:1:2::/64'],
  ['2001:db8::', 1, '2001:db8:0:0::/64'],
  ['::1', 1, '0:0:0:0::/64'],
  ['64:ff9b::203.0.113.7', 1, '64:ff9b:0:0::/64'],
  ['fe80::1%eth0', 1, 'fe80:0:0:0::/64'],
])('the address of "%s" behind %i proxies is %s', (forwardedFor, proxies, address) => {
  expect(clientAddress(forwardedFor, PEER, proxies)).toBe(address);
});

it('without a header and a connection it is unknown', () => {
  expect(clientAddress(undefined, undefined, 1)).toBe('unknown');
});
