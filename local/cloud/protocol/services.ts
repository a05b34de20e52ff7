// What the servers serve: services of Google's protocol files, as functions.

import type { Call } from './call.ts';
import type { Message } from './protoFiles.ts';

/**
 * One RPC. A unary one returns its answer or throws a `StatusError`; its signal is aborted when the client has gone. One
 * that streams answers returns or throws likewise. One that streams both ways is given the call. An answer is a message
 * or its bytes.
 */
export type Rpc =
  | { unary: (request: Message, signal: AbortSignal) => Message | Promise<Message> }
  | { serverStream: (request: Message) => Iterable<Message> }
  | { bidiStream: (call: Call) => void };

/** A service and those of its RPCs that are there, by their names in the protocol file: `BatchGetDocuments`. */
export interface CloudService {
  /** Path of a file of compiled protocol definitions: `…/@google-cloud/firestore/build/protos/v1.json`. */
  protos: string;
  /** `google.firestore.v1.Firestore` */
  name: string;
  rpcs: Record<string, Rpc>;
  /** A larger request is INVALID_ARGUMENT. Default: what the server receives at all. */
  maxRequestBytes?: number;
}
