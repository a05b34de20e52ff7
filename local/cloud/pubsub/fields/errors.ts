// The errors that Pub/Sub answers with, worded as the official emulator words them where it has the check.

import { StatusError, status } from '../../protocol/status.ts';

export const invalid = (details: string): StatusError => new StatusError(status.INVALID_ARGUMENT, details);
export const notFound = (details: string): StatusError => new StatusError(status.NOT_FOUND, details);
export const alreadyExists = (details: string): StatusError =>
  new StatusError(status.ALREADY_EXISTS, details);
export const failedPrecondition = (details: string): StatusError =>
  new StatusError(status.FAILED_PRECONDITION, details);
export const outOfRange = (details: string): StatusError => new StatusError(status.OUT_OF_RANGE, details);

/** For what Pub/Sub has and this one lacks: a request that needs it fails instead of being half done. */
export const unimplemented = (what: string): StatusError =>
  new StatusError(status.UNIMPLEMENTED, `the local cloud does not have ${what}`);
