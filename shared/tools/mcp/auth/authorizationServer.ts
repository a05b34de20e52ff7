// Finds the authorization server of an MCP server: protected-resource metadata (RFC 9728), then the metadata
// of the authorization server (RFC 8414).

import type { AuthorizationServerMetadata } from '@modelcontextprotocol/client';
import type { HttpServerConfig } from '../../../contract/mcpServer.ts';
import { errorMessage, InquestError } from '../../../core/errors.ts';
import { fetchFromIssuer, quoteSafely, tokenError } from './tokenRequest.ts';

/** An authorization server, and the resource that its tokens are for. */
export interface AuthorizationServer {
  /** Its issuer identifier. */
  issuer: string;
  metadata: AuthorizationServerMetadata;
  /** The resource of the tokens (RFC 8707). Undefined: the server has no metadata. */
  resource: string | undefined;
  /** Scopes that the server asks for, separated by blanks. */
  scope: string | undefined;
}

/**
 * Discovers the authorization server of an MCP server.
 * @throws TerminalError when there is none, or it differs from `oauth.issuer`; RetryableError when a request
 * failed.
 */
export async function discoverAuthorization({
  url,
  oauth,
}: Pick<HttpServerConfig, 'url' | 'oauth'>): Promise<AuthorizationServer> {
  const sdk = await import('@modelcontextprotocol/client');
  const challenge = await fetchChallenge(url, sdk);
  const found = await sdk
    .discoverOAuthServerInfo(url, {
      fetchFn: fetchFromIssuer,
      ...(challenge.resourceMetadataUrl !== undefined && {
        resourceMetadataUrl: challenge.resourceMetadataUrl,
      }),
    })
    .catch(discoveryFailed);
  const { authorizationServerUrl, authorizationServerMetadata: metadata, resourceMetadata } = found;
  if (metadata === undefined)
    throw tokenError(
      `auth: oauth found no metadata of the authorization server ${authorizationServerUrl}`,
      false,
    );
  const { issuer } = metadata;
  if (oauth?.issuer !== undefined && !isSameIssuer(oauth.issuer, issuer))
    throw tokenError(
      `the server names the authorization server ${issuer}, and oauth.issuer is ${oauth.issuer}; nothing was sent to it`,
      false,
    );
  return {
    issuer,
    metadata,
    resource: resourceMetadata?.resource,
    scope: chooseChallengeScope(found, challenge),
  };
}

/** The metadata of a known authorization server. Throws as `discoverAuthorization`. */
export async function issuerMetadata(issuer: string): Promise<AuthorizationServerMetadata> {
  const sdk = await import('@modelcontextprotocol/client');
  const metadata = await sdk
    .discoverAuthorizationServerMetadata(issuer, { fetchFn: fetchFromIssuer })
    .catch(discoveryFailed);
  if (metadata === undefined)
    throw tokenError(`auth: oauth found no metadata of the authorization server ${issuer}`, false);
  return metadata;
}

function discoveryFailed(error: unknown): never {
  if (error instanceof InquestError) throw error;
  throw tokenError(
    `auth: oauth found no authorization server: ${quoteSafely(errorMessage(error), [])}`,
    true,
  );
}

type Challenge = { resourceMetadataUrl?: URL; scope?: string };

/** The challenge of the server to a request without a token; empty if it sends none. */
async function fetchChallenge(
  url: string,
  { extractWWWAuthenticateParams }: typeof import('@modelcontextprotocol/client'),
): Promise<Challenge> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  try {
    const response = await fetchFromIssuer(url, { method: 'POST', headers, body });
    await response.body?.cancel();
    return response.status === 401 ? extractWWWAuthenticateParams(response) : {};
  } catch {
    // The metadata is also at a well-known address.
    return {};
  }
}

function chooseChallengeScope(
  { resourceMetadata }: { resourceMetadata?: { scopes_supported?: string[] | undefined } },
  challenge: Challenge,
): string | undefined {
  return challenge.scope ?? resourceMetadata?.scopes_supported?.join(' ');
}

const isSameIssuer = (one: string, other: string): boolean =>
  one.replace(/\/$/, '') === other.replace(/\/$/, '');
