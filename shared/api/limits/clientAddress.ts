// The client address of a request, without the entries that a client can forge. Pure.

import { isIP } from 'node:net';

/** All requests without a usable address share one limit. */
const UNKNOWN = 'unknown';
const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/**
 * The address of the client, as a key for limits. For IPv6 it is the 64-bit network, because a client has all
 * its addresses. Each proxy appends the address of its own client to `X-Forwarded-For`. So the last entries
 * are from the proxies before the API; all earlier ones are written by the client and untrusted.
 * @param proxies the number of proxies that append an entry; 0 ignores the header.
 * @param peer the other end of the connection, if known. Used when the header is missing.
 */
export function clientAddress(
  forwardedFor: string | undefined,
  peer: string | undefined,
  proxies: number,
): string {
  const entries = (forwardedFor ?? '').split(',').map((entry) => entry.trim());
  const forwarded = proxies === 0 ? '' : entries.at(-Math.min(proxies, entries.length));
  return toClientNetwork(forwarded || peer || '');
}

function toClientNetwork(address: string): string {
  const text = MAPPED.exec(address)?.[1] ?? address;
  switch (isIP(text)) {
    case 4:
      return text;
    case 6:
      return `${formatNetworkPrefix(text)}::/64`;
    default:
      return UNKNOWN;
  }
}

/** The first four groups of an IPv6 address, in one spelling. */
function formatNetworkPrefix(address: string): string {
  const [head = '', tail] = address.toLowerCase().split('%')[0]?.split('::') ?? [];
  const groupsOf = (part: string) =>
    part === '' ? [] : part.split(':').flatMap((group) => (group.includes('.') ? ['0', '0'] : [group]));
  const first = groupsOf(head);
  const last = tail === undefined ? [] : groupsOf(tail);
  const zeros = Array<string>(Math.max(0, 8 - first.length - last.length)).fill('0');
  return [...first, ...zeros, ...last]
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':');
}
