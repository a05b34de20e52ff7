// A proxy between the Firestore SDK and the emulator that counts what crosses the wire: calls, bytes,
// documents. It forwards HTTP/2 frames as they come and knows of gRPC only where messages begin and which of
// them hold documents.

import { readFileSync } from 'node:fs';
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  createServer,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { pathToFileURL } from 'node:url';
import protobuf from 'protobufjs';
import { onTestFinished } from 'vitest';

/** A document as it crossed the wire. */
interface WireDocument {
  /** Below the database, for example `sessions/1/messages/2`. */
  path: string;
  /** Of the encoded document, its name included. */
  bytes: number;
}

/** What one method of the API was used for. Bytes are those of the gRPC messages, without HTTP/2 headers. */
export interface MethodCounts {
  calls: number;
  sentBytes: number;
  receivedBytes: number;
  /** Documents of writes, in order; a deleted one has no bytes. */
  written: WireDocument[];
  /** Documents in responses, in order. */
  read: WireDocument[];
}

/** Counts by method of the service, for example `Commit`. A method that was not called is absent. */
export type WireCounts = Record<string, MethodCounts>;

export interface FirestoreWire {
  /** For `FIRESTORE_EMULATOR_HOST`. */
  host: string;
  /** What happened since the last take. */
  take(): WireCounts;
  /** Closes every connection and the port. */
  stop(): Promise<void>;
}

/** Where a method's requests hold writes and its responses documents: field names from the message down. */
const WRITES: Record<string, string[]> = { Commit: ['writes'], BatchWrite: ['writes'], Write: ['writes'] };
const DOCUMENTS: Record<string, string[]> = {
  GetDocument: [],
  BatchGetDocuments: ['found'],
  ListDocuments: ['documents'],
  RunQuery: ['document'],
  Listen: ['documentChange', 'document'],
};
/** With HTTP/2's own 64 kB a large response would wait for the proxy every few frames. */
const WINDOW_BYTES = 16 * 1024 * 1024;
/** One byte of compression, four of length. */
const GRPC_PREFIX_BYTES = 5;

const service = loadService();

/** Starts a proxy on a free port of 127.0.0.1. @param target `host:port` of the emulator. */
async function startFirestoreWire(target: string | undefined): Promise<FirestoreWire> {
  if (!target) throw new Error('no Firestore emulator to connect to');
  let counts: WireCounts = {};
  const countsOf = (method: string): MethodCounts => {
    const known = counts[method] ?? { calls: 0, sentBytes: 0, receivedBytes: 0, written: [], read: [] };
    counts[method] = known;
    return known;
  };

  const sessions = new Set<ServerHttp2Session>();
  const server = createServer({ settings: { initialWindowSize: WINDOW_BYTES } });
  server.on('session', (session) => {
    sessions.add(session);
    session.setLocalWindowSize(WINDOW_BYTES);
    const upstream = connect(`http://${target}`, { settings: { initialWindowSize: WINDOW_BYTES } });
    upstream.once('connect', () => upstream.setLocalWindowSize(WINDOW_BYTES));
    // A connection that fails on one side ends on the other; the SDK makes a new one.
    upstream.on('error', () => session.destroy());
    upstream.once('close', () => session.close());
    session.on('error', () => {});
    session.once('close', () => {
      sessions.delete(session);
      upstream.close();
    });
    session.on('stream', (stream, headers) => forward(stream, headers, upstream, countsOf));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    take() {
      const taken = counts;
      counts = {};
      return taken;
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const session of sessions) session.destroy();
      }),
  };
}

/** A proxy for the rest of this test: stores that are opened from now on talk through it. */
export async function tapFirestore(): Promise<FirestoreWire> {
  const emulator = process.env.FIRESTORE_EMULATOR_HOST;
  const wire = await startFirestoreWire(emulator);
  process.env.FIRESTORE_EMULATOR_HOST = wire.host;
  onTestFinished(() => {
    process.env.FIRESTORE_EMULATOR_HOST = emulator;
    return wire.stop();
  });
  return wire;
}

/** One call: headers, messages and trailers of both sides, and whatever ends it early. */
function forward(
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  upstream: ClientHttp2Session,
  countsOf: (method: string) => MethodCounts,
): void {
  const method = String(headers[':path']).split('/').at(-1) ?? '';
  countsOf(method).calls++;
  const requestType = service.methods[method]?.requestType;
  const responseType = service.methods[method]?.responseType;
  const onSent = messageReader((message) => {
    countsOf(method).written.push(...submessages(requestType, WRITES[method], message).map(writtenDocument));
  });
  const onReceived = messageReader((message) => {
    countsOf(method).read.push(...submessages(responseType, DOCUMENTS[method], message).map(documentOf));
  });

  const call = upstream.request(headers);
  stream.on('data', (chunk: Buffer) => {
    countsOf(method).sentBytes += chunk.length;
    onSent(chunk);
  });
  stream.pipe(call);
  call.on('response', (responseHeaders, flags) => {
    const endStream = (flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0;
    if (!stream.destroyed) stream.respond(responseHeaders, { endStream, waitForTrailers: !endStream });
  });
  call.on('data', (chunk: Buffer) => {
    countsOf(method).receivedBytes += chunk.length;
    onReceived(chunk);
  });
  let trailers: IncomingHttpHeaders = {};
  call.on('trailers', (received: IncomingHttpHeaders) => {
    trailers = received;
  });
  stream.on('wantTrailers', () => stream.sendTrailers(trailers));
  call.pipe(stream);
  closeTogether(stream, call);
}

function closeTogether(stream: ServerHttp2Stream, call: ClientHttp2Stream): void {
  stream.on('error', () => {});
  call.on('error', () => {});
  stream.once('close', () => {
    if (!call.closed) call.close(stream.rstCode);
  });
  call.once('close', () => {
    if (call.rstCode !== constants.NGHTTP2_NO_ERROR && !stream.closed) stream.close(call.rstCode);
  });
}

/** Cuts chunks into gRPC messages. A large one's chunks are joined once, when complete. */
function messageReader(onMessage: (message: Buffer) => void): (chunk: Buffer) => void {
  let chunks: Buffer[] = [];
  let length = 0;
  let needed = GRPC_PREFIX_BYTES;
  return (chunk) => {
    chunks.push(chunk);
    length += chunk.length;
    if (length < needed) return;
    let rest = Buffer.concat(chunks);
    needed = GRPC_PREFIX_BYTES;
    while (rest.length >= GRPC_PREFIX_BYTES) {
      if (rest[0] !== 0) throw new Error('a compressed gRPC message cannot be counted');
      needed = GRPC_PREFIX_BYTES + rest.readUInt32BE(1);
      if (rest.length < needed) break;
      onMessage(rest.subarray(GRPC_PREFIX_BYTES, needed));
      rest = rest.subarray(needed);
      needed = GRPC_PREFIX_BYTES;
    }
    chunks = [rest];
    length = rest.length;
  };
}

/** The Firestore service as the SDK's own protos describe it. */
function loadService(): protobuf.Service {
  const sdk = createRequire(import.meta.url).resolve('@google-cloud/firestore');
  const protos = new URL('../protos/v1.json', pathToFileURL(sdk));
  const root = protobuf.Root.fromJSON(JSON.parse(readFileSync(protos, 'utf8')));
  return root.lookupService('google.firestore.v1.Firestore');
}

/**
 * The messages in the fields along `way`, still encoded: contents are skipped, not read, because a
 * conversation is megabytes. None when the method has none.
 */
function submessages(
  typeName: string | undefined,
  way: string[] | undefined,
  message: Uint8Array,
): Uint8Array[] {
  if (typeName === undefined || way === undefined) return [];
  const [name, ...further] = way;
  if (name === undefined) return [message];
  const field = service.lookupType(typeName).fields[name];
  if (field === undefined) throw new Error(`${typeName} has no field ${name}`);
  const reader = protobuf.Reader.create(message);
  const found: Uint8Array[] = [];
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    if (tag >>> 3 === field.id) found.push(...submessages(field.type, further, reader.bytes()));
    else reader.skipType(tag & 7);
  }
  return found;
}

function documentOf(document: Uint8Array): WireDocument {
  return { path: pathOf(submessages('Document', ['name'], document)[0]), bytes: document.length };
}

function writtenDocument(write: Uint8Array): WireDocument {
  const [update] = submessages('Write', ['update'], write);
  if (update !== undefined) return documentOf(update);
  return { path: pathOf(submessages('Write', ['delete'], write)[0]), bytes: 0 };
}

function pathOf(name: Uint8Array = Buffer.of()): string {
  return Buffer.from(name)
    .toString('utf8')
    .replace(/^.*?\/documents\//, '');
}
