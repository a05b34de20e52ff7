// The types of webhooks: requests that their source authenticates with its own method.

import type { X509Certificate } from 'node:crypto';
import type { WebhookSource } from '../../alerts/sources.ts';

/** The entry of a source in webhooks.yaml, with its secrets. */
export interface WebhookSettings {
  /** The tenant that owns the alerts. */
  tenantId: string;
  /** The chain for its alerts. Undefined: the rules of the chains select one. */
  chain: string | undefined;
  /** Valid secrets; several during a rotation. Empty if no variable is set, and for SNS. */
  secrets: readonly string[];
  /** The ARNs of the allowed SNS topics. */
  topics: readonly string[];
  /** Whether the source must sign the time. Used for Grafana only. */
  signsTime: boolean;
}

/** Requests to SNS. */
export interface SnsService {
  /**
   * The certificate at an address. @throws Problem `SIGNATURE_INVALID`; RetryableError `SOURCE_UNAVAILABLE`.
   */
  certificateAt(url: URL): Promise<X509Certificate>;
  /** Caches a certificate after it verified a message, so that unverified ones cannot displace it. */
  keep(url: URL, certificate: X509Certificate): void;
  /** Visits the address that confirms a subscription. @throws RetryableError `SOURCE_UNAVAILABLE`. */
  confirm(url: URL): Promise<void>;
}

/** The webhooks of the configuration. */
export interface Webhooks {
  /** Settings by source; a source without an entry is refused. */
  sources: Readonly<Partial<Record<WebhookSource, WebhookSettings>>>;
  /** Requests to SNS for its certificates and subscriptions. */
  sns: SnsService;
}

/** A request before its source is verified. */
export interface UnverifiedRequest {
  /** All headers, untrusted. */
  headers: Headers;
  /** Reads the body as received. @throws Problem `REQUEST_TOO_LARGE`. */
  body(): Promise<Buffer>;
}

/** A delivery of a webhook. */
export interface Delivery {
  /** SHA-256 in hexadecimal digits: the same for each copy of the delivery. */
  id: string;
  /** Milliseconds for which an equal request is a copy; infinite if a source never repeats a body. */
  windowMs: number;
}

/** A request whose source is verified. */
export interface VerifiedRequest {
  /** All headers. */
  headers: Headers;
  /** The body as received. */
  body: Buffer;
}

/** Verifies that a request is from its source. @throws Problem `SIGNATURE_INVALID` and others. */
export type VerifyWebhook = (
  request: UnverifiedRequest,
  settings: WebhookSettings,
  context: { now: Date; sns: SnsService },
) => Promise<void>;
