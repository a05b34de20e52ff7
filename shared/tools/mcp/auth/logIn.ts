// Logs in to the authorization server of an MCP server in a browser: authorization code with PKCE, and a
// redirect to a port of this machine (RFC 8252).

import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { HttpServerConfig } from '../../../contract/mcpServer.ts';
import type { StoredLogin } from '../../../contract/tokenVault.ts';
import { type AuthorizationServer, discoverAuthorization } from './authorizationServer.ts';
import { issuedToken, oauthFailure } from './oauthTokens.ts';
import { fetchFromIssuer, quoteSafely, tokenError } from './tokenRequest.ts';

const CLIENT_NAME = 'Inquest';
const CALLBACK = '/callback';
/** The scope by which many authorization servers issue refresh tokens. */
const OFFLINE = 'offline_access';

/** How a login continues in the browser. */
interface LogInOptions {
  /** Called with the address that the person opens. */
  onAddress(address: URL): void;
  /** Its abort ends the login. */
  signal: AbortSignal;
  /** The time in milliseconds. */
  now: () => number;
}

/**
 * Waits until a person has logged in.
 * @returns the login, to be stored.
 * @throws TerminalError `TOOL_SERVER_UNAVAILABLE` when the login was refused, or gives no refresh token;
 *   RetryableError when a request failed; the signal's reason on abort.
 */
export async function logIn(config: HttpServerConfig, options: LogInOptions): Promise<StoredLogin> {
  const found = await discoverAuthorization(config);
  const sdk = await import('@modelcontextprotocol/client');
  const state = randomUUID();
  const callback = await startCallback(state, options.signal);
  try {
    const client = await chooseLoginClient(config, found, callback.url);
    const { issuer, metadata, resource } = found;
    const scope = chooseLoginScope(config, found);
    const { authorizationUrl, codeVerifier } = await sdk.startAuthorization(issuer, {
      metadata,
      clientInformation: client,
      redirectUrl: callback.url,
      state,
      ...(scope !== undefined && { scope }),
      ...(resource !== undefined && { resource }),
    });
    options.onAddress(authorizationUrl);
    const { code, iss } = await callback.answered;
    const secrets = [code, client.client_secret].filter((secret) => secret !== undefined);
    const tokens = await sdk
      .exchangeAuthorization(issuer, {
        metadata,
        clientInformation: client,
        authorizationCode: code,
        ...(iss !== undefined && { iss }),
        codeVerifier,
        redirectUri: callback.url,
        ...(resource !== undefined && { resource }),
        fetchFn: fetchFromIssuer,
      })
      .catch((error: unknown) => {
        throw oauthFailure(error, secrets, 'start the login again');
      });
    const { token, expiresAt } = issuedToken(tokens, options.now());
    if (tokens.refresh_token === undefined)
      throw tokenError(
        `${issuer} issued no refresh token; ask for it with oauth.scopes, often ${OFFLINE}`,
        false,
      );
    return {
      issuer,
      clientId: client.client_id,
      clientSecret: client.client_secret,
      resource,
      refreshToken: tokens.refresh_token,
      accessToken: token,
      expiresAt,
    };
  } finally {
    callback.close();
  }
}

/** The configured scopes, else the server's; with the one for refresh tokens if it exists. */
function chooseLoginScope(
  { oauth }: HttpServerConfig,
  { scope, metadata }: AuthorizationServer,
): string | undefined {
  if (oauth?.scopes !== undefined) return oauth.scopes.join(' ');
  const hasOffline = metadata.scopes_supported?.includes(OFFLINE) === true;
  if (!hasOffline || scope?.split(' ').includes(OFFLINE)) return scope;
  return [scope, OFFLINE].filter((one) => one !== undefined).join(' ');
}

/** The configured client, else one that is registered now (RFC 7591). */
async function chooseLoginClient(
  { oauth }: HttpServerConfig,
  found: AuthorizationServer,
  redirectUrl: string,
) {
  if (oauth?.clientId !== undefined) return { client_id: oauth.clientId, client_secret: oauth.clientSecret };
  const { issuer, metadata } = found;
  if (metadata.registration_endpoint === undefined)
    throw tokenError(
      `${issuer} registers no clients; create one there, and write its id as oauth.clientId`,
      false,
    );
  const { registerClient } = await import('@modelcontextprotocol/client');
  const scope = chooseLoginScope({ oauth } as HttpServerConfig, found);
  const registered = await registerClient(issuer, {
    metadata,
    clientMetadata: {
      client_name: CLIENT_NAME,
      redirect_uris: [redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      application_type: 'native',
      ...(scope !== undefined && { scope }),
    },
    fetchFn: fetchFromIssuer,
  }).catch((error: unknown) => {
    throw oauthFailure(error, [], 'create a client there, and write its id as oauth.clientId');
  });
  return { client_id: registered.client_id, client_secret: registered.client_secret };
}

/** The address of a redirect, and the answer that arrives there. */
interface Callback {
  url: string;
  answered: Promise<{ code: string; iss: string | undefined }>;
  close(): void;
}

/** Listens for one redirect with this state. Requests with another state are refused. */
async function startCallback(state: string, signal: AbortSignal): Promise<Callback> {
  const {
    promise: answered,
    resolve,
    reject,
  } = Promise.withResolvers<{ code: string; iss: string | undefined }>();
  answered.catch(() => {});
  const server = createServer((request, response) => {
    const url = URL.parse(request.url ?? '', 'http://127.0.0.1');
    const parameters = url?.searchParams ?? new URLSearchParams();
    const finish = (status: number, text: string) => {
      response
        .writeHead(status, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' })
        .end(text);
    };
    if (url?.pathname !== CALLBACK || parameters.get('state') !== state)
      return finish(404, 'This address is not part of the login.');
    const code = parameters.get('code');
    if (code !== null) {
      finish(200, 'Logged in. You can close this page.');
      return resolve({ code, iss: parameters.get('iss') ?? undefined });
    }
    finish(200, 'The login was refused. You can close this page.');
    const words = parameters.get('error_description') ?? parameters.get('error') ?? 'no code';
    reject(tokenError(`the login was refused: ${quoteSafely(words, [])}`, false));
  });
  await listen(server);
  const onAbort = () => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${CALLBACK}`,
    answered,
    close() {
      signal.removeEventListener('abort', onAbort);
      server.close();
    },
  };
}

function listen(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
}
