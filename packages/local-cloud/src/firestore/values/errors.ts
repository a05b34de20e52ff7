// The errors of the service.

import { StatusError, status } from '../../protocol/status.ts';

/** A request that can never succeed. */
export const invalid = (details: string): StatusError => new StatusError(status.INVALID_ARGUMENT, details);
