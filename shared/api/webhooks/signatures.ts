// Sources that sign the body with a secret they share with us (HMAC with SHA-256): PagerDuty, Sentry, Grafana.

import { createHmac } from 'node:crypto';
import { Problem } from '../problem.ts';
import { checkUnixAge } from './age.ts';
import { hasMatch } from './secretText.ts';
import { verifySecret } from './sharedSecret.ts';
import type { VerifyWebhook } from './webhook.ts';

/** https://developer.pagerduty.com/docs/verifying-webhook-signatures: one signature for each secret during a rotation. */
export const verifyPagerDuty: VerifyWebhook = async ({ headers, body }, { secrets }) => {
  const header = 'X-PagerDuty-Signature';
  const signatures = (headers.get(header) ?? '')
    .split(',')
    .flatMap((entry) => /^v1=(\S+)$/.exec(entry.trim())?.[1] ?? []);
  check(secrets, signatures, [await body()], header);
};

/**
 * https://docs.sentry.io/organization/integrations/integration-platform/webhooks: the secret is the integration's client
 * secret. The time is not part of what is signed, so that it stops no more than accidents.
 */
export const verifySentry: VerifyWebhook = async ({ headers, body }, { secrets }, { now }) => {
  const header = 'Sentry-Hook-Signature';
  check(secrets, textOf(headers, header), [await body()], header);
  const [sent] = textOf(headers, 'Sentry-Hook-Timestamp');
  if (sent !== undefined) checkUnixAge(sent, now, 'Sentry-Hook-Timestamp');
};

/** The first is the default that Grafana documents, the second the one that its code has. */
const GRAFANA_HEADERS = ['X-Grafana-Alerting-Signature', 'X-Grafana-Alert-Signature'] as const;
/** Grafana has no default name: docs/webhooks.md says to enter this one. */
const GRAFANA_TIME = 'X-Grafana-Alerting-Timestamp';

/**
 * https://grafana.com/docs/grafana/latest/alerting/configure-notifications/manage-contact-points/integrations/webhook-notifier:
 * the time is signed with the body where a header for it is configured. A contact point that does not sign sends the secret.
 */
export const verifyGrafana: VerifyWebhook = async (request, settings, context) => {
  const { headers, body } = request;
  const header = GRAFANA_HEADERS.find((name) => headers.has(name));
  if (header === undefined) return await verifySecret(request, settings, context);
  const [sent] = textOf(headers, GRAFANA_TIME);
  const content = sent === undefined ? [await body()] : [`${sent}:`, await body()];
  check(settings.secrets, textOf(headers, header), content, header);
  if (sent !== undefined) checkUnixAge(sent, context.now, GRAFANA_TIME);
};

function textOf(headers: Headers, name: string): string[] {
  const text = headers.get(name)?.trim();
  return text ? [text] : [];
}

/** @throws Problem `SIGNATURE_INVALID` when none of `signatures` is of one of the secrets, in hexadecimal digits. */
function check(
  secrets: readonly string[],
  signatures: readonly string[],
  content: readonly (string | Buffer)[],
  header: string,
): void {
  if (signatures.length === 0)
    throw new Problem(
      'SIGNATURE_INVALID',
      `header ${header}: is missing; the source has to sign with the secret`,
    );
  const expected = secrets.map((secret) => {
    const hmac = createHmac('sha256', secret);
    for (const part of content) hmac.update(part);
    return hmac.digest('hex');
  });
  if (!hasMatch(expected, signatures))
    throw new Problem(
      'SIGNATURE_INVALID',
      `header ${header}: is not of this body and our secret; compare the secret with the variable that secretEnv names, and let nothing change the body on its way`,
    );
}
