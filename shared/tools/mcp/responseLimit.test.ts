// Servers that send too much: what arrives is counted, and nothing is read behind the limit.

import { readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { createGzip } from 'node:zlib';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../../../test/support/ownConfig.ts';
import { createTextServer } from '../../../test/tools/fixtureTools.ts';
import { startTextServer } from '../../../test/tools/httpServer.ts';
import { mcpServerConfigSchema } from '../../config/serverConfig.ts';
import { TerminalError } from '../../core/errors.ts';
import { createToolConnector } from '../connectTools.ts';
import { MAX_ANSWER_BYTES } from '../http/responseLimit.ts';
import { keepConnections } from './connectionCache.ts';
import { mcpSources } from './mcpSource.ts';

const STDIO_SERVER = fileURLToPath(new URL('../../../test/tools/stdioServer.ts', import.meta.url));
const PIECE = Buffer.alloc(64_000, 'x');

const configOf = (server: object) =>
  mcpServerConfigSchema.parse({ transport: 'http', readOnly: ['*'], connectTimeoutMs: 600_000, ...server });

/** A server whose calls are answered by `answer`; everything else it does as it should. */
async function startServer(
  answer: (response: ServerResponse) => void,
  answered = 'tools/call',
): Promise<string> {
  const mcp = toNodeHandler(createMcpHandler(createTextServer, { legacy: 'reject' }));
  const server = createServer(async (request, response) => {
    const { method = '', url = '' } = request;
    const body = await buffer(request);
    if (body.includes(`"${answered}"`)) return answer(response);
    await mcp(Object.assign(request, { method, url }), response, JSON.parse(body.toString()));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close().closeAllConnections());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

/** Writes until nobody reads. @returns resolves with the bytes that were written. */
function writeForEver(stream: NodeJS.WritableStream, closed: ServerResponse): Promise<number> {
  let written = 0;
  return new Promise((resolve) => {
    const write = () => {
      while (!closed.destroyed) {
        written += PIECE.length;
        if (!stream.write(PIECE)) return void stream.once('drain', write);
      }
    };
    closed.once('close', () => resolve(written));
    stream.on('error', () => {});
    write();
  });
}

async function callOf(url: string) {
  const connect = createToolConnector(mcpSources({ text: configOf({ url }) }), { warn: () => {} });
  const { signal } = new AbortController();
  const executor = await connect(['text'], { signal });
  onTestFinished(() => executor.close());
  const call = { callId: 'call_1', name: 'text.text', arguments: '{"length":1,"pattern":"x"}' };
  return (args = call.arguments) => executor.execute({ ...call, arguments: args }, callOptions(signal));
}

const callOptions = (signal: AbortSignal) => ({
  signal,
  timeoutMs: 600_000,
  maxResultBytes: 1_000,
  mask: (text: string) => ({ text, count: 0 }),
  idempotencyKey: 'key',
  traceparent: null,
});

it.each([
  ['JSON', 'application/json', '{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"'],
  [
    'events',
    'text/event-stream',
    'event: message\ndata: {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"',
  ],
])('an endless answer as %s is read to the limit, and the model gets an error', async (_what, type, head) => {
  let written: Promise<number> | undefined;
  const url = await startServer((response) => {
    response.writeHead(200, { 'content-type': type }).write(head);
    written = writeForEver(response, response);
  });
  const result = await (await callOf(url))();
  expect(result).toMatchObject({ isError: true, timedOut: false });
  expect(result.content).toContain(`its answer has more than ${MAX_ANSWER_BYTES} bytes`);
  // What lies in the buffers of two processes comes on top.
  expect(await written).toBeLessThan(4 * MAX_ANSWER_BYTES);
});

it('an answer that is small on the wire is counted as large as it is', async () => {
  let written: Promise<number> | undefined;
  const url = await startServer((response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
    const gzip = createGzip();
    gzip.pipe(response);
    written = writeForEver(gzip, response);
  });
  const result = await (await callOf(url))();
  expect(result.content).toContain(`its answer has more than ${MAX_ANSWER_BYTES} bytes`);
  expect(await written).toBeGreaterThan(MAX_ANSWER_BYTES);
});

it('an answer below the limit is read whole, and cut as usual', async () => {
  const server = await startTextServer();
  onTestFinished(() => server.close());
  const call = await callOf(server.url);
  const result = await call(JSON.stringify({ length: MAX_ANSWER_BYTES - 1_000, pattern: 'x' }));
  expect(result).toMatchObject({ isError: false, truncated: true });
});

it('an endless list of tools is read to its own limit, and the server is missing for good', async () => {
  let written: Promise<number> | undefined;
  const url = await startServer((response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write('{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"one","description":"');
    written = writeForEver(response, response);
  }, 'tools/list');
  const connect = createToolConnector(mcpSources({ text: configOf({ url }) }), { warn: () => {} });
  const { missing } = await connect(['text'], { signal: new AbortController().signal });
  expect(missing[0]?.error).toBeInstanceOf(TerminalError);
  expect(missing[0]?.error.message).toMatch(
    /^MCP server "text" is unavailable: .*its list of tools has more than 1000000 bytes/,
  );
  expect(await written).toBeLessThan(MAX_ANSWER_BYTES);
});

it('an endless line of a process is read to the limit; the process is ended, and replaced for the next call', async () => {
  const folder = temporaryFolder();
  const [starts, flooded] = [join(folder, 'starts'), join(folder, 'flooded')];
  const server = {
    transport: 'stdio',
    command: process.execPath,
    args: [STDIO_SERVER, 'flooding'],
    env: { STARTS: starts, FLOODED: flooded },
  };
  const kept = keepConnections({ now: Date.now });
  onTestFinished(() => kept.close());
  const connect = createToolConnector(mcpSources({ flood: configOf(server) }, kept.connect), {
    warn: () => {},
  });
  const { signal } = new AbortController();
  const executor = await connect(['flood'], { signal });
  onTestFinished(() => executor.close());
  const call = (name: string) =>
    executor.execute({ callId: 'call_1', name: `flood.${name}`, arguments: '{}' }, callOptions(signal));
  // Read-only, and yet it is not made again: it would be the same.
  const result = await call('die');
  expect(result).toMatchObject({ isError: true, timedOut: false });
  expect(result.content).toContain(`its answer has more than ${MAX_ANSWER_BYTES} bytes`);
  const started = () => readFileSync(starts, 'utf8').trim().split('\n').length;
  expect(started()).toBe(1);
  expect((await call('count')).content).toContain('counted to');
  expect(started()).toBe(2);
  const written = readFileSync(flooded, 'utf8').length * PIECE.length;
  expect(written).toBeGreaterThan(MAX_ANSWER_BYTES / 2);
  expect(written).toBeLessThan(2 * MAX_ANSWER_BYTES);
});
