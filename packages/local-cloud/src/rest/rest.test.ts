// The REST surface over real connections: accepted and refused requests, with gRPC beside it.

import { once } from 'node:events';
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { openDatabase } from '../database/database.ts';
import { createFirestoreService } from '../firestore/firestoreService.ts';
import { decode, encode, loadProtos, resolveRpcTypes } from '../protocol/protoFiles.ts';
import type { CloudService, Rpc } from '../protocol/services.ts';
import { createPubsubService } from '../pubsub/service.ts';
import { type RunningServer, startGrpcServer } from '../server/grpcServer.ts';

const TOPIC = '/v1/projects/demo-rest/topics/alerts';
const DOCUMENTS = '/v1/projects/demo-rest/databases/(default)/documents';
const JSON_TYPE = { 'content-type': 'application/json' };

let server: RunningServer;
let services: CloudService[];
let stop: () => Promise<void>;
const pulls: AbortSignal[] = [];
beforeAll(async () => {
  const database = openDatabase();
  const pubsub = createPubsubService(database);
  const firestore = createFirestoreService(database);
  const broken = {
    unary: () => {
      throw new Error('a fault of the program');
    },
  };
  const endless: Rpc = {
    unary(_, signal) {
      pulls.push(signal);
      return new Promise(() => {});
    },
  };
  services = [firestore, ...pubsub.services].map((service) => ({
    ...service,
    rpcs: {
      ...service.rpcs,
      ...(service === firestore && { Rollback: broken }),
      ...('Pull' in service.rpcs && { Pull: endless }),
    },
  }));
  server = await startGrpcServer(services);
  stop = async () => {
    pubsub.close();
    await server.stop();
    database.close();
  };
  await send('PUT', TOPIC);
});
afterAll(() => stop());

interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  json: { error?: { code: number; message: string; status: string } } & Record<string, unknown>;
}

/** Sends a request of HTTP/1.1. A body that is no text is sent as JSON. */
async function send(method: string, path: string, headers: object = {}, body?: unknown): Promise<Answer> {
  const [host, port] = server.host.split(':');
  const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
  const type = body !== undefined && typeof body !== 'string' ? JSON_TYPE : {};
  const length = text === undefined ? {} : { 'content-length': Buffer.byteLength(text) };
  const request = httpRequest({ host, port, method, path, headers: { ...type, ...length, ...headers } });
  request.end(text);
  const [response] = await once(request, 'response');
  const chunks: Buffer[] = await response.toArray();
  return { status: response.statusCode, headers: response.headers, json: parsed(Buffer.concat(chunks)) };
}

const parsed = (bytes: Buffer): Answer['json'] => {
  const text = String(bytes);
  return text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : { text };
};
const publish = (headers: object, body: unknown = { messages: [{ data: 'aGk=' }] }) =>
  send('POST', `${TOPIC}:publish`, headers, body);
const publishText = (headers: object) => publish(headers, JSON.stringify({ messages: [{ data: 'aGk=' }] }));

describe('a request that a page of another site could have caused is refused', () => {
  it.each<[string, object]>([
    ['a foreign name (DNS rebinding)', { host: 'alerts.example.com' }],
    ['a name that begins like this machine', { host: 'localhost.example.com' }],
    ['a name and this machine', { host: 'localhost@example.com' }],
    ['another origin', { origin: 'https://example.com' }],
    ['a page of this machine at another port', { origin: 'http://localhost:3000' }],
    ['a page without an origin', { origin: 'null' }],
    ['another site', { 'sec-fetch-site': 'cross-site' }],
    ['another port of this machine', { 'sec-fetch-site': 'same-site' }],
  ])('%s', async (_, headers) => {
    for (const answer of [
      await publish(headers),
      await send('GET', TOPIC, headers),
      await send('GET', '/', headers),
    ]) {
      expect(answer.status).toBe(403);
      expect(answer.json.error).toMatchObject({ code: 403, status: 'PERMISSION_DENIED' });
    }
  });

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=a',
    'text/plain; application/json',
    'application/json-patch+json',
    'application/json; charset=utf-16',
    '',
  ])('a body of the type %j', async (type) => {
    const answer = await publishText({ 'content-type': type });
    expect(answer.status).toBe(415);
    expect(answer.json.error?.message).toContain('application/json');
  });

  it('a body without a type, or compressed', async () => {
    expect((await publishText({})).status).toBe(415);
    expect((await publishText({ ...JSON_TYPE, 'content-encoding': 'gzip' })).status).toBe(415);
  });

  it('and nothing of it is done', async () => {
    const name = 'projects/demo-rest/topics/refused';
    await send('PUT', `/v1/${name}`, { origin: 'https://example.com' });
    await send('PUT', `/v1/${name}`, { 'content-type': 'text/plain' }, '{}');
    expect((await send('GET', `/v1/${name}`)).status).toBe(404);
  });

  it('no page can read an answer: there are no headers of CORS', async () => {
    const preflight = { origin: 'https://example.com', 'access-control-request-method': 'POST' };
    const answers = [await send('OPTIONS', `${TOPIC}:publish`, preflight), await publish({})];
    expect(answers.map(({ status }) => status)).toEqual([403, 200]);
    for (const { headers } of answers) {
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
      expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff' });
    }
  });
});

it.each([
  ['127.0.0.1', {}],
  ['localhost', { host: 'localhost:8085' }],
  ['[::1]', { host: '[::1]:8085' }],
  [
    'its own origin',
    { host: 'localhost:8085', origin: 'http://localhost:8085', 'sec-fetch-site': 'same-origin' },
  ],
  ['JSON with its encoding', { 'content-type': 'application/json; charset=UTF-8' }],
])('takes a request with %s', async (_, headers) => {
  expect(await publish(headers)).toMatchObject({ status: 200, json: { messageIds: [expect.any(String)] } });
});

describe('an error is JSON that names the remedy, without a stack trace', () => {
  it.each<[string, number, string, () => Promise<Answer>]>([
    ['a body that is no JSON', 400, 'INVALID_ARGUMENT', () => publish(JSON_TYPE, '{')],
    ['a body that is no object', 400, 'INVALID_ARGUMENT', () => publish({}, [])],
    ['a body that is no UTF-8', 400, 'INVALID_ARGUMENT', () => publish(JSON_TYPE, '"\\ud800"')],
    [
      'a lone surrogate',
      400,
      'INVALID_ARGUMENT',
      () => publish({}, { messages: [{ orderingKey: '\ud800' }] }),
    ],
    ['an unknown field', 400, 'INVALID_ARGUMENT', () => publish({}, { mesages: [] })],
    [
      'a field of no message',
      400,
      'INVALID_ARGUMENT',
      () => publish(JSON_TYPE, '{"__proto__": {"messages": []}}'),
    ],
    ['an unknown parameter', 400, 'INVALID_ARGUMENT', () => send('GET', `${TOPIC}?nothing=1`)],
    [
      'a parameter with a body',
      400,
      'INVALID_ARGUMENT',
      () => send('POST', `${TOPIC}:publish?topic=x`, {}, {}),
    ],
    ['another form of the answer', 400, 'INVALID_ARGUMENT', () => send('GET', `${TOPIC}?alt=proto`)],
    ['JSON in a script', 400, 'INVALID_ARGUMENT', () => send('GET', `${TOPIC}?callback=steal`)],
    ['a body of a read', 400, 'INVALID_ARGUMENT', () => send('GET', TOPIC, {}, { topic: 'x' })],
    ['a path that is not valid', 400, 'INVALID_ARGUMENT', () => send('GET', '/v1/projects/%/topics')],
    ['a path that is none', 404, 'NOT_FOUND', () => send('GET', '/v1/projects/demo-rest/databases')],
    ['a topic that is not there', 404, 'NOT_FOUND', () => send('GET', '/v1/projects/demo-rest/topics/none')],
    ['a topic that is there', 409, 'ALREADY_EXISTS', () => send('PUT', TOPIC)],
    [
      'what it does not have',
      501,
      'UNIMPLEMENTED',
      () => send('POST', `${DOCUMENTS}:executePipeline`, {}, {}),
    ],
    ['what streams both ways', 501, 'UNIMPLEMENTED', () => send('POST', `${DOCUMENTS}:listen`, {}, {})],
    [
      'a query that is not valid',
      400,
      'INVALID_ARGUMENT',
      () => send('POST', `${DOCUMENTS}:runQuery`, {}, { structuredQuery: { limit: -1 } }),
    ],
  ])('%s', async (_, code, status, ask) => {
    const answer = await ask();
    expect(answer).toMatchObject({ status: code, json: { error: { code, status } } });
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(JSON.stringify(answer.json)).not.toMatch(/\.ts:|node_modules|\n +at /);
  });

  it('a fault of the program, which is printed', async () => {
    const printed = vi.spyOn(console, 'error').mockImplementation(() => {});
    onTestFinished(() => printed.mockRestore());
    const answer = await send('POST', `${DOCUMENTS}:rollback`, {}, {});
    expect(answer.status).toBe(500);
    expect(answer.json).toEqual({
      error: { code: 500, message: 'a fault of the program', status: 'INTERNAL' },
    });
    expect(printed).toHaveBeenCalledOnce();
  });

  it('a body over the limit, before it is sent', async () => {
    const headers = { ...JSON_TYPE, 'content-length': 30_000_000, connection: 'close' };
    const answer = await send('POST', `${TOPIC}:publish`, headers);
    expect(answer).toMatchObject({ status: 413, json: { error: { code: 413, status: 'INVALID_ARGUMENT' } } });
  });
});

it('answers streams with a list, compact when asked', async () => {
  const name = 'projects/demo-rest/databases/(default)/documents/streamed/a';
  const fields = { n: { integerValue: '1' } };
  expect((await send('PATCH', `/v1/${name}?updateMask.fieldPaths=n`, {}, { fields })).status).toBe(200);
  const structuredQuery = { from: [{ collectionId: 'streamed' }] };
  const found = await send('POST', `${DOCUMENTS}:runQuery?prettyPrint=false`, {}, { structuredQuery });
  expect(found.json).toMatchObject([{ document: { name, fields } }]);
});

it('aborts a call when its client disconnects', async () => {
  const [host, port] = server.host.split(':');
  const path = `${TOPIC.replace('topics', 'subscriptions')}:pull`;
  const left = httpRequest({ host, port, method: 'POST', path, headers: JSON_TYPE });
  left.on('error', () => {});
  left.end('{"maxMessages": 1}');
  await expect.poll(() => pulls.length).toBe(1);
  expect(pulls[0]?.aborted).toBe(false);
  left.destroy();
  await expect.poll(() => pulls[0]?.aborted).toBe(true);
});

describe('one port', () => {
  const session = () => {
    const opened = connectHttp2(`http://${server.host}`);
    onTestFinished(() => opened.destroy());
    return opened;
  };

  it('has REST over HTTP/2, with the same rules', async () => {
    const client = session();
    const ask = async (headers: object, body?: string) => {
      const stream = client.request({ ':path': TOPIC, ...headers }, { endStream: body === undefined });
      if (body !== undefined) stream.end(body);
      const [answer] = await once(stream, 'response');
      const chunks: Buffer[] = await stream.toArray();
      return { status: answer[':status'], json: parsed(Buffer.concat(chunks)) };
    };
    const post = { ':method': 'POST', ':path': `${TOPIC}:publish` };
    expect(await ask({})).toEqual({ status: 200, json: { name: TOPIC.slice(4) } });
    expect((await ask({ ...post, ...JSON_TYPE }, '{"messages": [{"data": "aGk="}]}')).status).toBe(200);
    expect((await ask({ ...post, 'content-type': 'text/plain' }, '{}')).status).toBe(415);
    expect((await ask({ ':authority': 'alerts.example.com' })).status).toBe(403);
    expect((await ask({ origin: 'https://example.com' })).status).toBe(403);
    expect((await ask({ ...post, ...JSON_TYPE }, ' '.repeat(21 * 1024 * 1024))).status).toBe(413);
  });

  it('knows the protocol of a connection, however its first bytes come', async () => {
    const [host, port] = server.host.split(':');
    const open = async (...pieces: string[]) => {
      const socket = connect(Number(port), host);
      onTestFinished(() => void socket.destroy());
      await once(socket, 'connect');
      for (const piece of pieces) {
        socket.write(piece);
        await new Promise(setImmediate);
      }
      const [chunk] = await once(socket, 'data');
      return chunk as Buffer;
    };
    const get = `GET ${TOPIC} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
    for (const pieces of [[get], [...get.slice(0, 5), get.slice(5)], ['P', `UT ${get.slice(4)}`]]) {
      expect(String(await open(...pieces))).toMatch(/^HTTP\/1\.1 (?:200|409) /);
    }
    const preface = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';
    for (const pieces of [[preface], [...preface]]) {
      // A frame of settings: its type is the fourth byte.
      expect((await open(...pieces))[3]).toBe(4);
    }
  });

  it("answers gRPC and REST on one port: each reads the other's writes", async () => {
    const service = services.find(({ name }) => name.endsWith('Publisher'));
    const method = loadProtos(service?.protos ?? '').lookupService(service?.name ?? '').methods.GetTopic;
    const { request, response } = resolveRpcTypes(method);
    const message = encode(request, { topic: TOPIC.slice(4) });
    const frame = Buffer.concat([Buffer.of(0, 0, 0, 0, message.length), message]);
    const stream = session().request({
      ':method': 'POST',
      ':path': '/google.pubsub.v1.Publisher/GetTopic',
      'content-type': 'application/grpc',
    });
    stream.end(frame);
    const [bytes] = await Promise.all([stream.toArray(), send('GET', TOPIC)]);
    expect(decode(response, Buffer.concat(bytes).subarray(5))).toMatchObject({ name: TOPIC.slice(4) });
  });

  it('releases a client that ends before it asks', async () => {
    const [host, port] = server.host.split(':');
    for (const start of ['', 'P', 'GET /']) {
      const socket = connect(Number(port), host);
      socket.end(start).resume();
      await once(socket, 'close');
    }
    expect((await send('GET', TOPIC)).status).toBe(200);
  });
});
