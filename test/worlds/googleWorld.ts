// What `auth: google` meets, on this machine: the metadata server of a function's instance, Google's IAM
// credentials API, and an MCP server behind IAM, which verifies signature, audience and expiry of the tokens
// it is sent.

import { createSign, generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, Server as McpServer } from '@modelcontextprotocol/server';
import { gcpMetadata, OAuth2Client } from 'google-auth-library';
import { onTestFinished, vi } from 'vitest';

const ISSUER = 'https://accounts.google.com';
const HOUR_S = 3600;

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const certificates = { key1: publicKey.export({ type: 'spki', format: 'pem' }).toString() };

/** A signed ID token. */
export function signIdToken(audience: string, email: string, lifeSeconds: number, number: number): string {
  const now = Math.floor(Date.now() / 1000);
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = { iss: ISSUER, aud: audience, email, iat: now, exp: now + lifeSeconds, number };
  const signed = `${part({ alg: 'RS256', kid: 'key1', typ: 'JWT' })}.${part(claims)}`;
  return `${signed}.${createSign('RSA-SHA256').update(signed).sign(privateKey, 'base64url')}`;
}

/** Whether a token is signed, for `audience`, and not expired. */
export async function isValid(token: string, audience: string): Promise<boolean> {
  const client = new OAuth2Client();
  return client.verifySignedJwtWithCertsAsync(token, certificates, audience, [ISSUER]).then(
    () => true,
    () => false,
  );
}

/** The two services that mint tokens. */
export interface GoogleWorld {
  iamEndpoint: string;
  /** Paths that the metadata server was asked for, about tokens. */
  metadata: string[];
  /** What the IAM credentials API was asked: path, Authorization header and body. */
  iam: { path: string; authorization: string | undefined; body: unknown }[];
  /** All tokens that were given out, oldest first. */
  minted: string[];
  /** How long ID tokens live. Default: an hour. */
  lifeSeconds: number;
  /** Whom ID tokens of the metadata server are for, whatever was asked for. */
  audience?: string;
  /** The status of all answers of the IAM credentials API. Default: 200. */
  iamStatus: number;
  /** The status of all answers of the metadata server. Default: 200. */
  metadataStatus: number;
}

/** Starts both and makes this process find them, until the test is over. */
export async function startGoogleWorld(): Promise<GoogleWorld> {
  const world: GoogleWorld = {
    iamEndpoint: '',
    metadata: [],
    iam: [],
    minted: [],
    lifeSeconds: HOUR_S,
    iamStatus: 200,
    metadataStatus: 200,
  };
  const give = (token: string) => {
    world.minted.push(token);
    return token;
  };
  const newIdToken = (audience: string, email: string) =>
    give(signIdToken(audience, email, world.lifeSeconds, world.minted.length));
  const newAccessToken = () => give(`ya29.c.${Buffer.from(`access ${world.minted.length}`).toString('hex')}`);

  const metadata = await listen((request, response) => {
    const url = new URL(request.url ?? '', 'http://metadata');
    response.setHeader('Metadata-Flavor', 'Google');
    if (!/\/(identity|token)$/.test(url.pathname)) return void response.writeHead(404).end();
    world.metadata.push(`${url.pathname.split('/').at(-1)}${decodeURIComponent(url.search)}`);
    if (world.metadataStatus !== 200) return void response.writeHead(world.metadataStatus).end('no account');
    if (url.pathname.endsWith('/identity')) {
      const audience = world.audience ?? url.searchParams.get('audience') ?? '';
      return void response.end(newIdToken(audience, 'function@demo.iam.gserviceaccount.com'));
    }
    const token = { access_token: newAccessToken(), expires_in: world.lifeSeconds, token_type: 'Bearer' };
    response.setHeader('content-type', 'application/json').end(JSON.stringify(token));
  });
  const iam = await listen(async (request, response) => {
    const body = JSON.parse(await bodyOf(request)) as { audience?: string };
    const path = request.url ?? '';
    world.iam.push({ path, authorization: request.headers.authorization, body });
    response.setHeader('content-type', 'application/json');
    if (world.iamStatus !== 200) {
      const error = {
        code: world.iamStatus,
        message: `Permission denied for ${request.headers.authorization}`,
      };
      return void response.writeHead(world.iamStatus).end(JSON.stringify({ error }));
    }
    const account = /serviceAccounts\/(.*):/.exec(path)?.[1] ?? '';
    const expireTime = new Date(Date.now() + HOUR_S * 1000).toISOString();
    const answer = path.endsWith(':generateIdToken')
      ? { token: newIdToken(body.audience ?? '', account) }
      : { accessToken: newAccessToken(), expireTime };
    response.end(JSON.stringify(answer));
  });
  world.iamEndpoint = originOf(iam);

  withoutCredentials();
  vi.stubEnv('GCE_METADATA_HOST', `127.0.0.1:${(metadata.address() as AddressInfo).port}`);
  vi.stubEnv('METADATA_SERVER_DETECTION', 'assume-present');
  return world;
}

/** Makes this process find no credentials of Google, until the test is over. */
export function withoutCredentials(): void {
  const folder = mkdtempSync(join(tmpdir(), 'inquest-gcloud-'));
  vi.stubEnv('CLOUDSDK_CONFIG', folder);
  vi.stubEnv('GOOGLE_APPLICATION_CREDENTIALS', undefined);
  vi.stubEnv('METADATA_SERVER_DETECTION', 'none');
  gcpMetadata.setGCPResidency(false);
  onTestFinished(() => {
    vi.unstubAllEnvs();
    gcpMetadata.resetIsAvailableCache();
    rmSync(folder, { recursive: true });
  });
}

/** An MCP server behind IAM, or behind an authorization server. */
export interface GuardedServer {
  url: string;
  origin: string;
  /** The tokens of all requests, in order. */
  tokens: string[];
  /** The headers of the last request. */
  headers: IncomingHttpHeaders;
}

/**
 * An MCP server with the tools `say`, `fail` and `break`, which repeat the Authorization header as it is, in
 * base64 and in hexadecimal: in a result, in an error of a tool and in a protocol error.
 * @param admits whether a request with this token is let in; else it gets 401.
 * @param issuer the authorization server that its metadata names (RFC 9728). Default: it has no metadata.
 */
export async function startGuardedServer(
  admits: (token: string, origin: string) => Promise<boolean> | boolean,
  issuer?: string,
): Promise<GuardedServer> {
  const guarded: GuardedServer = { url: '', origin: '', tokens: [], headers: {} };
  let header = '';
  const handle = toNodeHandler(createMcpHandler(() => repeatingServer(() => header), { legacy: 'reject' }));
  const server = await listen(async (request, response) => {
    const { method = '', url = '' } = request;
    if (url.startsWith(METADATA)) return void response.end(JSON.stringify(resourceMetadata(guarded, issuer)));
    if (issuer !== undefined && request.headers.authorization === undefined)
      return refuse(response, guarded.origin, issuer);
    guarded.headers = request.headers;
    header = request.headers.authorization ?? '';
    const token = header.replace('Bearer ', '');
    guarded.tokens.push(token);
    if (await admits(token, guarded.origin)) await handle(Object.assign(request, { method, url }), response);
    else refuse(response, guarded.origin, issuer, `you sent ${header}`);
  });
  guarded.origin = originOf(server);
  guarded.url = `${guarded.origin}/mcp`;
  return guarded;
}

const METADATA = '/.well-known/oauth-protected-resource';

/** The metadata of RFC 9728. */
function resourceMetadata({ url }: GuardedServer, issuer: string | undefined) {
  return {
    resource: url,
    authorization_servers: issuer === undefined ? [] : [issuer],
    scopes_supported: ['tools'],
  };
}

function refuse(response: ServerResponse, origin: string, issuer?: string, text = ''): void {
  const challenge = `Bearer resource_metadata="${origin}${METADATA}", scope="tools"`;
  response.writeHead(401, issuer === undefined ? {} : { 'www-authenticate': challenge }).end(text);
}

function repeatingServer(header: () => string): McpServer {
  const server = new McpServer({ name: 'repeat', version: '1.0.0' }, { capabilities: { tools: {} } });
  const encoded = (encoding: 'base64' | 'hex') => Buffer.from(header()).toString(encoding);
  const text = () => `${header()} or ${encoded('base64')} or ${encoded('hex')}`;
  const annotations = { readOnlyHint: true };
  server.setRequestHandler('tools/list', () => ({
    tools: ['say', 'fail', 'break'].map((name) => ({
      name,
      inputSchema: { type: 'object' as const },
      annotations,
    })),
  }));
  server.setRequestHandler('tools/call', ({ params: { name } }) => {
    if (name === 'break') throw new Error(text());
    return { content: [{ type: 'text', text: text() }], isError: name === 'fail' };
  });
  return server;
}

/** A server that redirects every request to `target`. */
export async function startRedirect(target: string): Promise<string> {
  const server = await listen((_request, response) => response.writeHead(307, { location: target }).end());
  return `${originOf(server)}/mcp`;
}

async function listen(listener: RequestListener): Promise<Server> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close().closeAllConnections());
  return server;
}

const originOf = (server: Server): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request) body += String(chunk);
  return body;
}
