// An MCP server that misbehaves on request; the tests of the MCP client run it over both transports.

import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type CallToolResult,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type Tool,
} from '@modelcontextprotocol/server';

/** Small, so that the client has to turn pages. */
const PAGE_SIZE = 3;
const POLL_MS = 10;

/** What the fixture does when it is told to die, and where it notes which calls were cancelled. */
export interface FixtureHooks {
  die: () => void;
  cancelled: string[];
  /** Called for each whole list of tools. */
  onList?: () => void;
}

const readOnly = { readOnlyHint: true };
const inputSchema = { type: 'object' as const };
/** The one schema that says what its arguments are. */
const countSchema = {
  type: 'object' as const,
  properties: { to: { type: 'integer' } },
  required: ['to'],
  additionalProperties: false,
};
const tools = [
  { name: 'echo', description: 'Tells what it was called with.', inputSchema, annotations: readOnly },
  { name: 'refuse', inputSchema },
  { name: 'fail', inputSchema },
  { name: 'huge', inputSchema },
  { name: 'slow', inputSchema },
  { name: 'cancelled', inputSchema, annotations: readOnly },
  { name: 'die', inputSchema },
  { name: 'count', inputSchema: countSchema, annotations: readOnly },
  { name: 'wait', inputSchema },
  { name: 'flawed', inputSchema, outputSchema: { type: 'object' as const, required: ['count'] } },
];

const text = (value: string): CallToolResult => ({ content: [{ type: 'text', text: value }] });

/** A server with one tool for each thing the client must cope with. */
export function createFixtureServer({ die, cancelled, onList }: FixtureHooks): Server {
  const server = new Server({ name: 'fixture', version: '1.0.0' }, { capabilities: { tools: {} } });

  server.setRequestHandler('tools/list', (request) => {
    const start = Number(request.params?.cursor ?? 0);
    const end = start + PAGE_SIZE;
    if (start === 0) onList?.();
    const nextCursor = end < tools.length ? { nextCursor: String(end) } : {};
    return { tools: tools.slice(start, end), ...nextCursor };
  });

  server.setRequestHandler('tools/call', async (request, ctx) => {
    const { name, arguments: args } = request.params;
    switch (name) {
      case 'echo':
        return text(JSON.stringify({ pid: process.pid, args, meta: ctx.mcpReq._meta, env: process.env }));
      case 'refuse':
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'namespace is required');
      case 'fail':
        return { ...text('the disk is full'), isError: true };
      case 'huge':
        return text('0123456789'.repeat(200_000));
      case 'slow':
        await new Promise((resolve) => ctx.mcpReq.signal.addEventListener('abort', resolve));
        cancelled.push('slow');
        return text('too late');
      case 'cancelled':
        return text(JSON.stringify(cancelled));
      case 'die':
        // Late enough for an HTTP answer to have started: its stream breaks.
        setTimeout(die, 100);
        return await new Promise<CallToolResult>(() => {});
      case 'wait':
        await untilExists(String(args?.file));
        return text('waited');
      case 'count':
        return text(`counted to ${JSON.stringify(args)}`);
      case 'flawed':
        return { content: [], structuredContent: { total: 7 } };
      default:
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, `no tool ${name}`);
    }
  });
  return server;
}

/** Waits until a test lets the server go on, by making a file. */
export async function untilExists(file: string): Promise<void> {
  while (!existsSync(file)) await sleep(POLL_MS);
}

/** A server whose tool `grow` gives it one tool more, and says so. */
export function createGrowingServer(): Server {
  const server = new Server(
    { name: 'growing', version: '1.0.0' },
    { capabilities: { tools: { listChanged: true } } },
  );
  let grown = 0;
  server.setRequestHandler('tools/list', () => ({
    tools: ['grow', ...Array.from({ length: grown }, (_, index) => `grown_${index + 1}`)].map((name) => ({
      name,
      inputSchema,
    })),
  }));
  server.setRequestHandler('tools/call', async () => {
    grown++;
    await server.sendToolListChanged();
    return text('grown');
  });
  return server;
}

/** A server whose one tool, `text`, repeats a pattern up to a length. */
export function createTextServer(): Server {
  const server = new Server({ name: 'text', version: '1.0.0' }, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/list', () => ({
    tools: [{ name: 'text', description: 'Text of a length.', inputSchema, annotations: readOnly }],
  }));
  server.setRequestHandler('tools/call', ({ params }) => {
    const { pattern = 'x', length = 0 } = params.arguments ?? {};
    return text(
      String(pattern)
        .repeat(Math.ceil(Number(length) / String(pattern).length))
        .slice(0, Number(length)),
    );
  });
  return server;
}

/** A server with the tools that `tools` gives at each listing; each answers with its name. */
export function createListedServer(
  tools: () => Tool[],
  instructions?: string,
  onCall?: (params: { name: string; arguments?: object | undefined }) => void,
): Server {
  const options = { capabilities: { tools: {} }, ...(instructions !== undefined && { instructions }) };
  const server = new Server({ name: 'listed', version: '1.0.0' }, options);
  server.setRequestHandler('tools/list', () => ({ tools: tools() }));
  server.setRequestHandler('tools/call', ({ params }) => {
    onCall?.(params);
    return text(`${params.name} ran`);
  });
  return server;
}
