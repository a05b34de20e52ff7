// The errors of the service.

import { status } from '@grpc/grpc-js';
import { StatusError } from '../grpcServer.ts';

/** A request that can never succeed. */
export const invalid = (details: string): StatusError => new StatusError(status.INVALID_ARGUMENT, details);
