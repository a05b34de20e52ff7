// Verifies requests of Slack apps: https://docs.slack.dev/authentication/verifying-requests-from-slack.

import { createHmac } from 'node:crypto';
import { Problem } from '../http/problem.ts';
import type { UnverifiedRequest } from '../http/webhook.ts';
import { checkUnixAge } from './replayProtection.ts';
import { hasMatch } from './sharedSecret.ts';

const TIME = 'X-Slack-Request-Timestamp';
const SIGNATURE = 'X-Slack-Signature';

/**
 * The destinations whose app signed a request, over the bytes as received.
 * @param secrets the signing secrets by destination.
 * @throws Problem `ACCESS_DENIED` without secrets; `SIGNATURE_INVALID` for a request that is older than 5
 *   minutes, or that no secret signs.
 */
export async function verifySlack(
  { headers, body }: UnverifiedRequest,
  secrets: Readonly<Record<string, string>>,
  now: Date,
): Promise<string[]> {
  if (Object.keys(secrets).length === 0)
    throw new Problem(
      'ACCESS_DENIED',
      'no destination of kind slack has a signingSecret: buttons are off; see shared/features/deliveries/README.md',
    );
  const time = headers.get(TIME)?.trim() ?? '';
  checkUnixAge(time, now, TIME);
  const [, signature] = /^v0=([0-9a-f]{64})$/.exec(headers.get(SIGNATURE)?.trim() ?? '') ?? [];
  if (signature === undefined)
    throw new Problem('SIGNATURE_INVALID', `header ${SIGNATURE}: must be v0= and 64 hexadecimal digits`);
  const bytes = await body();
  const signers = Object.entries(secrets).filter(([, secret]) => {
    const expected = createHmac('sha256', secret).update(`v0:${time}:`).update(bytes).digest('hex');
    return hasMatch([expected], [signature]);
  });
  if (signers.length === 0)
    throw new Problem(
      'SIGNATURE_INVALID',
      `header ${SIGNATURE}: does not match this body; compare signingSecret of destinations.yaml with "Basic Information" of the app`,
    );
  return signers.map(([name]) => name);
}
