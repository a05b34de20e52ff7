// The types of webhooks: requests that their source authenticates with its own method.

import type { WebhookSource } from '../../schema/webhookSource.ts';
import type { SnsService } from './sns/snsService.ts';

/** The entry of a source in webhooks.yaml, with its secrets. */
export interface WebhookSettings {
  /** Whose the alerts are. */
  tenantId: string;
  /** The chain for its alerts. Undefined: the rules of the chains select one. */
  chain: string | undefined;
  /** Each of them is as good as the others, so that they can be rotated. Empty where no variable is set, and for SNS. */
  secrets: readonly string[];
  /** The ARNs of the allowed SNS topics. */
  topics: readonly string[];
  /** Whether the source signs the time, which is required then. Of Grafana only. */
  signsTime: boolean;
}

/** The webhooks of the configuration. */
export interface Webhooks {
  sources: Readonly<Partial<Record<WebhookSource, WebhookSettings>>>;
  sns: SnsService;
}

/** A request before it is known who sent it. */
export interface UnverifiedRequest {
  headers: Headers;
  /** The body as it came. @throws Problem `REQUEST_TOO_LARGE`. */
  body(): Promise<Buffer>;
}

/** Proves that a request is of its source. @throws Problem `SIGNATURE_INVALID` and others. */
export type VerifyWebhook = (
  request: UnverifiedRequest,
  settings: WebhookSettings,
  context: { now: Date; sns: SnsService },
) => Promise<void>;
