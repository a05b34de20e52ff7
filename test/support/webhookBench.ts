// The API with webhooks, and senders that prove themselves as the documentation of each source says.

import { createHmac } from 'node:crypto';
import { SECRET_SOURCES, type SecretSource } from '../../shared/alerts/sources.ts';
import { webhooksFileSchema } from '../../shared/config/webhooks.ts';
import { createLogger } from '../../shared/log.ts';
import { openWebhooks } from '../../shared/wiring/openWebhooks.ts';
import { PAYLOADS, payloadOf } from '../alerts/payloads.ts';
import { startApiBench } from './apiBench.ts';

/** Headers of a request. */
type HeadersOf = (body: Buffer, secret: string) => Record<string, string>;

/** How a source sends. */
export interface Sender {
  body: Buffer;
  headers: HeadersOf;
  /** What its alert is read as. */
  reads: string;
  /** Whether the body is part of the proof. */
  signs: boolean;
}

const computeHmac = (secret: string, ...parts: (string | Buffer)[]): string => {
  const hmac = createHmac('sha256', secret);
  for (const part of parts) hmac.update(part);
  return hmac.digest('hex');
};
const formatBasicAuth = (user: string, password: string): string =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
const seconds = (date: Date): string => String(Math.floor(date.getTime() / 1000));

/** What is different from `usualSender`. */
const OWN: Partial<Record<SecretSource, Partial<Sender>>> = {
  alertmanager: { body: payloadOf('alertmanager.v4.firing.json') },
  grafana: {
    body: payloadOf('grafana.unified.firing.json'),
    headers: (body, secret) => grafanaAt(new Date())(body, secret),
    signs: true,
  },
  pagerduty: {
    body: payloadOf('pagerduty.webhook.firing.json'),
    headers: (body, secret) => ({ 'X-PagerDuty-Signature': `v1=${computeHmac(secret, body)}` }),
    signs: true,
  },
  sentry: {
    body: payloadOf('sentry.issue.firing.json'),
    headers: (body, secret) => ({
      'Sentry-Hook-Signature': computeHmac(secret, body),
      'Sentry-Hook-Resource': 'issue',
    }),
    signs: true,
  },
  datadog: { headers: (_, secret) => ({ authorization: formatBasicAuth('datadog', secret) }) },
  opsgenie: { headers: (_, secret) => ({ 'x-webhook-secret': secret }) },
  generic: {
    body: payloadOf('json.plain.firing.json'),
    headers: (_, secret) => ({ authorization: `bearer ${secret}` }),
    reads: 'json',
  },
};

/** Sends the first alert of its payloads, with the secret. */
function usualSender(source: string): Sender {
  const firing = PAYLOADS.find((payload) => payload.source === source && payload.status === 'firing');
  return {
    body: firing?.data ?? Buffer.alloc(0),
    headers: (_, secret) => ({ authorization: `Bearer ${secret}` }),
    reads: source,
    signs: false,
  };
}

/** A sender of each source. */
export const SENDERS = Object.fromEntries(
  SECRET_SOURCES.map((source) => [source, { ...usualSender(source), ...OWN[source] }]),
) as Record<SecretSource, Sender>;

/** Grafana with a timestamp header: `HMAC(timestamp + ":" + body)`. */
export const grafanaAt =
  (sent: Date): HeadersOf =>
  (body, secret) => ({
    'X-Grafana-Alerting-Timestamp': seconds(sent),
    'X-Grafana-Alerting-Signature': computeHmac(secret, `${seconds(sent)}:`, body),
  });

/** Sentry as it sends: the time is not signed. */
export const sentryAt =
  (sent: Date): HeadersOf =>
  (body, secret) => ({ ...SENDERS.sentry.headers(body, secret), 'Sentry-Hook-Timestamp': seconds(sent) });

/**
 * The API with this webhooks.yaml. Everything that it logs is in `logged`.
 * @param options.env the variables that it names.
 */
export async function startWebhookBench(options: {
  webhooks: object;
  env?: Record<string, string>;
  fetch?: typeof globalThis.fetch;
  bench?: Partial<Parameters<typeof startApiBench>[0]>;
}) {
  const logged: string[] = [];
  const log = createLogger({ LOG_LEVEL: 'trace' }, { write: (text) => void logged.push(text) });
  const noNetwork: typeof globalThis.fetch = () =>
    Promise.reject(new Error('there is no network in this test'));
  const config = webhooksFileSchema(undefined).parse(options.webhooks);
  const webhooks = openWebhooks(config, options.env ?? {}, log, options.fetch ?? noNetwork);
  const api = await startApiBench({
    script: { conversations: [{ turns: [{ text: 'Done.' }] }] },
    inMemory: true,
    ...options.bench,
    webhooks,
  });
  Object.assign(api.deps.log, log);
  const post = (source: string, body: Buffer | string, headers: Record<string, string> = {}) =>
    api.ask(`/v1/webhooks/${source}`, {
      method: 'POST',
      body,
      headers: { host: 'inquest.example', ...headers },
    });
  return { ...api, post, logged };
}
