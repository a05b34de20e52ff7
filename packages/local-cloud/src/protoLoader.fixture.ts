// Google's protocol definitions for clients of the bare protocol.

import { createRequire } from 'node:module';
import type { ServiceDefinition } from '@grpc/grpc-js';
import { fromJSON } from '@grpc/proto-loader';

/** A service of a file of compiled definitions; its messages are as the local cloud has them. */
export function loadService(file: string, name: string): ServiceDefinition {
  const json = createRequire(import.meta.url)(file) as Parameters<typeof fromJSON>[0];
  return fromJSON(json, { longs: String, enums: String, oneofs: true })[name] as ServiceDefinition;
}
