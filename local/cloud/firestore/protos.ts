// Firestore's protocol file, and documents as bytes.

import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { MessageTypeDefinition } from '@grpc/proto-loader';
import { loadProtos } from '../protoFiles.ts';
import type { Fields } from './values/value.ts';

/** The compiled definitions that the client brings with it; the package does not export them by name. */
export const PROTOS = fileURLToPath(
  new URL(
    '../protos/v1.json',
    pathToFileURL(createRequire(import.meta.url).resolve('@google-cloud/firestore')),
  ),
);

type Codec = Pick<
  MessageTypeDefinition<{ fields: Fields }, { fields?: Fields }>,
  'serialize' | 'deserialize'
>;
const codec = () => loadProtos(PROTOS)['google.firestore.v1.Document'] as unknown as Codec;

/** Fields as bytes of the protocol's `Document`. */
export const encodeFields = (fields: Fields): Buffer => codec().serialize({ fields });

export const decodeFields = (bytes: Uint8Array): Fields =>
  codec().deserialize(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)).fields ?? {};
