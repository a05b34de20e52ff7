// An MCP server that keeps a journal of what it was made to do: one line a call, in the file of its first argument.
// Tools: `look` changes nothing, `change` and `order` do.

import { appendFileSync } from 'node:fs';
import { enableCompileCache } from 'node:module';

// It is started for each iteration, and inherits no NODE_COMPILE_CACHE.
enableCompileCache();
const { Server } = await import('@modelcontextprotocol/server');
const { serveStdio } = await import('@modelcontextprotocol/server/stdio');
const { IDEMPOTENCY_META_KEY } = await import('../../shared/tools/mcp/mcpSource.ts');

const journal = process.argv[2] ?? '';
const inputSchema = { type: 'object' as const };

serveStdio(() => {
  const server = new Server({ name: 'journal', version: '1.0.0' }, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/list', () => ({
    tools: [
      { name: 'look', inputSchema, annotations: { readOnlyHint: true } },
      { name: 'change', inputSchema },
      { name: 'order', inputSchema },
    ],
  }));
  server.setRequestHandler('tools/call', ({ params }, { mcpReq }) => {
    appendFileSync(journal, `${params.name} ${mcpReq._meta?.[IDEMPOTENCY_META_KEY]}\n`);
    return { content: [{ type: 'text', text: `${params.name} is done` }] };
  });
  return server;
});
