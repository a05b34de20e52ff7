// A process that answers each call of Firestore and Pub/Sub at once with bytes made beforehand: what is left
// is the cost of the client. Argument: the port, for both services.

import { createServer } from 'node:http2';
import { PROTOS } from '../../packages/local-cloud/src/firestore/values/protos.ts';
import {
  encode as encodeMessage,
  loadProtos,
  resolveRpcTypes,
} from '../../packages/local-cloud/src/protocol/protoFiles.ts';
import { benchFields, documentName } from './documents.ts';

const NAMES = /projects\/[\w-]+\/databases\/\(default\)\/documents\/[\w-]+\/\d+/g;
const TIME = { seconds: '1700000000', nanos: 0 };

const documents = Array.from({ length: 100 }, (_, index) => ({
  name: documentName('messages', index),
  fields: benchFields(index),
  createTime: TIME,
  updateTime: TIME,
}));
const found = new Map(
  documents.map((document) => [
    document.name,
    encode('BatchGetDocuments', { found: document, readTime: TIME }),
  ]),
);
const results = documents.map((document) => encode('RunQuery', { document, readTime: TIME }));

/** The answers to a call, by the names of documents in its request. */
const ANSWERS: Record<string, (names: string[]) => Buffer> = {
  BatchGetDocuments: (names) => Buffer.concat(names.map((name) => found.get(name) ?? Buffer.of())),
  RunQuery: () => Buffer.concat(results),
  Commit: (names) => {
    const writeResults = names.map(() => ({ updateTime: TIME, transformResults: [] }));
    return encode('Commit', { writeResults, commitTime: TIME });
  },
};

const server = createServer();
server.on('stream', (stream, headers) => {
  const method = String(headers[':path']).split('/').at(-1) ?? '';
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  stream.on('end', () => {
    const names = Buffer.concat(chunks).toString('latin1').match(NAMES) ?? [];
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
    stream.end(ANSWERS[method]?.(names));
  });
});
server.listen(Number(process.argv[2]), '127.0.0.1');

/** An answer as it is on the wire: a byte for no compression, four for the length, the message. */
function encode(method: string, answer: object): Buffer {
  const { methods } = loadProtos(PROTOS).lookupService('google.firestore.v1.Firestore');
  const bytes = encodeMessage(resolveRpcTypes(methods[method]).response, answer);
  const head = Buffer.alloc(5);
  head.writeUInt32BE(bytes.length, 1);
  return Buffer.concat([head, bytes]);
}
