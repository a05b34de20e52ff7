// The server on the wire: what test/cloud, which talks to it through Google's clients, does not send.

import { once } from 'node:events';
import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { PROTOS } from '../firestore/values/protos.ts';
import type { Call } from '../protocol/call.ts';
import { decode, encode, loadProtos } from '../protocol/protoFiles.ts';
import { StatusError, status } from '../protocol/status.ts';
import { type RunningServer, startGrpcServer } from './grpcServer.ts';

const SERVICE = 'google.firestore.v1.Firestore';
const type = (name: string) => loadProtos(PROTOS).lookupType(`google.firestore.v1.${name}`);

let server: RunningServer;
let session: ClientHttp2Session;
let listening: Call[] = [];
let cancelled = 0;

beforeEach(async () => {
  [listening, cancelled] = [[], 0];
  server = await startGrpcServer([
    {
      protos: PROTOS,
      name: SERVICE,
      maxRequestBytes: 100_000,
      rpcs: {
        GetDocument: { unary: ({ name }) => ({ name }) },
        DeleteDocument: {
          unary() {
            throw new StatusError(status.NOT_FOUND, '50 % of "ä"\nare gone');
          },
        },
        Listen: {
          bidiStream(call) {
            listening.push(call);
            call.on('data', ({ database }) => call.write({ targetChange: { cause: { message: database } } }));
            call.on('cancelled', () => {
              cancelled += 1;
            });
            call.on('end', () => call.end());
          },
        },
      },
    },
  ]);
  session = connectHttp2(`http://${server.host}`);
});
afterEach(async () => {
  session.destroy();
  await server.stop();
});

/** A message with the five bytes before it. */
function frame(message: Uint8Array, isCompressed = false): Buffer {
  const head = Buffer.of(Number(isCompressed), 0, 0, 0, 0);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

const named = (name: string): Buffer => frame(encode(type('GetDocumentRequest'), { name }));

function open(method: string) {
  const stream = session.request({ ':method': 'POST', ':path': `/${SERVICE}/${method}` });
  const chunks: Buffer[] = [];
  let trailers: Record<string, unknown> = {};
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  stream.on('response', (headers) => {
    trailers = { ...trailers, ...headers };
  });
  stream.on('trailers', (headers) => {
    trailers = { ...trailers, ...headers };
  });
  return {
    stream,
    /** The status, its text and what came before it. */
    async ended() {
      if (!stream.closed) await once(stream, 'close');
      const text = decodeURI(String(trailers['grpc-message'] ?? ''));
      return { code: Number(trailers['grpc-status']), text, bytes: Buffer.concat(chunks) };
    },
  };
}

async function call(method: string, ...pieces: Uint8Array[]) {
  const { stream, ended } = open(method);
  for (const piece of pieces) {
    stream.write(piece);
    // Each in a frame of its own.
    await new Promise(setImmediate);
  }
  stream.end();
  return ended();
}

it('takes a request in pieces, however it is cut', async () => {
  const request = named('n'.repeat(1000));
  const whole = await call('GetDocument', request);
  const pieces = await call(
    'GetDocument',
    ...[0, 1, 4, 5, 6, 900].map((at, index, all) => request.subarray(at, all[index + 1])),
  );
  expect(whole.code).toBe(status.OK);
  expect(pieces).toEqual(whole);
  expect(decode(type('Document'), whole.bytes.subarray(5)).name).toBe('n'.repeat(1000));
});

it('takes several requests at once on a stream', async () => {
  const requests = ['a', 'b', 'c'].map((database) => frame(encode(type('ListenRequest'), { database })));
  const { code, bytes } = await call('Listen', Buffer.concat(requests));
  expect(code).toBe(status.OK);
  expect(bytes.toString('latin1')).toMatch(/a.*b.*c/s);
});

it('gives an error with its whole text', async () => {
  const { code, text } = await call('DeleteDocument', named('x'));
  expect(code).toBe(status.NOT_FOUND);
  expect(text).toBe('50 % of "ä"\nare gone');
});

it.each<[string, string, Buffer, number]>([
  ['an RPC it does not have', 'Rollback', named('x'), status.UNIMPLEMENTED],
  ['an RPC that nothing has', 'Nothing', named('x'), status.UNIMPLEMENTED],
  ['a compressed request', 'GetDocument', frame(Buffer.of(1), true), status.UNIMPLEMENTED],
  ['a request over the limit', 'GetDocument', named('n'.repeat(100_001)), status.INVALID_ARGUMENT],
  ['bytes that are no message', 'GetDocument', frame(Buffer.of(0xff)), status.INVALID_ARGUMENT],
  [
    'a request that would not fit in memory',
    'GetDocument',
    Buffer.of(0, 0xff, 0, 0, 0),
    status.RESOURCE_EXHAUSTED,
  ],
])('refuses %s', async (_, method, request, code) => {
  expect((await call(method, request)).code).toBe(code);
});

it('notices once that a client has disconnected', async () => {
  const { stream } = open('Listen');
  stream.write(frame(encode(type('ListenRequest'), { database: 'a' })));
  await once(stream, 'data');
  session.destroy();
  await expect.poll(() => cancelled).toBe(1);
  listening[0]?.write({});
  listening[0]?.end();
  await server.stop();
  expect(cancelled).toBe(1);
});

it('continues after a client of another protocol', async () => {
  const socket = connect(Number(server.host.split(':')[1]), '127.0.0.1');
  socket.on('error', () => {});
  socket.end('GET / HTTP/1.1\r\nHost: x\r\n\r\n').resume();
  await once(socket, 'close');
  expect((await call('GetDocument', named('x'))).code).toBe(status.OK);
});

it('stops while calls are open', async () => {
  const { stream } = open('Listen');
  stream.on('error', () => {});
  session.on('error', () => {});
  stream.write(frame(encode(type('ListenRequest'), { database: 'a' })));
  await once(stream, 'data');
  await server.stop();
  await expect.poll(() => stream.destroyed).toBe(true);
});
