// Short keys of a message for destinations that limit ids, and the mark by which a probe finds it.

import { createHash } from 'node:crypto';

/** 40 hexadecimal digits that only this message has. */
export function messageKey(id: string): string {
  return createHash('sha256').update(`inquest:${id}`).digest('hex').slice(0, 40);
}

/** The key in the form of a UUID (RFC 9562, version 8). */
export function messageUuid(id: string): string {
  const key = messageKey(id);
  const variant = 'ab89'.charAt(Number.parseInt(key.charAt(16), 16) % 4);
  return `${key.slice(0, 8)}-${key.slice(8, 12)}-8${key.slice(13, 16)}-${variant}${key.slice(17, 20)}-${key.slice(20, 32)}`;
}
