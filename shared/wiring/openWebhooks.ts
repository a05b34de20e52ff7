// Wires webhooks: the settings of webhooks.yaml, with the secrets from its variables.

import type { Webhooks } from '../api/http/webhook.ts';
import { createSnsService } from '../api/webhooks/snsService.ts';
import { missingWebhookSecrets, type WebhooksConfig, webhookSecrets } from '../config/webhooks.ts';
import type { Logger } from '../core/contract/logger.ts';
import { DEFAULT_TENANT } from '../core/schema/session.ts';

/**
 * The webhooks of a configuration. A variable that lacks its secret is logged, and stops nothing: the other
 * sources go on.
 * @param fetch sends requests to SNS. Default: Node's `fetch`.
 */
export function openWebhooks(
  config: WebhooksConfig,
  env: NodeJS.ProcessEnv,
  log: Pick<Logger, 'warn'>,
  fetch: typeof globalThis.fetch = globalThis.fetch,
): Webhooks {
  for (const { source, message } of missingWebhookSecrets(config, env))
    log.warn(`webhook ${source}: ${message}`);
  const sources = Object.entries(config).flatMap(([source, entry]) => {
    if (entry === undefined) return [];
    const secrets = 'secretEnv' in entry ? webhookSecrets(entry.secretEnv, env) : [];
    const topics = 'topics' in entry ? entry.topics : [];
    const signsTime = !('signedTime' in entry && entry.signedTime === false);
    const { tenant: tenantId = DEFAULT_TENANT } = entry;
    const chain = 'chain' in entry ? entry.chain : undefined;
    return [[source, { tenantId, chain, secrets, topics, signsTime }] as const];
  });
  return { sources: Object.fromEntries(sources), sns: createSnsService(fetch) };
}
