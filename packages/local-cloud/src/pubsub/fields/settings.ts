// The settings of a subscription: validation and defaults.

import type { Message } from '../../protocol/protoFiles.ts';
import { checkDuration, type Duration, durationMs, ofSeconds } from './durations.ts';
import { invalid, outOfRange, unimplemented } from './errors.ts';
import { checkFilter } from './filter.ts';
import { checkName } from './names.ts';

const DAY_SECONDS = 86_400;
const ACK_DEADLINE_SECONDS = { min: 10, max: 600 };
const RETENTION_SECONDS = { min: 600, max: 31 * DAY_SECONDS };
const EXPIRATION_SECONDS = { min: DAY_SECONDS, max: Number.MAX_SAFE_INTEGER };
const BACKOFF_SECONDS = { min: 0, max: 600 };
const DELIVERY_ATTEMPTS = { min: 5, max: 100 };

/** Settings as stored and returned, with the names of the protocol. */
export interface Settings {
  /** An empty endpoint makes it a pull subscription. */
  pushConfig: {
    pushEndpoint: string;
    attributes: Record<string, string>;
    /** The token of each push. Absent: none. An empty audience is the endpoint. */
    oidcToken?: { serviceAccountEmail: string; audience: string };
  };
  /** 10 to 600. */
  ackDeadlineSeconds: number;
  /** Whether Seek can restore acked messages. */
  retainAckedMessages: boolean;
  /** 10 minutes to 31 days. */
  messageRetentionDuration: Duration;
  /** Stored without effect; empty for none. */
  labels: Record<string, string>;
  /** Whether messages with the same ordering key are delivered one after the other. */
  enableMessageOrdering: boolean;
  /** Stored without effect: subscriptions of the local cloud do not expire. */
  expirationPolicy: { ttl: Duration | null } | null;
  /** null: failed messages are redelivered without limit. */
  deadLetterPolicy: { deadLetterTopic: string; maxDeliveryAttempts: number } | null;
  /** null: failed messages are redelivered immediately. */
  retryPolicy: { minimumBackoff: Duration; maximumBackoff: Duration } | null;
  /** Whether acks after the deadline are refused. */
  enableExactlyOnceDelivery: boolean;
  /** Selects messages by their attributes; '' for all. */
  filter: string;
  /** Whether it was detached from its topic. */
  detached: boolean;
}

/**
 * The settings in a request, with defaults for absent fields.
 * @throws StatusError INVALID_ARGUMENT, OUT_OF_RANGE, or UNIMPLEMENTED for missing features.
 */
export function checkSettings(subscription: Message): Settings {
  refuseMissing(subscription);
  const retention = subscription.messageRetentionDuration ?? ofSeconds(7 * DAY_SECONDS);
  checkDuration('message_retention_duration', retention, RETENTION_SECONDS);
  return {
    pushConfig: checkPushConfig(subscription.pushConfig),
    ackDeadlineSeconds: checkAckDeadline(subscription.ackDeadlineSeconds),
    retainAckedMessages: subscription.retainAckedMessages ?? false,
    messageRetentionDuration: retention,
    labels: subscription.labels ?? {},
    enableMessageOrdering: subscription.enableMessageOrdering ?? false,
    expirationPolicy: checkExpiration(subscription.expirationPolicy),
    deadLetterPolicy: checkDeadLetters(subscription.deadLetterPolicy),
    retryPolicy: checkRetries(subscription.retryPolicy),
    enableExactlyOnceDelivery: subscription.enableExactlyOnceDelivery ?? false,
    filter: checkFilter(subscription.filter ?? ''),
    detached: false,
  };
}

function refuseMissing({ pushConfig, ...subscription }: Message): void {
  const missing = {
    'BigQuery subscriptions': subscription.bigqueryConfig,
    'Cloud Storage subscriptions': subscription.cloudStorageConfig,
    'Bigtable subscriptions': subscription.bigtableConfig,
    'message transforms': subscription.messageTransforms?.length,
    'push without the wrapper': pushConfig?.noWrapper,
    'push in the format of v1beta1': pushConfig?.attributes?.['x-goog-version'] === 'v1beta1',
  };
  for (const [feature, isUsed] of Object.entries(missing)) if (isUsed) throw unimplemented(feature);
}

/** @throws StatusError INVALID_ARGUMENT */
function checkPushConfig(config: Message): Settings['pushConfig'] {
  const pushEndpoint: string = config?.pushEndpoint ?? '';
  if (pushEndpoint !== '') {
    const protocol = URL.parse(pushEndpoint)?.protocol ?? '';
    if (!['http:', 'https:'].includes(protocol)) throw invalid('Unsupported push_endpoint');
  }
  return {
    pushEndpoint,
    attributes: config?.attributes ?? {},
    ...(config?.oidcToken && { oidcToken: checkToken(config.oidcToken) }),
  };
}

/** @throws StatusError INVALID_ARGUMENT */
function checkToken({ serviceAccountEmail = '', audience = '' }: Message): {
  serviceAccountEmail: string;
  audience: string;
} {
  if (!/^[^\s@]+@[^\s@]+$/.test(serviceAccountEmail))
    throw invalid(`Invalid service account email (${serviceAccountEmail}).`);
  return { serviceAccountEmail, audience };
}

/** @throws StatusError INVALID_ARGUMENT */
function checkAckDeadline(seconds: number | undefined): number {
  const { min, max } = ACK_DEADLINE_SECONDS;
  const deadline = seconds || min;
  if (deadline < min || deadline > max) throw invalid('ack_deadline_secs out of bounds');
  return deadline;
}

function checkExpiration(policy: Message): Settings['expirationPolicy'] {
  if (policy?.ttl) checkDuration('expiration_policy.ttl', policy.ttl, EXPIRATION_SECONDS);
  return policy ? { ttl: policy.ttl ?? null } : null;
}

function checkDeadLetters(policy: Message): Settings['deadLetterPolicy'] {
  if (!policy) return null;
  const { min, max } = DELIVERY_ATTEMPTS;
  const attempts: number = policy.maxDeliveryAttempts || min;
  const message = (size: string, limit: string) =>
    `The value for max_delivery_attempts is too ${size}. You passed ${attempts} in the request, but the ${limit}.`;
  if (attempts < min) throw outOfRange(message('small', `minimum value is ${min}`));
  if (attempts > max) throw outOfRange(message('large', `maximum value is ${max}`));
  return {
    deadLetterTopic: checkName('topics', policy.deadLetterTopic),
    maxDeliveryAttempts: attempts,
  };
}

function checkRetries(policy: Message): Settings['retryPolicy'] {
  if (!policy) return null;
  const minimumBackoff: Duration = policy.minimumBackoff ?? ofSeconds(10);
  const maximumBackoff: Duration = policy.maximumBackoff ?? ofSeconds(BACKOFF_SECONDS.max);
  checkDuration('minimum_backoff', minimumBackoff, BACKOFF_SECONDS);
  checkDuration('maximum_backoff', maximumBackoff, BACKOFF_SECONDS);
  if (durationMs(maximumBackoff) < durationMs(minimumBackoff)) {
    throw invalid('The value for maximum_backoff is too small: it is less than minimum_backoff.');
  }
  return { minimumBackoff, maximumBackoff };
}
