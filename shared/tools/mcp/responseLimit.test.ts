// Servers that send more than anybody wants to read: what arrives is counted, and nothing is read behind the limit.

import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { createGzip } from 'node:zlib';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { expect, it, onTestFinished } from 'vitest';
import { EVERY_TOOL } from '../../../test/tools/everyTool.ts';
import { createTextServer } from '../../../test/tools/fixtureTools.ts';
import { startTextServer } from '../../../test/tools/httpServer.ts';
import { mcpServerConfigSchema } from '../../config/serverConfig.ts';
import { createToolConnector } from '../connectTools.ts';
import { mcpSources } from './mcpSource.ts';
import { MAX_ANSWER_BYTES } from './responseLimit.ts';

const PIECE = Buffer.alloc(64_000, 'x');

/** A server whose calls are answered by `answer`; everything else it does as it should. */
async function startServer(answer: (response: ServerResponse) => void): Promise<string> {
  const mcp = toNodeHandler(createMcpHandler(createTextServer, { legacy: 'reject' }));
  const server = createServer(async (request, response) => {
    const { method = '', url = '' } = request;
    const body = await buffer(request);
    if (body.includes('"tools/call"')) return answer(response);
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
  const config = mcpServerConfigSchema.parse({ transport: 'http', ...EVERY_TOOL, url });
  const connect = createToolConnector(mcpSources({ text: config }), { warn: () => {} });
  const { signal } = new AbortController();
  const executor = await connect(['text'], { signal });
  onTestFinished(() => executor.close());
  const call = { callId: 'call_1', name: 'text.text', arguments: '{"length":1,"pattern":"x"}' };
  return (args = call.arguments) =>
    executor.execute(
      { ...call, arguments: args },
      {
        signal,
        timeoutMs: 60_000,
        maxResultBytes: 1_000,
        mask: (text) => ({ text, count: 0 }),
        idempotencyKey: 'key',
        traceparent: null,
      },
    );
}

it.each([
  ['JSON', 'application/json', '{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"'],
  [
    'events',
    'text/event-stream',
    'event: message\ndata: {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"',
  ],
])('an endless answer as %s is read to the limit, and the model is told', async (_what, type, head) => {
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
