// The common part of the routes of all webhooks.

import {
  CHANGE_SOURCES,
  type ChangeSource,
  WEBHOOK_PROOFS,
  type WebhookScheme,
  type WebhookSource,
} from '../../alerts/sources.ts';
import { Problem } from '../http/problem.ts';
import type { ApiDeps, Caller, Route } from '../http/route.ts';
import { ALERT_PROBLEMS } from '../http/submitAlert.ts';
import type { UnverifiedRequest, VerifyWebhook, WebhookSettings, Webhooks } from '../http/webhook.ts';
import { identifyDelivery } from './deliveryId.ts';
import { verifySecret } from './sharedSecret.ts';
import {
  verifyFlux,
  verifyGitlab,
  verifyGrafana,
  verifyHmac,
  verifyPagerDuty,
  verifySentry,
} from './signatures.ts';
import { verifySns } from './verifySns.ts';

const SCHEMES: Record<WebhookScheme, VerifyWebhook> = {
  grafana: verifyGrafana,
  pagerduty: verifyPagerDuty,
  sentry: verifySentry,
  gitlab: verifyGitlab,
  flux: verifyFlux,
  sns: verifySns,
};

/** The verification of a source, and its proof in the OpenAPI document. */
function chooseProof(source: WebhookSource): { verify: VerifyWebhook; text: string } {
  const { signature, text } = WEBHOOK_PROOFS[source];
  if (signature === undefined)
    return { verify: verifySecret, text: text ?? 'the secret in Authorization or X-Webhook-Secret' };
  return typeof signature === 'string'
    ? { verify: SCHEMES[signature], text: text ?? signature }
    : { verify: verifyHmac(signature), text: text ?? signature.header };
}

const isChangeSource = (source: WebhookSource): source is ChangeSource =>
  CHANGE_SOURCES.some((one) => one === source);

/** The common part of the routes of all sources. */
export const describeWebhook = (source: WebhookSource) =>
  ({
    method: 'post',
    path: `/v1/webhooks/${source}`,
    id: `receive_${source.replaceAll('-', '_')}`,
    summary:
      source === 'generic' ? 'Accepts a webhook of any other source' : `Accepts a webhook of ${source}`,
    description: `Publishes its ${isChangeSource(source) ? 'change like `submitChange`' : 'alert like `submitAlert`'}. Authenticated by ${chooseProof(source).text}.`,
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
    await chooseProof(source).verify(request, settings, { now: clock.now(), sns: webhooks.sns });
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
