// An MCP server of the bench that says too much. `node hostileServer.ts stdio LIST` serves a process; `node
// hostileServer.ts http` prints its port and serves /LIST, until it is ended. LIST is one of `lists`. Its
// tool `flood` answers 200 MB, of which over HTTP `gzip` says that they are compressed.

import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { type Readable, Readable as Stream } from 'node:stream';
import { text } from 'node:stream/consumers';
import { createGzip } from 'node:zlib';

const ANSWER_BYTES = 200_000_000;
const PIECE = 'x'.repeat(64_000);
const SENTENCE = 'Reads what a tool of an investigation would read, from the cluster that is asked. ';

const tool = (name: string, schema: object = {}, description = 'Reads.') => ({
  name,
  description,
  inputSchema: { type: 'object', ...schema },
});
const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
const named = (count: number, value: unknown) =>
  Object.fromEntries(times(count, (index) => [`parameter_${index}`, value]));
const DOUBLING = {
  $ref: '#/$defs/d0',
  $defs: Object.fromEntries(
    times(20, (index) => {
      const next = { $ref: `#/$defs/d${index + 1}` };
      return [`d${index}`, { type: 'object', properties: { a: next, b: next } }];
    }),
  ),
};
const CYCLE = {
  properties: { a: { $ref: '#' }, b: { $ref: '#/properties/a' }, c: { allOf: [{ $ref: '#' }] } },
};
const DEEP = `{"name":"deep","inputSchema":{"type":"object","properties":{"a":${'{"not":'.repeat(60_000)}{}${'}'.repeat(60_000)}}}}`;

/** The `tools` of each list, as JSON. */
const lists: Record<string, () => string> = {
  ordinary: () =>
    JSON.stringify(
      times(60, (n) =>
        tool(`get_${n}`, { properties: named(10, { type: 'string', description: SENTENCE }) }),
      ),
    ),
  'just-allowed': () => JSON.stringify(times(900, (n) => tool(`get_${n}`, {}, SENTENCE.repeat(12)))),
  'five-megabytes': () => JSON.stringify([tool('get', {}, SENTENCE.repeat(61_000))]),
  'ten-thousand-tools': () => JSON.stringify(times(10_000, (n) => tool(`get_${n}`))),
  deep: () => `[${DEEP}]`,
  doubling: () => JSON.stringify(times(300, (n) => tool(`get_${n}`, DOUBLING))),
  cycles: () => JSON.stringify(times(1_000, (n) => tool(`get_${n}`, CYCLE))),
  enumeration: () =>
    JSON.stringify([tool('get', { properties: { a: { enum: times(60_000, (n) => `value ${n}`) } } })]),
  required: () => {
    const names = times(5_000, (n) => `parameter_${n}`);
    const $defs = { d: { type: 'object', required: names } };
    return JSON.stringify(
      times(10, (n) => tool(`get_${n}`, { properties: named(190, { $ref: '#/$defs/d' }), $defs })),
    );
  },
};
const [kind = '', chosen = 'ordinary'] = process.argv.slice(2);
if (kind === 'names') {
  console.log(Object.keys(lists).join(' '));
} else if (kind === 'stdio') {
  for await (const line of createInterface({ input: process.stdin })) {
    for await (const piece of answer(line, chosen)) {
      if (!process.stdout.write(piece)) await new Promise((resolve) => process.stdout.once('drain', resolve));
    }
    if (isRequest(line)) process.stdout.write('\n');
  }
} else {
  const server = createServer(async (request, response) => {
    const body = await text(request);
    if (request.method !== 'POST') return void response.writeHead(405).end();
    if (!isRequest(body)) return void response.writeHead(202).end();
    respond(Stream.from(answer(body, request.url?.slice(1) ?? '')), body.includes('"gzip"'), response);
  });
  server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
}

function respond(content: Readable, isCompressed: boolean, response: ServerResponse): void {
  response.setHeader('content-type', 'application/json');
  if (isCompressed) response.setHeader('content-encoding', 'gzip');
  const ignore = () => {};
  const sent = isCompressed ? content.pipe(createGzip({ level: 1 }).on('error', ignore)) : content;
  sent.pipe(response.on('error', ignore));
}

function isRequest(line: string): boolean {
  return (JSON.parse(line) as { id?: unknown }).id !== undefined;
}

function* answer(line: string, list: string): Generator<string> {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const head = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},`;
  switch (method) {
    case 'initialize': {
      const { protocolVersion } = params;
      const serverInfo = { name: 'hostile', version: '1.0.0' };
      yield `${head}"result":${JSON.stringify({ protocolVersion, serverInfo, capabilities: { tools: {} } })}}`;
      return;
    }
    case 'tools/list':
      yield `${head}"result":{"tools":${lists[list]?.() ?? '[]'}}}`;
      return;
    case 'tools/call': {
      yield `${head}"result":{"content":[{"type":"text","text":"`;
      const bytes = params.arguments?.flood === undefined ? 1 : ANSWER_BYTES;
      for (let left = bytes; left > 0; left -= PIECE.length) yield PIECE.slice(0, left);
      yield '"}]}}';
      return;
    }
    default:
      yield `${head}"error":{"code":-32601,"message":"there is no ${method}"}}`;
  }
}
