// A call of the Firestore SDK as this code wants it: within a time limit, and failing with errors of ours.

import { InquestError, RetryableError, TerminalError } from '../../errors.ts';

/** gRPC status codes that mean something of their own (https://grpc.io/docs/guides/status-codes/). */
export const STATUS = {
  INVALID_ARGUMENT: 3,
  NOT_FOUND: 5,
  ALREADY_EXISTS: 6,
  FAILED_PRECONDITION: 9,
  ABORTED: 10,
} as const;

/**
 * Runs one call. `what` names it in messages; the SDK alone would go on retrying for ten minutes.
 * @throws TerminalError `DOCUMENT_INVALID` for what Firestore never takes; RetryableError `STORE_CONFLICT` after
 *   contention, `STORE_UNAVAILABLE` after anything else and after `timeoutMs`.
 */
export async function callFirestore<T>(what: string, timeoutMs: number, work: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    const late = () =>
      reject(new RetryableError('STORE_UNAVAILABLE', `${what}: no answer within ${timeoutMs} ms`));
    timer = setTimeout(late, timeoutMs);
  });
  try {
    return await Promise.race([work(), timeout]);
  } catch (error) {
    throw translated(error, what);
  } finally {
    clearTimeout(timer);
  }
}

/** What the SDK threw, as an error of ours. */
export function translated(error: unknown, what: string): unknown {
  if (error instanceof InquestError) return error;
  const message = `${what}: ${error instanceof Error ? error.message : String(error)}`;
  switch (statusOf(error)) {
    case STATUS.INVALID_ARGUMENT:
      return new TerminalError('DOCUMENT_INVALID', message, { cause: error });
    case STATUS.ABORTED:
      return new RetryableError('STORE_CONFLICT', message, { cause: error });
    default:
      return new RetryableError('STORE_UNAVAILABLE', message, { cause: error });
  }
}

/** The gRPC status of what the SDK threw. */
export function statusOf(error: unknown): number | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'number' ? code : undefined;
}
