// An MCP server that keeps a journal of its calls: one line a call, in a file. Tools: `look` and `effects`
// change nothing, `change` and `order` do. `effects` answers whether a call with the key that is its argument
// came. A file beside the journal, with `.description` behind its name, is the description of `order`; one
// with `.arguments` has the arguments of the calls.

import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { Server } from '@modelcontextprotocol/server';
import { IDEMPOTENCY_META_KEY } from '../../shared/tools/mcp/mcpSource.ts';

const inputSchema = { type: 'object' as const };
const orderSchema = { ...inputSchema, properties: { to: {}, place: { type: 'string' as const } } };
const annotations = { readOnlyHint: true };

function describeTool(journal: string): string {
  const file = `${journal}.description`;
  return existsSync(file) ? readFileSync(file, 'utf8') : 'Orders something.';
}

function readEffect(journal: string, key: unknown): string {
  const lines = readFileSync(journal, 'utf8').split('\n');
  return lines.some((line) => line.endsWith(` ${key}`)) ? `${key} was done` : `${key} never came`;
}

/** @param journal the path of a file that exists. */
export function createJournalServer(journal: string): Server {
  const server = new Server({ name: 'journal', version: '1.0.0' }, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/list', () => ({
    tools: [
      { name: 'look', inputSchema, annotations },
      { name: 'effects', inputSchema, annotations },
      { name: 'change', inputSchema },
      { name: 'order', inputSchema: orderSchema, description: describeTool(journal) },
    ],
  }));
  server.setRequestHandler('tools/call', ({ params }, { mcpReq }) => {
    const isQuestion = params.name === 'effects';
    const text = isQuestion ? readEffect(journal, params.arguments?.key) : `${params.name} is done`;
    const key = mcpReq._meta?.[IDEMPOTENCY_META_KEY];
    appendFileSync(journal, `${params.name} ${key}\n`);
    appendFileSync(`${journal}.arguments`, `${JSON.stringify(params.arguments)}\n`);
    return { content: [{ type: 'text', text }] };
  });
  return server;
}
