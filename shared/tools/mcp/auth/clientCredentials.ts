// Access tokens by OAuth's client credentials grant. The secret goes to the configured issuer only.

import type { HttpServerConfig } from '../../../contract/mcpServer.ts';
import { discoverAuthorization } from './authorizationServer.ts';
import type { MintedToken } from './keptToken.ts';
import { issuedToken, oauthFailure } from './oauthTokens.ts';
import { fetchFromIssuer } from './tokenRequest.ts';

/**
 * Requests an access token.
 * @param now the time in milliseconds.
 * @throws TerminalError `TOOL_SERVER_UNAVAILABLE` when the issuer refused, or is not the configured one; RetryableError when it
 *   did not answer.
 */
export async function mintWithClientSecret(config: HttpServerConfig, now: number): Promise<MintedToken> {
  const { clientId = '', clientSecret = '', scopes } = config.oauth ?? {};
  const { issuer, metadata, resource, scope } = await discoverAuthorization(config);
  const { ClientCredentialsProvider, fetchToken } = await import('@modelcontextprotocol/client');
  const requested = scopes?.join(' ') ?? scope;
  const provider = new ClientCredentialsProvider({
    clientId,
    clientSecret,
    expectedIssuer: issuer,
    ...(requested !== undefined && { scope: requested }),
  });
  try {
    const tokens = await fetchToken(provider, issuer, {
      metadata,
      fetchFn: fetchFromIssuer,
      ...(resource !== undefined && { resource }),
      ...(requested !== undefined && { scope: requested }),
    });
    return issuedToken(tokens, now);
  } catch (error) {
    throw oauthFailure(error, [clientSecret], 'check oauth.clientId, clientSecret and scopes');
  }
}
