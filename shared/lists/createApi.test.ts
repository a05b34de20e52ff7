import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { Problem } from '../api/http/problem.ts';
import { type AnyRoute, type ApiDeps, type Caller, defineRoute } from '../api/http/route.ts';
import { sessionParams } from '../api/http/schemas.ts';
import { ALL_ON } from '../contract/switches.ts';
import { systemClock } from '../core/kernel/deps.ts';
import { mcpRoutes } from '../features/mcpServer/mcpRoute.ts';
import { createLogger } from '../log.ts';
import { createMemoryStore } from '../store/memory/memoryStore.ts';
import { createApi } from './createApi.ts';
import { mcpTools } from './mcpTools.ts';

/** Every caller is refused, so that no route needs more than this. */
function apiWith(webhooks: boolean) {
  const deps = {
    webhooks: { sources: {} },
    clock: { now: () => new Date(0) },
    log: createLogger({ LOG_LEVEL: 'silent' }),
    mask: (text: string) => text,
  } as unknown as ApiDeps;
  const access = async () => {
    throw new Problem('LOGIN_REQUIRED', 'refused for the test');
  };
  return createApi(deps, { access, webhooks });
}

it.each(['grafana', 'nosuch'])(
  'without webhooks the API treats one of %s like any other request',
  async (source) => {
    const send = async (webhooks: boolean) => {
      const response = await apiWith(webhooks).request(`/v1/webhooks/${source}`, {
        method: 'POST',
        body: '{}',
      });
      return (await response.json()) as { code: string; detail: string };
    };
    expect(await send(false)).toMatchObject({ code: 'LOGIN_REQUIRED', detail: 'refused for the test' });
    expect(await send(true)).not.toMatchObject({ detail: 'refused for the test' });
  },
);

it('answers over HTTPS, and no others, tell browsers to use HTTPS only', async () => {
  const send = async (headers: Record<string, string>) =>
    (await apiWith(false).request('/v1/sessions', { headers })).headers.get('strict-transport-security');
  expect(await send({ 'x-forwarded-proto': 'https' })).toBe('max-age=31536000');
  expect(await send({ 'x-forwarded-proto': 'http' })).toBe(null);
  expect(await send({})).toBe(null);
});

describe('the log of callers', () => {
  const caller: Caller = {
    tenantId: 'default',
    name: 'ci',
    userId: 'ci',
    role: 'viewer',
    keyId: 'k1',
  };
  const read = (role: 'viewer' | 'admin', path: string, id: string): AnyRoute =>
    defineRoute({
      method: 'get',
      path,
      id,
      summary: 'A read',
      role,
      status: 200,
      params: sessionParams,
      answer: z.object({}),
      handle: async () => ({}),
    });
  const routes = [
    read('viewer', '/v1/sessions/{sessionId}', 'getSession'),
    read('admin', '/v1/erased/{sessionId}', 'getErased'),
    ...mcpRoutes(mcpTools(ALL_ON)),
  ];

  /** Sends requests. Returns the logged lines, without time and severity. */
  async function linesOf(requests: [path: string, init?: RequestInit][], options: object = {}) {
    const lines: object[] = [];
    const write = (text: string) => {
      const { time: _, severity: __, ...line } = JSON.parse(text);
      lines.push(line);
    };
    const deps = {
      webhooks: { sources: {} },
      clock: systemClock,
      store: createMemoryStore(),
      log: createLogger({ GOOGLE_CLOUD_PROJECT: 'p' }, { write }),
      mask: (text: string) => text,
    } as unknown as ApiDeps;
    const access = async (headers: Record<string, unknown>) => {
      if (headers.authorization === undefined) throw new Problem('LOGIN_REQUIRED', 'no key');
      return caller;
    };
    const api = createApi(deps, { access, routes, logsCallers: true, ...options });
    for (const [path, init] of requests) await (await api.request(path, init)).text();
    return lines;
  }
  const login = { authorization: 'Bearer key' };
  const known = { caller: 'ci', keyId: 'k1', role: 'viewer', tenantId: 'default', message: 'API request' };
  const labels = { 'logging.googleapis.com/labels': { sessionId: 's1' } };

  it('names caller, operation, session and status of a read, and its trace', async () => {
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    const lines = await linesOf([['/v1/sessions/s1', { headers: { ...login, traceparent } }]]);
    expect(lines).toEqual([
      {
        ...known,
        ...labels,
        operation: 'getSession',
        params: { sessionId: 's1' },
        status: 200,
        'logging.googleapis.com/trace': `projects/p/traces/${'a'.repeat(32)}`,
        'logging.googleapis.com/spanId': 'b'.repeat(16),
      },
    ]);
  });

  it('has requests that the role of the caller refuses, without their parameters', async () => {
    const lines = await linesOf([['/v1/erased/s1', { headers: login }]]);
    expect(lines).toEqual([{ ...known, operation: 'getErased', status: 403 }]);
  });

  it('has no line of unidentified callers and of health checks, and none on one machine', async () => {
    expect(await linesOf([['/v1/sessions/s1'], ['/health', { headers: login }]])).toEqual([]);
    expect(await linesOf([['/v1/sessions/s1', { headers: login }]], { logsCallers: false })).toEqual([]);
  });

  it('names the tool and the session of a request to the MCP server', async () => {
    const call = (params: object, method = 'tools/call') => ({
      method: 'POST',
      headers: { ...login, 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    const lines = await linesOf([
      ['/mcp', call({ name: 'get_analysis', arguments: { session_id: 's1' } })],
      ['/mcp', call({ name: 'list_sessions', arguments: { text: 'private words' } })],
      ['/mcp', call({ name: 'get_analysis', arguments: { session_id: '../a b' } })],
      ['/mcp', call({ taskId: 'private words' }, 'tasks/cancel')],
    ]);
    expect(lines).toMatchObject([
      { ...known, ...labels, operation: 'mcp', tool: 'get_analysis', params: { sessionId: 's1' } },
      { ...known, operation: 'mcp', tool: 'list_sessions' },
      { ...known, operation: 'mcp', tool: 'get_analysis' },
      { ...known, operation: 'mcp', tool: 'tasks/cancel' },
    ]);
    expect(JSON.stringify(lines)).not.toMatch(/private words|a b/);
  });
});
