// Firestore's protocol file, and documents as bytes.

import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Type } from 'protobufjs';
import { decode, encode, loadProtos } from '../../protocol/protoFiles.ts';
import type { Fields } from './value.ts';

/** The compiled definitions that the client brings with it; the package does not export them by name. */
export const PROTOS = fileURLToPath(
  new URL(
    '../protos/v1.json',
    pathToFileURL(createRequire(import.meta.url).resolve('@google-cloud/firestore')),
  ),
);

const PACKAGE = 'google.firestore.v1';
const types = new Map<string, Type>();

/** A message type of the protocol: `Document`. */
export function lookupMessageType(name: string): Type {
  const type = types.get(name) ?? loadProtos(PROTOS).lookupType(`${PACKAGE}.${name}`);
  types.set(name, type);
  return type;
}

/** Fields as bytes of the protocol's `Document`. */
export const encodeFields = (fields: Fields): Uint8Array => encode(lookupMessageType('Document'), { fields });

/** The fields in the bytes of a `Document`. */
export function decodeFields(bytes: Uint8Array): Fields {
  // Of a Buffer, texts are decoded faster and bytes are Buffers.
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return decode(lookupMessageType('Document'), buffer).fields ?? {};
}
