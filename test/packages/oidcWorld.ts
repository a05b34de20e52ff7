// An authorization server (oidc-provider) that rotates refresh tokens, with an MCP server.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { startGuardedServer } from '../worlds/googleWorld.ts';

const PACKAGE = 'oidc-provider';

/** The part of oidc-provider that is used here; the package has no types. */
interface Provider {
  callback(): (request: IncomingMessage, response: ServerResponse) => void;
  interactionDetails(
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<{ prompt: { name: string }; params: { client_id: string; scope?: string } }>;
  interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>;
  AccessToken: { find(token: string): Promise<{ isValid: boolean; isExpired: boolean } | undefined> };
  ClientCredentials: Provider['AccessToken'];
  Grant: new (of: {
    accountId: string;
    clientId: string;
  }) => {
    addOIDCScope(scope: string): void;
    addResourceScope(resource: string, scope: string): void;
    save(): Promise<string>;
  };
  on(event: string, listener: (...values: unknown[]) => void): void;
}
type ProviderClass = new (issuer: string, configuration: object) => Provider;

/** The secret of the client `machine`. */
export const CLIENT_SECRET = 'm4ch1ne-s3cret-0f-the-t3sts-5520';

/** Starts both. `refreshed`: number of exchanged refresh tokens. `events`: provider's errors. */
export async function startOidcWorld() {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close().closeAllConnections());
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const counts = { refreshed: 0, tokenRequests: 0 };
  const { default: Provider } = (await import(PACKAGE)) as { default: ProviderClass };
  const provider = new Provider(issuer, configuration());
  const find = async (token: string) =>
    (await provider.AccessToken.find(token)) ?? (await provider.ClientCredentials.find(token));
  const guarded = await startGuardedServer(async (token) => {
    const found = await find(token);
    return found?.isValid === true && !found.isExpired;
  }, issuer);
  provider.on('grant.success', (context) => {
    const { params } = (context as { oidc: { params: { grant_type: string } } }).oidc;
    counts.tokenRequests++;
    if (params.grant_type === 'refresh_token') counts.refreshed++;
  });
  serve(server, provider, guarded.url);
  return { issuer, guarded, counts };
}

function configuration(): object {
  const resourceServer = {
    scope: 'tools',
    audience: 'tools',
    accessTokenFormat: 'opaque',
    accessTokenTTL: 3600,
  };
  return {
    clients: [
      {
        client_id: 'machine',
        client_secret: CLIENT_SECRET,
        grant_types: ['client_credentials'],
        redirect_uris: [],
        response_types: [],
        scope: 'tools',
      },
    ],
    scopes: ['openid', 'offline_access', 'tools'],
    cookies: { keys: ['test'] },
    pkce: { required: () => true },
    rotateRefreshToken: true,
    issueRefreshToken: () => true,
    features: {
      devInteractions: { enabled: false },
      registration: { enabled: true },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => undefined,
        useGrantedResource: () => true,
        getResourceServerInfo: () => resourceServer,
      },
    },
    interactions: { url: (_context: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    findAccount: (_context: unknown, id: string) => ({ accountId: id, claims: () => ({ sub: id }) }),
  };
}

/** Answers every question to the person: logs in, and consents. */
function serve(server: Server, provider: Provider, resource: string): void {
  const callback = provider.callback();
  server.on('request', async (request: IncomingMessage, response: ServerResponse) => {
    if (!request.url?.startsWith('/interaction/')) return callback(request, response);
    const { prompt, params } = await provider.interactionDetails(request, response);
    if (prompt.name === 'login')
      return provider.interactionFinished(request, response, { login: { accountId: 'operator' } });
    const grant = new provider.Grant({ accountId: 'operator', clientId: params.client_id });
    grant.addOIDCScope(params.scope ?? 'openid');
    grant.addResourceScope(resource, 'tools');
    const grantId = await grant.save();
    return provider.interactionFinished(request, response, { consent: { grantId } });
  });
}

/** A browser: follows redirects with cookies until one leaves the issuer, and opens that one. */
export async function browse(address: URL): Promise<string> {
  const cookies = new Map<string, string>();
  let url = address;
  for (let hops = 0; hops < 20; hops++) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, { redirect: 'manual', headers: { cookie } });
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      const [name = '', ...value] = pair.split('=');
      cookies.set(name, value.join('='));
    }
    const location = response.headers.get('location');
    if (location === null) return response.text();
    url = new URL(location, url);
  }
  throw new Error('too many redirects');
}
