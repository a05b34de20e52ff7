// Sources that sign nothing, and send a secret instead: Alertmanager, Datadog, Opsgenie, anything that can set a header.

import { Problem } from '../problem.ts';
import { hasMatch } from './secretText.ts';
import type { VerifyWebhook } from './webhook.ts';

const HEADER = 'X-Webhook-Secret';

/**
 * Takes `Authorization: Bearer SECRET`, basic authentication with the secret as password and any name, and
 * `X-Webhook-Secret: SECRET`.
 */
export const verifySecret: VerifyWebhook = async ({ headers }, { secrets }) => {
  const given = [credentialOf(headers.get('authorization')), headers.get(HEADER)?.trim()].filter(
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
      'header Authorization: is another secret than ours; compare it with the variable that secretEnv names',
    );
};

/** The credentials after the scheme; for `Basic` the password. */
function credentialOf(header: string | null): string | undefined {
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
