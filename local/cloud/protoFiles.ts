// Google's own protocol definitions, as they are installed with the clients.

import { createRequire } from 'node:module';
import { fromJSON, type PackageDefinition } from '@grpc/proto-loader';

const loaded = new Map<string, PackageDefinition>();

/** All services and messages of a file of compiled definitions. It is read once; that takes some 50 ms. */
export function loadProtos(file: string): PackageDefinition {
  let definitions = loaded.get(file);
  if (definitions === undefined) {
    const json = createRequire(import.meta.url)(file) as Parameters<typeof fromJSON>[0];
    definitions = fromJSON(json, { longs: String, enums: String, oneofs: true });
    loaded.set(file, definitions);
  }
  return definitions;
}
