// The outcomes of calls (https://grpc.github.io/grpc/core/md_doc_statuscodes.html), and the error that
// carries one.

/** The codes of gRPC. */
export const status = {
  OK: 0,
  CANCELLED: 1,
  UNKNOWN: 2,
  INVALID_ARGUMENT: 3,
  DEADLINE_EXCEEDED: 4,
  NOT_FOUND: 5,
  ALREADY_EXISTS: 6,
  PERMISSION_DENIED: 7,
  RESOURCE_EXHAUSTED: 8,
  FAILED_PRECONDITION: 9,
  ABORTED: 10,
  OUT_OF_RANGE: 11,
  UNIMPLEMENTED: 12,
  INTERNAL: 13,
  UNAVAILABLE: 14,
  DATA_LOSS: 15,
  UNAUTHENTICATED: 16,
} as const;

/** The error of a failed call: a code of gRPC and a message for the client. */
export class StatusError extends Error {
  readonly code: number;
  readonly details: string;
  /** Sent with it; names that end in `-bin` have bytes in base64. */
  readonly trailers: Record<string, string> = {};

  constructor(code: number, details: string) {
    super(details);
    this.code = code;
    this.details = details;
  }
}

/** The message of any thrown value. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The client's error for any error. A fault of this server is INTERNAL, printed with its stack. */
export function asStatusError(error: unknown): StatusError {
  if (error instanceof StatusError) return error;
  console.error(error);
  return new StatusError(status.INTERNAL, errorMessage(error));
}

/**
 * Runs a transaction for a client, whose library retries RESOURCE_EXHAUSTED for 10 s and more. A full disk
 * stays full until a person frees space.
 * @param code thrown for a full disk: one that the client does not retry.
 * @throws StatusError `code` when the disk is full; else what `work` throws.
 */
export function answerFullDisk<T>(code: number, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof StatusError) || error.code !== status.RESOURCE_EXHAUSTED) throw error;
    throw new StatusError(code, error.details);
  }
}
