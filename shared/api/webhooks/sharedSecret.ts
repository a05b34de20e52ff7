// Verifies sources that send the shared secret instead of a signature.

import { createHash, timingSafeEqual } from 'node:crypto';
import { Problem } from '../http/problem.ts';
import type { VerifyWebhook } from '../http/webhook.ts';

const HEADER = 'X-Webhook-Secret';

/**
 * Accepts `Authorization: Bearer SECRET`, basic authentication with the secret as password and any name, and
 * `X-Webhook-Secret: SECRET`.
 */
export const verifySecret: VerifyWebhook = async ({ headers }, { secrets }) => {
  const given = [readCredential(headers.get('authorization')), headers.get(HEADER)?.trim()].filter(
    (text): text is string => text !== undefined && text !== '',
  );
  if (given.length === 0)
    throw new Problem(
      'SIGNATURE_INVALID',
      `header Authorization: is missing; send "Authorization: Bearer SECRET", basic authentication with the secret as password, or "${HEADER}: SECRET"`,
    );
  if (!hasMatch(secrets, given))
    throw new Problem(
      'SIGNATURE_INVALID',
      'header Authorization: the secret does not match; compare it with the variable that secretEnv names',
    );
};

/** The credentials after the scheme; for `Basic` the password. */
function readCredential(header: string | null): string | undefined {
  const [, scheme = '', credential = ''] = /^(\w+)\s+(\S.*)$/.exec(header?.trim() ?? '') ?? [];
  switch (scheme.toLowerCase()) {
    case 'bearer':
      return credential;
    case 'basic': {
      const [, password] = /^[^:]*:(.*)$/s.exec(Buffer.from(credential, 'base64').toString('utf8')) ?? [];
      return password;
    }
    default:
      return undefined;
  }
}

const digestSecret = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Whether one of `given` is one of `expected`, in constant time. */
export function hasMatch(expected: readonly string[], given: readonly string[]): boolean {
  const digests = given.map(digestSecret);
  // Does not stop at the first match, because the time would reveal its position.
  const matches = expected.flatMap((text) => {
    const digest = digestSecret(text);
    return digests.map((one) => timingSafeEqual(one, digest));
  });
  return matches.includes(true);
}
