// A server for services of Google's own protocol files, over gRPC and REST, reachable only from this machine.

import { once } from 'node:events';
import { createServer, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import type { Method } from 'protobufjs';
import { Call } from '../protocol/call.ts';
import { encode, loadProtos, type Message, resolveRpcTypes } from '../protocol/protoFiles.ts';
import { readRequest } from '../protocol/readRequest.ts';
import type { CloudService, Rpc } from '../protocol/services.ts';
import { asStatusError, StatusError, status } from '../protocol/status.ts';
import { createRest } from '../rest/rest.ts';
import { createHttp1Server, serveRestStream } from '../rest/serveRest.ts';
import { createPort } from './port.ts';

/** A server that listens. */
export interface RunningServer {
  /** `127.0.0.1:PORT` */
  host: string;
  /** Ends all calls and stops listening. Can be called repeatedly. */
  stop(): Promise<void>;
}

/** Unacknowledged bytes per stream and connection. Large, so that a large request arrives in few chunks. */
const WINDOW_BYTES = 4 * 1024 * 1024;

/** `/google.pubsub.v1.Publisher/Publish`. No path of REST has a dot in its first part. */
const GRPC_PATH = /^\/[^/]*\.[^/]*\//;

type Handler = (stream: ServerHttp2Stream) => void;

/**
 * Serves all services on one port of 127.0.0.1: gRPC, and REST by the annotations of their protocol files,
 * over HTTP/1.1 and HTTP/2. A missing RPC answers UNIMPLEMENTED with its name.
 * @param port 0 for any that is free.
 * @throws Error when the port is taken.
 */
export async function startGrpcServer(services: CloudService[], port = 0): Promise<RunningServer> {
  const handlers = new Map(services.flatMap(createServiceHandlers));
  const sockets = new Set<Socket>();
  const rest = createRest(services);
  const http2 = createServer({
    settings: { initialWindowSize: WINDOW_BYTES },
    // In MB. The services limit their requests.
    maxSessionMemory: Number.MAX_SAFE_INTEGER,
  });
  http2.on('session', (session) => session.setLocalWindowSize(WINDOW_BYTES));
  // The client has disconnected.
  http2.on('sessionError', () => {});
  http2.on('stream', (stream, headers) => {
    const path = String(headers[':path']);
    const handler = handlers.get(path);
    if (handler !== undefined) handler(stream);
    else if (GRPC_PATH.test(path)) missingHandler(path)(stream);
    else serveRestStream(rest, stream, headers);
  });
  const server = createPort(createHttp1Server(rest), http2);
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  let stopped: Promise<void> | undefined;
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop() {
      stopped ??= new Promise((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      return stopped;
    },
  };
}

function createServiceHandlers({
  protos,
  name,
  rpcs,
  maxRequestBytes = Infinity,
}: CloudService): [string, Handler][] {
  const { methods } = loadProtos(protos).lookupService(name);
  const unknown = Object.keys(rpcs).filter((rpc) => methods[rpc] === undefined);
  if (unknown.length > 0) throw new Error(`${name} has no RPC ${unknown.join(', ')}`);
  return Object.values(methods).map((method) => {
    const rpc = rpcs[method.name];
    const path = `/${name}/${method.name}`;
    return [path, rpc === undefined ? missingHandler(path) : createRpcHandler(rpc, method, maxRequestBytes)];
  });
}

function missingHandler(path: string): Handler {
  const [, service, rpc] = path.split('/');
  const error = new StatusError(status.UNIMPLEMENTED, `the local cloud does not have ${service}.${rpc}`);
  const none = { decode: () => undefined, encode: () => Buffer.of() };
  return (stream) => void new Call(stream, none).emit('error', error);
}

function createRpcHandler(rpc: Rpc, method: Method, maxBytes: number): Handler {
  const { request, response } = resolveRpcTypes(method);
  const codec = {
    decode: (bytes: Buffer) => readRequest(request, bytes, maxBytes),
    encode: (message: Message) => encode(response, message),
  };
  return (stream) => {
    const call = new Call(stream, codec);
    if ('bidiStream' in rpc) rpc.bidiStream(call);
    else {
      const without = () => call.emit('error', new StatusError(status.INTERNAL, 'The call has no request.'));
      call.once('end', without);
      call.once('data', (request) => {
        call.off('end', without);
        void answerCall(rpc, call, request);
      });
    }
  };
}

async function answerCall(
  rpc: Exclude<Rpc, { bidiStream: unknown }>,
  call: Call,
  request: Message,
): Promise<void> {
  try {
    if (request instanceof StatusError) throw request;
    if ('serverStream' in rpc) {
      for (const message of rpc.serverStream(request)) call.write(message);
    } else {
      const gone = new AbortController();
      call.on('cancelled', () => gone.abort());
      call.write(await rpc.unary(request, gone.signal));
    }
    call.end();
  } catch (error) {
    call.emit('error', asStatusError(error));
  }
}
