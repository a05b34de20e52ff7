// An MCP server behind HTTP.

import type { AuthProvider, Transport } from '@modelcontextprotocol/client';
import type { HttpServerConfig } from '../../contract/mcpServer.ts';
import { TerminalError } from '../../core/errors.ts';
import { asObject, parseJson } from '../../text/json.ts';
import { ANSWER_LIMIT, type BodyLimit, limitBody } from '../http/responseLimit.ts';
import type { Link } from './link.ts';
import { LIST_LIMIT } from './toolList.ts';

/**
 * Our error code for an answer whose stream ended early, in the range that JSON-RPC leaves to
 * implementations.
 */
export const STREAM_ENDED = -32_050;

/** @param tokens the token of each request, and a new one after 401. Then no redirects. */
export function httpLink(
  config: HttpServerConfig,
  tokens: AuthProvider | undefined,
  sdk: typeof import('@modelcontextprotocol/client'),
): Link {
  const transport = new sdk.StreamableHTTPClientTransport(new URL(config.url), {
    requestInit: { headers: composeServerHeaders(config) },
    ...(tokens && { authProvider: tokens }),
    fetch: async (url, init) => {
      const response = await withoutStandingStream(url, init);
      if (tokens !== undefined) refuseRedirect(url, response);
      const limit = isListing(init?.body) ? LIST_LIMIT : ANSWER_LIMIT;
      return limitBody(response, limit, () => answerTooLarge(transport, init?.body, limit));
    },
  });
  // When an answer's stream breaks, the SDK would wait for the time limit: fail it at once.
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    if (!sdk.isJSONRPCRequest(message)) return send(message, options);
    const onRequestStreamEnd = () => {
      transport.onmessage?.({
        jsonrpc: '2.0',
        id: message.id,
        error: { code: STREAM_ENDED, message: 'the server ended the stream without an answer' },
      });
    };
    return send(message, { ...options, onRequestStreamEnd });
  };
  return {
    state: { isListing: false, isCalling: false },
    transport,
    stderr: () => '',
    endSession: () => transport.terminateSession(),
    cleanUp: () => {},
    kind: () => (transport.sessionId === undefined ? 'stateless' : 'session'),
    kill: () => {},
  };
}

function composeServerHeaders({ headers, quotaProject }: HttpServerConfig): Record<string, string> {
  return quotaProject === undefined ? headers : { ...headers, 'x-goog-user-project': quotaProject };
}

/**
 * The SDK opens a stream for notifications in every session and opens it again when it ends. It would keep an
 * instance of the server busy between our calls, while this one stands still and cannot read it. Only answers
 * are resumed.
 */
function withoutStandingStream(url: string | URL, init?: RequestInit): Promise<Response> {
  const isStanding = init?.method === 'GET' && !new Headers(init.headers).has('last-event-id');
  return isStanding ? Promise.resolve(new Response(null, { status: 405 })) : fetch(url, init);
}

/** The SDK asks for redirects to be left to it, and would follow one within the origin, with the token. */
function refuseRedirect(url: string | URL, { status, headers }: Response): void {
  if (status < 300 || status > 399) return;
  const location = headers.get('location') ?? '';
  const target = URL.parse(location, String(url))?.origin ?? 'nowhere';
  const message = `it redirects (HTTP ${status}, to ${target}), and a token is not redirected; write the address it leads to as url`;
  throw new TerminalError('TOOL_SERVER_UNAVAILABLE', message);
}

/** Whether a request lists tools. Bodies of calls can be large, so only short ones are parsed. */
function isListing(body: RequestInit['body']): boolean {
  if (typeof body !== 'string' || !body.includes('tools/list')) return false;
  return asObject(parseJson(body)).method === 'tools/list';
}

/** Gives the request its error before the SDK sees a broken stream, which it would try to resume. */
function answerTooLarge(transport: Transport, body: RequestInit['body'], { code, message }: BodyLimit): void {
  const { id } = asObject(parseJson(typeof body === 'string' ? body : ''));
  if (typeof id !== 'string' && typeof id !== 'number') return;
  transport.onmessage?.({ jsonrpc: '2.0', id, error: { code, message } });
}
