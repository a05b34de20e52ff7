// Which addresses are of the public internet. All others (this machine, its network, the metadata of the
// cloud) are never asked for something that an alert names. Pure.

import { BlockList, isIP } from 'node:net';

/**
 * IANA's special-purpose addresses that are not of the public internet, of IPv4 and within `GLOBAL_UNICAST`:
 * https://www.iana.org/assignments/iana-ipv4-special-registry and
 * https://www.iana.org/assignments/iana-ipv6-special-registry.
 */
const SPECIAL: readonly [network: string, prefix: number][] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['2620:4f:8000::', 48],
  ['3fff::', 20],
];

/**
 * All public IPv6 addresses (RFC 4291). Addresses outside are reserved, private, multicast or embed an IPv4
 * address, so a special range that is registered there later is already rejected.
 */
const GLOBAL_UNICAST = ['2000::', 3] as const;

// A list of both would take IPv4 addresses for those of IPv6 that embed one, all of which are special.
const special = { ipv4: new BlockList(), ipv6: new BlockList() };
for (const [network, prefix] of SPECIAL) {
  const family = network.includes(':') ? 'ipv6' : 'ipv4';
  special[family].addSubnet(network, prefix, family);
}
const globalUnicast = new BlockList();
globalUnicast.addSubnet(...GLOBAL_UNICAST, 'ipv6');

/** Whether an IP address is one of the public internet. Anything that is no IP address is not. */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !special.ipv4.check(address, 'ipv4');
    case 6:
      return globalUnicast.check(address, 'ipv6') && !special.ipv6.check(address, 'ipv6');
    default:
      return false;
  }
}
