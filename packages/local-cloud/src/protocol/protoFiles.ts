// Google's own protocol definitions, as they are installed with the clients.

import { createRequire } from 'node:module';
import protobuf, { type Method, type Reader, type Root, type Type } from 'protobufjs/light.js';

const loaded = new Map<string, Root>();

/** All services and messages of compiled definitions: `…/firestore/build/protos/v1.json`. */
export function loadProtos(file: string): Root {
  let root = loaded.get(file);
  if (root === undefined) {
    root = protobuf.Root.fromJSON(createRequire(import.meta.url)(file));
    loaded.set(file, root);
  }
  return root;
}

/** The message types of an RPC. Throws Error for a method without types. */
export function resolveRpcTypes(method: Method | undefined): { request: Type; response: Type } {
  method?.resolve();
  const { resolvedRequestType: request, resolvedResponseType: response } = method ?? {};
  if (!request || !response) throw new Error(`${method?.fullName ?? 'a method'} has no types`);
  return { request, response };
}

/** Requests and answers as the protocol files define them: camelCase, 64-bit numbers and enums as strings. */
// biome-ignore lint/suspicious/noExplicitAny: the messages are defined by Google's files and checked where they are read.
export type Message = any;

const FORM = { longs: String, enums: String, oneofs: true };

/** Decodes a message. Throws Error for invalid bytes. */
export const decode = (type: Type, bytes: Uint8Array | Reader): Message =>
  type.toObject(type.decode(bytes), FORM);

/** Encodes a message. Throws Error for values of wrong types. */
export const encode = (type: Type, message: Message): Uint8Array =>
  type.encode(type.fromObject(message)).finish();
