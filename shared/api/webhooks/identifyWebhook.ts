// Identifies the caller of a webhook: verifies its source, and selects its tenant of webhooks.yaml.

import type { ChangeSource, SecretSource, WebhookSource } from '../../alerts/webhookSource.ts';
import { Problem } from '../http/problem.ts';
import type { ApiDeps, Caller } from '../http/route.ts';
import type { UnverifiedRequest, VerifyWebhook, WebhookSettings, Webhooks } from '../http/webhook.ts';
import { verifySecret } from './sharedSecret.ts';
import {
  verifyFlux,
  verifyGithub,
  verifyGitlab,
  verifyGrafana,
  verifyLaunchDarkly,
  verifyPagerDuty,
  verifySentry,
  verifyTerraformCloud,
} from './signatures.ts';
import { verifySns } from './verifySns.ts';

const VERIFY: Record<SecretSource | ChangeSource, VerifyWebhook> = {
  alertmanager: verifySecret,
  grafana: verifyGrafana,
  pagerduty: verifyPagerDuty,
  sentry: verifySentry,
  datadog: verifySecret,
  opsgenie: verifySecret,
  generic: verifySecret,
  github: verifyGithub,
  gitlab: verifyGitlab,
  flux: verifyFlux,
  launchdarkly: verifyLaunchDarkly,
  'terraform-cloud': verifyTerraformCloud,
  argocd: verifySecret,
  unleash: verifySecret,
  cdevents: verifySecret,
  changes: verifySecret,
};

/**
 * Identifies the caller of a webhook. Refusals are logged with names only, without other content of the
 * request.
 * @throws Problem `NOT_FOUND` for a source that is not configured, `ACCESS_DENIED` for one without a secret,
 *   `SIGNATURE_INVALID` and the errors of its verification.
 */
export async function identifyWebhook(
  source: WebhookSource,
  request: UnverifiedRequest,
  { webhooks, clock, log }: Pick<ApiDeps, 'webhooks' | 'clock' | 'log'>,
): Promise<Caller> {
  try {
    const settings = requireWebhookSettings(source, webhooks);
    const verify = source === 'sns' ? verifySns : VERIFY[source];
    await verify(request, settings, { now: clock.now(), sns: webhooks.sns });
    return { tenantId: settings.tenantId, name: `webhook ${source}`, userId: null, role: 'responder' };
  } catch (error) {
    if (error instanceof Problem)
      log.warn({ source, code: error.code }, `a webhook was refused: ${error.message}`);
    throw error;
  }
}

/** @throws Problem `NOT_FOUND`, `ACCESS_DENIED`. */
function requireWebhookSettings(source: WebhookSource, { sources }: Webhooks): WebhookSettings {
  const settings = sources[source];
  if (settings === undefined)
    throw new Problem(
      'NOT_FOUND',
      `webhooks of ${source} are not accepted: add ${source} to webhooks.yaml of the configuration`,
    );
  if (source !== 'sns' && settings.secrets.length === 0)
    throw new Problem(
      'ACCESS_DENIED',
      `webhooks of ${source} are not accepted: set the variable that secretEnv of ${source} in webhooks.yaml names; \`inquest doctor\` names it`,
    );
  return settings;
}
