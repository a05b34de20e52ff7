// Distinguishes calls refused for a missing permission from outages, and names the role.

import { type ErrorCode, errorMessage, RetryableError } from '../core/errors.ts';

/** The gRPC status codes of such calls (https://grpc.io/docs/guides/status-codes/). */
const PERMISSION_DENIED = 7;
const UNAUTHENTICATED = 16;

/** The role that a service requires, and the codes of its refusals. */
interface NeededRight {
  /** The role and where it is granted. */
  role: string;
  /** The code of a call that lacks the role. */
  denied: ErrorCode;
  /** The code of a call without valid credentials. */
  unauthenticated: ErrorCode;
}

const LOGIN =
  'no valid credentials: run it as a service account of Google Cloud, or on one machine run `gcloud auth application-default login`';

/**
 * The error of a call that was refused; undefined for any other error. It is retryable: a redelivery succeeds
 * as soon as the right is granted.
 * @param action names the call in messages.
 */
export function refusedCall(error: unknown, action: string, needed: NeededRight): RetryableError | undefined {
  const status = error instanceof Error && 'code' in error ? error.code : undefined;
  const text = errorMessage(error);
  if (status === PERMISSION_DENIED) {
    const message = `${action}: ${text}; grant ${needed.role} to the service account that this runs as`;
    return new RetryableError(needed.denied, message, { cause: error });
  }
  // The client of Google found none, so that nothing was sent.
  const hasNone = text.includes('Could not load the default credentials');
  if (status !== UNAUTHENTICATED && !hasNone) return undefined;
  return new RetryableError(needed.unauthenticated, `${action}: ${text}; ${LOGIN}`, { cause: error });
}
