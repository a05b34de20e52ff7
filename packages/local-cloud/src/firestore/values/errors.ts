// The errors of the service.

import { StatusError, status } from '../../protocol/status.ts';

/** A request that can never succeed. */
export const invalid = (details: string): StatusError => new StatusError(status.INVALID_ARGUMENT, details);

/** A commit that contends with others. Google's clients try it again. */
export const aborted = (reason: string): StatusError =>
  new StatusError(status.ABORTED, `Too much contention on these documents. Please try again: ${reason}.`);
