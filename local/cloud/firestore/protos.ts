// Firestore's protocol file, and documents as bytes.

import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { decode, encode, loadProtos, type Message } from '../protoFiles.ts';
import type { StoredDocument } from './documentStore.ts';
import { nameOf } from './names.ts';
import { toTimestamp } from './time.ts';
import type { Fields } from './values/value.ts';

/** The compiled definitions that the client brings with it; the package does not export them by name. */
export const PROTOS = fileURLToPath(
  new URL(
    '../protos/v1.json',
    pathToFileURL(createRequire(import.meta.url).resolve('@google-cloud/firestore')),
  ),
);

const PACKAGE = 'google.firestore.v1';
const typeOf = (name: string) => loadProtos(PROTOS).lookupType(`${PACKAGE}.${name}`);
/** https://protobuf.dev/programming-guides/encoding/#structure: a field of bytes with the number 1. */
const FIRST_FIELD = (1 << 3) | 2;

/** Fields as bytes of the protocol's `Document`. */
export const encodeFields = (fields: Fields): Uint8Array => encode(typeOf('Document'), { fields });

export const decodeFields = (bytes: Uint8Array): Fields => decode(typeOf('Document'), bytes).fields ?? {};

/** A whole `Document`. Fields whose bytes are at hand are not encoded again: in this format parts are put together. */
export function encodeDocument(document: StoredDocument): Uint8Array {
  const { createTime, updateTime, data = encodeFields(document.fields) } = document;
  const rest = {
    name: nameOf(document),
    createTime: toTimestamp(createTime),
    updateTime: toTimestamp(updateTime),
  };
  return Buffer.concat([typeOf('Document').encode(rest).finish(), data]);
}

/** An answer whose first field is a document: `RunQueryResponse.document`, `BatchGetDocumentsResponse.found`. */
export function encodeAnswer(
  type: 'RunQueryResponse' | 'BatchGetDocumentsResponse',
  document: StoredDocument,
  rest: Message,
): Uint8Array {
  const definition = typeOf(type);
  return definition
    .encode(definition.fromObject(rest))
    .uint32(FIRST_FIELD)
    .bytes(encodeDocument(document))
    .finish();
}
