// A gRPC server for services of Google's own protocol files, reachable on this machine alone.

import {
  type handleBidiStreamingCall,
  type handleServerStreamingCall,
  type handleUnaryCall,
  Metadata,
  type MethodDefinition,
  Server,
  ServerCredentials,
  type ServiceDefinition,
  type sendUnaryData,
  status,
} from '@grpc/grpc-js';
import { loadProtos } from './protoFiles.ts';
import { StrictReader } from './strictReader.ts';

/** What the client of a failed call is told. */
export class StatusError extends Error {
  readonly code: status;
  readonly details: string;
  readonly metadata = new Metadata();

  constructor(code: status, details: string) {
    super(details);
    this.code = code;
    this.details = details;
  }
}

/** Requests and answers as the protocol files define them: camelCase, 64-bit numbers and enums as strings. */
// biome-ignore lint/suspicious/noExplicitAny: the messages are defined by Google's files and checked where they are read.
export type Message = any;

/**
 * One RPC. A unary one returns its answer or throws a `StatusError`; its signal is aborted when the client has gone. A
 * streaming one is given the call.
 */
export type Rpc =
  | { unary: (request: Message, signal: AbortSignal) => Message | Promise<Message> }
  | { serverStream: handleServerStreamingCall<Message, Message> }
  | { bidiStream: handleBidiStreamingCall<Message, Message> };

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

/** A server that listens. */
export interface RunningServer {
  /** `127.0.0.1:PORT` */
  host: string;
  /** Ends all calls and stops listening. May be called repeatedly. */
  stop(): Promise<void>;
}

/** Larger than the largest request that Firestore and Pub/Sub accept, so that the services refuse what is too large. */
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;

/**
 * Serves all services on one port of 127.0.0.1. An RPC that a service does not have answers UNIMPLEMENTED and says which.
 * @param port 0 for any that is free.
 * @throws Error when the port is taken.
 */
export async function startGrpcServer(services: CloudService[], port = 0): Promise<RunningServer> {
  const server = new Server({
    'grpc.max_receive_message_length': MAX_MESSAGE_BYTES,
    'grpc.max_send_message_length': MAX_MESSAGE_BYTES,
  });
  for (const service of services) addService(server, service);
  const bound = await new Promise<number>((resolve, reject) => {
    server.bindAsync(`127.0.0.1:${port}`, ServerCredentials.createInsecure(), (error, actual) =>
      error === null ? resolve(actual) : reject(error),
    );
  });
  return {
    host: `127.0.0.1:${bound}`,
    async stop() {
      server.forceShutdown();
    },
  };
}

function addService(server: Server, { protos, name, rpcs, maxRequestBytes }: CloudService): void {
  const definition = loadProtos(protos)[name];
  if (definition === undefined) throw new Error(`${protos} has no service ${name}`);
  const methods = Object.entries(definition as ServiceDefinition).map(
    ([method, shape]) => [method, limited(shape, maxRequestBytes ?? MAX_MESSAGE_BYTES)] as const,
  );
  const unknown = Object.keys(rpcs).filter((rpc) => !methods.some(([method]) => method === rpc));
  if (unknown.length > 0) throw new Error(`${name} has no RPC ${unknown.join(', ')}`);
  server.addService(
    Object.fromEntries(methods),
    Object.fromEntries(methods.map(([method, shape]) => [method, handler(name, shape, rpcs[method])])),
  );
}

/** A method whose requests are read up to a size. In the place of a larger or unreadable one stands the error. */
function limited(shape: MethodDefinition<Message, Message>, maxBytes: number): typeof shape {
  const requestDeserialize = (bytes: Buffer): Message => {
    if (bytes.length > maxBytes) {
      const details = `Request payload size exceeds the limit: ${maxBytes} bytes.`;
      return new StatusError(status.INVALID_ARGUMENT, details);
    }
    try {
      // protobufjs also reads from a reader of its own.
      return shape.requestDeserialize(new StrictReader(bytes) as unknown as Buffer);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      return new StatusError(status.INVALID_ARGUMENT, `The request cannot be read: ${reason}`);
    }
  };
  return { ...shape, requestDeserialize };
}

type Handler =
  | handleUnaryCall<Message, Message>
  | handleServerStreamingCall<Message, Message>
  | handleBidiStreamingCall<Message, Message>;

function handler(service: string, shape: MethodDefinition<Message, Message>, rpc: Rpc | undefined): Handler {
  if (rpc === undefined) return missing(service, shape);
  if ('bidiStream' in rpc) return rpc.bidiStream;
  if ('serverStream' in rpc) {
    return (call: Parameters<typeof rpc.serverStream>[0]) => {
      if (call.request instanceof StatusError) call.emit('error', call.request);
      else rpc.serverStream(call);
    };
  }
  return async (call: Parameters<handleUnaryCall<Message, Message>>[0], callback: sendUnaryData<Message>) => {
    const gone = new AbortController();
    call.on('cancelled', () => gone.abort());
    try {
      if (call.request instanceof StatusError) throw call.request;
      callback(null, await rpc.unary(call.request, gone.signal));
    } catch (error) {
      callback(asStatusError(error));
    }
  };
}

/** The error a client gets for whatever was thrown: a fault of this server is INTERNAL, with its message. */
export function asStatusError(error: unknown): StatusError {
  if (error instanceof StatusError) return error;
  return new StatusError(
    status.INTERNAL,
    error instanceof Error ? (error.stack ?? error.message) : String(error),
  );
}

function missing(service: string, { path, responseStream }: MethodDefinition<Message, Message>): Handler {
  const details = `the local cloud does not have ${service}.${path.split('/').at(-1)}`;
  const error = new StatusError(status.UNIMPLEMENTED, details);
  return responseStream
    ? (call: Parameters<handleServerStreamingCall<Message, Message>>[0]) => void call.emit('error', error)
    : (_call: unknown, callback: (error: StatusError) => void) => callback(error);
}
