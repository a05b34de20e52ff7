// Verifies sources that sign the body (HMAC): PagerDuty, Sentry, Grafana, and sources of changes.

import { createHmac } from 'node:crypto';
import type { HmacHeader } from '../../alerts/sources.ts';
import { Problem } from '../http/problem.ts';
import type { UnverifiedRequest, VerifyWebhook } from '../http/webhook.ts';
import { checkUnixAge } from './replayProtection.ts';
import { hasMatch, verifySecret } from './sharedSecret.ts';

/**
 * https://developer.pagerduty.com/docs/verifying-webhook-signatures: one signature for each secret during a
 * rotation.
 */
export const verifyPagerDuty: VerifyWebhook = async (request, { secrets }) => {
  const header = 'X-PagerDuty-Signature';
  const signatures = (request.headers.get(header) ?? '')
    .split(',')
    .flatMap((entry) => /^v1=(\S+)$/.exec(entry.trim())?.[1] ?? []);
  await checkSignatures({ request, secrets, signatures, header });
};

/**
 * https://docs.sentry.io/organization/integrations/integration-platform/webhooks: the secret is the
 * integration's client secret. The time is not signed, so the check only prevents accidental replays.
 */
export const verifySentry: VerifyWebhook = async (request, { secrets }, { now }) => {
  const header = 'Sentry-Hook-Signature';
  const [sent] = readHeaderText(request.headers, 'Sentry-Hook-Timestamp');
  if (sent !== undefined) checkUnixAge(sent, now, 'Sentry-Hook-Timestamp');
  await checkSignatures({ request, secrets, signatures: readHeaderText(request.headers, header), header });
};

/** The verification of a source that signs the body in a header. */
export const verifyHmac =
  ({ hasPrefix, ...signed }: HmacHeader): VerifyWebhook =>
  (request, { secrets }) => {
    const texts = readHeaderText(request.headers, signed.header);
    const signatures = hasPrefix ? texts.map((text) => text.replace(/^sha256=/, '')) : texts;
    return checkSignatures({ request, secrets, signatures, ...signed });
  };

/** https://docs.gitlab.com/user/project/integrations/webhooks: the secret itself. */
export const verifyGitlab: VerifyWebhook = async ({ headers }, { secrets }) => {
  const header = 'X-Gitlab-Token';
  const given = readHeaderText(headers, header);
  if (given.length === 0)
    throw new Problem(
      'SIGNATURE_INVALID',
      `header ${header}: is missing; enter the secret as Secret token of the webhook`,
    );
  if (!hasMatch(secrets, given))
    throw new Problem(
      'SIGNATURE_INVALID',
      `header ${header}: the secret does not match; compare it with the variable that secretEnv names`,
    );
};

/**
 * https://fluxcd.io/flux/components/notification/providers: kind `generic-hmac`; kind `generic` sends the
 * secret.
 */
export const verifyFlux: VerifyWebhook = (request, settings, context) =>
  request.headers.has('X-Signature')
    ? verifyHmac({ header: 'X-Signature', hasPrefix: true })(request, settings, context)
    : verifySecret(request, settings, context);

/** The first is the default in Grafana's documentation, the second the default in its code. */
const GRAFANA_HEADERS = ['X-Grafana-Alerting-Signature', 'X-Grafana-Alert-Signature'] as const;
/** Grafana has no default name: shared/features/webhooks/README.md recommends this one. */
const GRAFANA_TIME = 'X-Grafana-Alerting-Timestamp';

/**
 * https://grafana.com/docs/grafana/latest/alerting/configure-notifications/manage-contact-points/integrations/webhook-notifier:
 * the time is signed with the body if the contact point configures a header for it. `signsTime` of the
 * configuration decides whether it is required. The request cannot decide it, because `TIME:BODY` signed as a
 * body is the same text. A contact point that does not sign sends the secret.
 */
export const verifyGrafana: VerifyWebhook = async (request, settings, context) => {
  const { headers } = request;
  const header = GRAFANA_HEADERS.find((name) => headers.has(name));
  if (header === undefined) return await verifySecret(request, settings, context);
  const { secrets, signsTime } = settings;
  const signatures = readHeaderText(headers, header);
  if (!signsTime) return await checkSignatures({ request, secrets, signatures, header });
  const sent = signedTimeOfGrafana(headers);
  if (sent === undefined)
    throw new Problem(
      'SIGNATURE_INVALID',
      `header ${GRAFANA_TIME}: is missing; enter this name as Timestamp Header of the contact point, or set signedTime: false for grafana in webhooks.yaml`,
    );
  checkUnixAge(sent, context.now, GRAFANA_TIME);
  await checkSignatures({ request, secrets, signatures, header, prefix: `${sent}:` });
};

/** The signed time of a request, for configurations that require one; undefined for an unsigned request. */
export function signedTimeOfGrafana(headers: Headers): string | undefined {
  return GRAFANA_HEADERS.some((name) => headers.has(name))
    ? readHeaderText(headers, GRAFANA_TIME)[0]
    : undefined;
}

function readHeaderText(headers: Headers, name: string): string[] {
  const text = headers.get(name)?.trim();
  return text ? [text] : [];
}

/** A request, its signatures, and the secrets that verify them. */
interface Signed {
  /** The request with its body. */
  request: UnverifiedRequest;
  /** Valid secrets; one match is enough. */
  secrets: readonly string[];
  /** Signatures of the request, in hexadecimal digits. */
  signatures: readonly string[];
  /** The header that holds the signatures. */
  header: string;
  /** The signed text before the body. */
  prefix?: string;
  /** Default: `sha256`. */
  algorithm?: HmacHeader['algorithm'];
}

/** Hexadecimal digits of a signature. */
const DIGITS = { sha256: 64, sha512: 128 };

/**
 * Checks the form of the signatures before the body is read.
 * @throws Problem `SIGNATURE_INVALID` if no signature matches one of the secrets.
 */
async function checkSignatures({
  request,
  secrets,
  signatures,
  header,
  prefix = '',
  algorithm = 'sha256',
}: Signed): Promise<void> {
  if (signatures.length === 0)
    throw new Problem(
      'SIGNATURE_INVALID',
      `header ${header}: is missing; the source has to sign with the secret`,
    );
  if (
    !signatures.some((signature) => signature.length === DIGITS[algorithm] && /^[0-9a-f]+$/.test(signature))
  )
    throw new Problem(
      'SIGNATURE_INVALID',
      `header ${header}: must hold the ${DIGITS[algorithm]} hexadecimal digits of an HMAC with ${algorithm.toUpperCase().replace('SHA', 'SHA-')}`,
    );
  const body = await request.body();
  const expected = secrets.map((secret) =>
    createHmac(algorithm, secret).update(prefix).update(body).digest('hex'),
  );
  if (!hasMatch(expected, signatures))
    throw new Problem(
      'SIGNATURE_INVALID',
      `header ${header}: does not match this body and the secret; compare the secret with the variable that secretEnv names, and check that no proxy changes the body`,
    );
}
