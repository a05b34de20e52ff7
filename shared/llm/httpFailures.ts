// Classifies HTTP statuses and broken connections for all providers. Clients read further details.

import { asObject, asText } from '../text/json.ts';
import type { FailureKind } from './failures.ts';

/** Longest text of a provider that goes into an error, in characters. */
export const MAX_DETAIL = 600;
/** Errors are wrapped a few times, never this often. */
const MAX_CAUSES = 5;

type StatusKind = Extract<
  FailureKind,
  'bad_request' | 'credentials' | 'unknown_model' | 'quota' | 'rate_limit' | 'unavailable'
>;

const KINDS_BY_STATUS: Readonly<Record<number, StatusKind>> = {
  401: 'credentials',
  402: 'quota',
  403: 'credentials',
  404: 'unknown_model',
  408: 'unavailable',
  409: 'unavailable',
  429: 'rate_limit',
};

/** Classifies a failed status: every 5xx is retryable, a 4xx that is not listed is a fault of the request. */
export function kindOfStatus(status: number): StatusKind {
  return KINDS_BY_STATUS[status] ?? (status >= 500 ? 'unavailable' : 'bad_request');
}

/** Whether a value is the HTTP status of a failure. */
export function isFailedStatus(value: unknown): value is number {
  return typeof value === 'number' && value >= 400 && value < 600;
}

/** A thrown value and its causes, outermost first. */
export function listCauses(thrown: unknown): Error[] {
  const chain: Error[] = [];
  let current = thrown;
  while (current instanceof Error && chain.length < MAX_CAUSES) {
    chain.push(current);
    current = current.cause;
  }
  return chain;
}

/**
 * The system's name for a broken connection (`ECONNREFUSED`, `UND_ERR_SOCKET`), wherever it stands in a chain
 * of causes.
 * @param isCode which codes count.
 */
export function connectionCode(chain: readonly Error[], isCode: RegExp): string | undefined {
  return chain
    .map((error) => asText(asObject(error).code))
    .find((code) => code !== undefined && isCode.test(code));
}

const UNIT_MS: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1_000, ms: 1 };

/** `48.9s`, `1h2m3s` and `250ms` as whole milliseconds, rounded up; undefined without a duration. */
export function durationMs(text: string): number | undefined {
  const pieces = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|h|m|s)/g)];
  if (pieces.length === 0) return undefined;
  const total = pieces.reduce(
    (sum, [, amount, unit]) => sum + Number(amount) * (UNIT_MS[unit ?? ''] ?? 0),
    0,
  );
  return Number.isFinite(total) ? Math.ceil(total) : undefined;
}
