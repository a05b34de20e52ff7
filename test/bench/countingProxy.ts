// A process between a Firestore client and its server that counts what passes. Argument: the server's port.
// Sends its own port, then an answer with the counts since the last one for each message of its parent.

import { connect, createServer, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { PROTOS } from '../../packages/local-cloud/src/firestore/values/protos.ts';
import {
  decode,
  loadProtos,
  type Message,
  resolveRpcTypes,
} from '../../packages/local-cloud/src/protocol/protoFiles.ts';

/** What passed. Documents are counted as they are paid: an empty result is one read. */
export interface Counts {
  calls: number;
  reads: number;
  writes: number;
  /** Of the messages that bring documents, and of the commits; encoded, uncompressed. */
  readBytes: number;
  writtenBytes: number;
}

const NOTHING: Counts = { calls: 0, reads: 0, writes: 0, readBytes: 0, writtenBytes: 0 };
const READS = new Set(['BatchGetDocuments', 'RunQuery']);
/** Headers of one connection, which the other one makes itself. */
const OWN_HEADERS = new Set([':status', 'connection', 'date', 'host']);

const { methods } = loadProtos(PROTOS).lookupService('google.firestore.v1.Firestore');
const upstream = connect(`http://127.0.0.1:${process.argv[2]}`);
let counts = { ...NOTHING };

const server = createServer();
server.on('stream', (stream, headers) => forward(stream, headers));
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.on('message', () => {
  process.send?.(counts);
  counts = { ...NOTHING };
});
process.on('disconnect', () => process.exit());

function forward(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
  const method = String(headers[':path']).split('/').at(-1) ?? '';
  const request = upstream.request(headers, { endStream: false });
  const [sent, received]: [Buffer[], Buffer[]] = [[], []];
  let trailers: IncomingHttpHeaders = {};
  stream.on('data', (chunk: Buffer) => void sent.push(chunk)).pipe(request);
  request.on('response', (answer) => {
    const status = { ':status': 200, ...withoutOwn(answer) };
    // An answer without a message has its trailers in the place of its headers.
    if (answer['grpc-status'] !== undefined) stream.respond(status, { endStream: true });
    else stream.respond(status, { waitForTrailers: true });
  });
  request.on('trailers', (given) => {
    trailers = given;
  });
  stream.on('wantTrailers', () => stream.sendTrailers(trailers));
  request.on('data', (chunk: Buffer) => {
    received.push(chunk);
    stream.write(chunk);
  });
  request.on('end', () => {
    count(method, Buffer.concat(sent), Buffer.concat(received));
    stream.end();
  });
  stream.on('close', () => request.close());
  for (const one of [stream, request]) one.on('error', () => {});
}

function withoutOwn(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !OWN_HEADERS.has(name)));
}

function count(method: string, sent: Buffer, received: Buffer): void {
  const { request, response } = resolveRpcTypes(methods[method]);
  if (method === 'Commit') {
    const commits = messagesIn(sent).map((bytes) => decode(request, bytes));
    counts.calls += 1;
    counts.writes += commits.reduce((sum, { writes }) => sum + (writes as Message[]).length, 0);
    counts.writtenBytes += sent.length;
  }
  if (!READS.has(method)) return;
  const answers = messagesIn(received).map((bytes) => decode(response, bytes));
  const documents = answers.filter(({ found, missing, document }) => found ?? missing ?? document);
  counts.calls += 1;
  counts.reads += Math.max(1, documents.length);
  counts.readBytes += received.length;
}

/** The messages of a body: each has five bytes before it, the last four of which are its length. */
function messagesIn(body: Buffer): Buffer[] {
  const found: Buffer[] = [];
  for (let at = 0; at + 5 <= body.length; ) {
    const end = at + 5 + body.readUInt32BE(at + 1);
    found.push(body.subarray(at + 5, end));
    at = end;
  }
  return found;
}
