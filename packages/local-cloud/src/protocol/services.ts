// Services of Google's protocol files, as functions.

import type { Call } from './call.ts';
import type { Message } from './protoFiles.ts';

/**
 * One RPC. A unary RPC returns its response or throws a StatusError; its signal aborts when the client has
 * gone. A server stream returns or throws likewise. A bidirectional stream gets the call. A response is a
 * message or its encoded bytes.
 */
export type Rpc =
  | { unary: (request: Message, signal: AbortSignal) => Message | Promise<Message> }
  | { serverStream: (request: Message) => Iterable<Message> }
  | { bidiStream: (call: Call) => void };

/** A service and its implemented RPCs, by their names in the protocol file: `BatchGetDocuments`. */
export interface CloudService {
  /** Path of a file of compiled protocol definitions: `…/@google-cloud/firestore/build/protos/v1.json`. */
  protos: string;
  /** `google.firestore.v1.Firestore` */
  name: string;
  /** The implemented RPCs. */
  rpcs: Record<string, Rpc>;
  /** Maximum bytes of a request; larger: INVALID_ARGUMENT. Default: the server's limit. */
  maxRequestBytes?: number;
  /** Answers to `GET` beside the RPCs, as JSON, by path: `/limits`. */
  pages?: Record<string, () => unknown>;
}
