// The fixture server over streamable HTTP, in both forms a client meets: stateless and with sessions.

import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, type Tool } from '@modelcontextprotocol/server';
import {
  createFixtureServer,
  createListedServer,
  createTextServer,
  type FixtureHooks,
} from './fixtureTools.ts';
import { createJournalServer } from './journal.ts';

export interface HttpFixture {
  url: string;
  /** Headers of the requests received, in order. */
  requests: { method: string; headers: IncomingMessage['headers'] }[];
  cancelled: string[];
  /** How often the whole list of tools was asked for. */
  listings: number;
  close(): Promise<void>;
}

/** A server of the 2026 protocol: every request stands alone. */
export function startStatelessServer(port = 0): Promise<HttpFixture> {
  return start((fixture, server) => {
    const hooks = readHooks(fixture, server);
    return statelessListener(() => createFixtureServer(hooks));
  }, port);
}

/** A stateless server that answers 503 while `isDown` is set; `die` sets it. */
export async function startFlakyServer(isDown: boolean): Promise<HttpFixture & { isDown: boolean }> {
  const state = { isDown };
  const fixture = await start(({ cancelled }, server) => {
    const die = () => {
      state.isDown = true;
      server.closeAllConnections();
    };
    const listener = statelessListener(() => createFixtureServer({ cancelled, die }));
    return (request, response) =>
      state.isDown ? void response.writeHead(503).end() : listener(request, response);
  });
  return Object.assign(state, fixture);
}

/** The same for the server of long texts. */
export function startTextServer(): Promise<HttpFixture> {
  return start(() => statelessListener(createTextServer));
}

/** The same for the server with a journal. */
export function startJournalServer(file: string): Promise<HttpFixture> {
  return start(() => statelessListener(() => createJournalServer(file)));
}

/**
 * The same for a server with the tools that `tools` gives at each listing, each of which answers with its
 * name, and with the instructions that `instructions` gives to each who connects. Default: none. `onCall`
 * gets name and arguments of each call.
 */
export function startListedServer(
  tools: () => Tool[],
  instructions: () => string | undefined = () => undefined,
  onCall?: (params: { name: string; arguments?: object | undefined }) => void,
): Promise<HttpFixture> {
  return start(() => statelessListener(() => createListedServer(tools, instructions(), onCall)));
}

function statelessListener(create: Parameters<typeof createMcpHandler>[0]): RequestListener {
  const listener = toNodeHandler(createMcpHandler(create, { legacy: 'reject' }));
  return (request, response) => {
    const { method = '', url = '' } = request;
    void listener(Object.assign(request, { method, url }), response);
  };
}

/** A server of the 2025 protocol: sessions by handshake and DELETE, unknown ones get 404. */
export async function startSessionServer(): Promise<HttpFixture & { sessions: Map<string, unknown> }> {
  const sessions = new Map<string, NodeStreamableHTTPServerTransport>();
  const fixture = await start((fixture, server) => {
    const openSession = async () => {
      const transport = new NodeStreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: (id) => void sessions.set(id, transport),
        onsessionclosed: (id) => void sessions.delete(id),
      });
      await createFixtureServer(readHooks(fixture, server)).connect(transport);
      return transport;
    };
    return async (request, response) => {
      const id = request.headers['mcp-session-id'];
      const transport = id === undefined ? await openSession() : sessions.get(String(id));
      if (transport === undefined) response.writeHead(404).end('Session not found');
      else await transport.handleRequest(request, response);
    };
  });
  return Object.assign(fixture, { sessions });
}

function readHooks(fixture: HttpFixture, server: Server): FixtureHooks {
  return {
    cancelled: fixture.cancelled,
    die: () => server.closeAllConnections(),
    onList: () => void fixture.listings++,
  };
}

/** A server that answers everything with `status`, or nothing at all when it is null. */
export function startDeadServer(status: number | null): Promise<HttpFixture> {
  return start(() => (request, response) => {
    if (status !== null) response.writeHead(status).end(`you sent ${JSON.stringify(request.headers)}`);
  });
}

async function start(
  listener: (fixture: HttpFixture, server: Server) => RequestListener,
  port = 0,
): Promise<HttpFixture> {
  const server = createServer();
  // An idle connection that is closed in the moment of a request would be a failed call.
  server.keepAliveTimeout = 0;
  const fixture: HttpFixture = {
    url: '',
    requests: [],
    cancelled: [],
    listings: 0,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  const handle = listener(fixture, server);
  server.on('request', (request, response) => {
    fixture.requests.push({ method: request.method ?? '', headers: request.headers });
    handle(request, response);
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  fixture.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  return fixture;
}
