// What the routes of all webhooks have in common.

import type { SecretSource } from '../../alerts/webhookSource.ts';
import { CHANGE_SOURCES, type ChangeSource, type WebhookSource } from '../../alerts/webhookSource.ts';
import { Problem } from '../http/problem.ts';
import type { ApiDeps, Caller, Route } from '../http/route.ts';
import { ALERT_PROBLEMS } from '../http/submitAlert.ts';
import type { UnverifiedRequest, VerifyWebhook, WebhookSettings, Webhooks } from '../http/webhook.ts';
import { identifyDelivery } from './deliveryId.ts';
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

/** The proof of each source, for the OpenAPI document. */
const PROOFS = {
  alertmanager: 'the secret in Authorization',
  grafana: 'X-Grafana-Alerting-Signature, or the secret in Authorization',
  pagerduty: 'X-PagerDuty-Signature',
  sentry: 'Sentry-Hook-Signature',
  datadog: 'the secret in Authorization or X-Webhook-Secret',
  opsgenie: 'the secret in Authorization or X-Webhook-Secret',
  generic: 'the secret in Authorization or X-Webhook-Secret',
  github: 'X-Hub-Signature-256',
  gitlab: 'X-Gitlab-Token',
  flux: 'X-Signature, or the secret in Authorization',
  launchdarkly: 'X-LD-Signature',
  'terraform-cloud': 'X-TFE-Notification-Signature',
  argocd: 'the secret in Authorization or X-Webhook-Secret',
  unleash: 'the secret in Authorization or X-Webhook-Secret',
  cdevents: 'the secret in Authorization or X-Webhook-Secret',
  changes: 'the secret in Authorization or X-Webhook-Secret',
  sns: 'the signature in the body, of a topic that webhooks.yaml names',
} as const satisfies Record<WebhookSource, string>;

const isChangeSource = (source: WebhookSource): source is ChangeSource =>
  CHANGE_SOURCES.some((one) => one === source);

/** What the routes of all sources have in common. */
export const webhookOf = (source: WebhookSource) =>
  ({
    method: 'post',
    path: `/v1/webhooks/${source}`,
    id: `receive_${source.replaceAll('-', '_')}`,
    summary:
      source === 'generic' ? 'Accepts a webhook of any other source' : `Accepts a webhook of ${source}`,
    description: `Publishes its ${isChangeSource(source) ? 'change like `submitChange`' : 'alert like `submitAlert`'}. Authenticated by ${PROOFS[source]}.`,
    role: 'responder',
    identify: (request, deps) => identifyWebhook(source, request, deps),
    delivery: (request, { webhooks }) => {
      const settings = webhooks.sources[source];
      return settings && identifyDelivery(source, request, settings);
    },
    body: 'bytes',
    problems: ['NOT_FOUND', 'SIGNATURE_INVALID', ...ALERT_PROBLEMS],
  }) as const satisfies Partial<Route>;

/**
 * Identifies the caller of a webhook. Refusals are logged with names only, without other content of the
 * request.
 * @throws Problem `NOT_FOUND` for a source that is not configured, `ACCESS_DENIED` for one without a secret,
 *   `SIGNATURE_INVALID` and the errors of its verification.
 */
async function identifyWebhook(
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
