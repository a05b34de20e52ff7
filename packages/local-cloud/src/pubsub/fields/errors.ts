// The errors of Pub/Sub, with the messages of the official emulator where it has the same check.

import { StatusError, status } from '../../protocol/status.ts';

/** The error INVALID_ARGUMENT. */
export const invalid = (details: string): StatusError => new StatusError(status.INVALID_ARGUMENT, details);
/** The error NOT_FOUND. */
export const notFound = (details: string): StatusError => new StatusError(status.NOT_FOUND, details);
/** The error ALREADY_EXISTS. */
export const alreadyExists = (details: string): StatusError =>
  new StatusError(status.ALREADY_EXISTS, details);
/** The error FAILED_PRECONDITION. */
export const failedPrecondition = (details: string): StatusError =>
  new StatusError(status.FAILED_PRECONDITION, details);
/** The error OUT_OF_RANGE. */
export const outOfRange = (details: string): StatusError => new StatusError(status.OUT_OF_RANGE, details);

/** For a feature that the local cloud does not have. A request that uses it fails. */
export const unimplemented = (feature: string): StatusError =>
  new StatusError(status.UNIMPLEMENTED, `the local cloud does not have ${feature}`);
