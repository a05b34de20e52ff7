// An MCP server that keeps a journal of what it was made to do: one line a call, in the file of its first argument.
// Tools: `look` and `effects` change nothing, `change` and `order` do. `effects` says whether a call with the key that is
// its argument came. A file beside the journal, with `.description` behind its name, is the
// description of `order`; one with `.arguments` has the arguments of the calls.

import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { enableCompileCache } from 'node:module';

// It is started for each iteration, and inherits no NODE_COMPILE_CACHE.
enableCompileCache();
const { Server } = await import('@modelcontextprotocol/server');
const { serveStdio } = await import('@modelcontextprotocol/server/stdio');
const { IDEMPOTENCY_META_KEY } = await import('../../shared/tools/mcp/mcpSource.ts');

const journal = process.argv[2] ?? '';
const inputSchema = { type: 'object' as const };
const orderSchema = { ...inputSchema, properties: { to: {}, place: { type: 'string' as const } } };
const annotations = { readOnlyHint: true };

function description(): string {
  const file = `${journal}.description`;
  return existsSync(file) ? readFileSync(file, 'utf8') : 'Orders something.';
}

function effectOf(key: unknown): string {
  const lines = readFileSync(journal, 'utf8').split('\n');
  return lines.some((line) => line.endsWith(` ${key}`)) ? `${key} was done` : `${key} never came`;
}

serveStdio(() => {
  const server = new Server({ name: 'journal', version: '1.0.0' }, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/list', () => ({
    tools: [
      { name: 'look', inputSchema, annotations },
      { name: 'effects', inputSchema, annotations },
      { name: 'change', inputSchema },
      { name: 'order', inputSchema: orderSchema, description: description() },
    ],
  }));
  server.setRequestHandler('tools/call', ({ params }, { mcpReq }) => {
    const text = params.name === 'effects' ? effectOf(params.arguments?.key) : `${params.name} is done`;
    const key = mcpReq._meta?.[IDEMPOTENCY_META_KEY];
    appendFileSync(journal, `${params.name} ${key}\n`);
    appendFileSync(`${journal}.arguments`, `${JSON.stringify(params.arguments)}\n`);
    return { content: [{ type: 'text', text }] };
  });
  return server;
});
