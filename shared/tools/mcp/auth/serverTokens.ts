// The tokens of remote servers, by their `auth`: of Google, of an installation of a GitHub App, or of OAuth.
// They are kept only in the memory of this process; a rotated refresh token is stored in the vault.

import { setTimeout as sleep } from 'node:timers/promises';
import type { AuthProvider } from '@modelcontextprotocol/client';
import type { HttpServerConfig } from '../../../contract/mcpServer.ts';
import { createLearnedSecrets, type LearnedSecrets } from '../../../masking/learnedSecrets.ts';
import { discoverAuthorization } from './authorizationServer.ts';
import { mintGithubToken } from './githubTokens.ts';
import { createGoogleTokens, type GoogleTokens } from './googleTokens.ts';
import { type LoginDeps, loginToken } from './loginTokens.ts';
import { issuedToken, oauthFailure } from './oauthTokens.ts';
import { type KeptToken, keepToken, type MintedToken } from './tokenCache.ts';
import { fetchFromIssuer, tokenError } from './tokenRequest.ts';

/** How tokens are minted. */
interface ServerTokensOptions {
  /** Receives every token. Default: a list that is used only to mask errors of servers. */
  learned?: LearnedSecrets;
  /** Default: Google's services. */
  google?: GoogleTokens;
  /** Where logins are stored, and who refreshes them. Default: servers with a login are unavailable. */
  logins?: Pick<LoginDeps, 'vault' | 'leases' | 'afterExchange'>;
  /** The time in milliseconds. */
  now?: () => number;
  /** Waits for so many milliseconds. */
  pause?: (ms: number) => Promise<void>;
}

/** The tokens of this process. */
export interface ServerTokens {
  /**
   * The provider that adds a token to requests, and replaces a refused one; undefined without `auth`.
   * @throws (when a token is asked for) TerminalError `TOOL_SERVER_UNAVAILABLE` that names the setting and
   *   the fix, or RetryableError when the issuer did not answer.
   */
  forServer(name: string, config: HttpServerConfig): AuthProvider | undefined;
  /** All tokens that can still appear in an answer. */
  readonly learned: LearnedSecrets;
}

/** Creates the source of tokens. A server's connections share theirs. */
export function createServerTokens({
  learned = createLearnedSecrets(),
  google = createGoogleTokens({ learned }),
  logins,
  now = Date.now,
  pause = (ms) => sleep(ms),
}: ServerTokensOptions = {}): ServerTokens {
  const kept = new Map<string, KeptToken>();
  const mintFor = (name: string, config: HttpServerConfig, refused: string | undefined) => {
    const learn = (secrets: readonly string[]) => learned.learn(name, secrets);
    return mintToken(name, config, refused, logins && { ...logins, now, sleep: pause, learn }, now);
  };
  return {
    learned,
    forServer(name, config) {
      if (config.auth === undefined) return undefined;
      if (config.auth === 'google') return google.forServer(name, config);
      const key = JSON.stringify([name, config.url, config.githubApp, config.oauth]);
      const source = kept.get(key) ?? keepToken((refused) => mintFor(name, config, refused), now);
      kept.set(key, source);
      return {
        async token() {
          const token = await source.current();
          learned.learn(name, [token]);
          return token;
        },
        onUnauthorized() {
          source.drop();
          return Promise.resolve();
        },
      };
    },
  };
}

function mintToken(
  name: string,
  config: HttpServerConfig,
  refused: string | undefined,
  logins: LoginDeps | undefined,
  now: () => number,
): Promise<MintedToken> {
  if (config.githubApp !== undefined) return mintGithubToken(config.githubApp, now());
  if (config.oauth?.grant === 'client-credentials') return mintWithClientSecret(config, now());
  if (logins !== undefined) return loginToken(name, refused, logins);
  return Promise.reject(tokenError(`"${name}" needs a login, and this process has none`, false));
}

/**
 * Requests an access token.
 * @param now the time in milliseconds.
 * @throws TerminalError `TOOL_SERVER_UNAVAILABLE` when the issuer refused, or is not the configured one;
 *   RetryableError when it did not answer.
 */
async function mintWithClientSecret(config: HttpServerConfig, now: number): Promise<MintedToken> {
  const { clientId = '', clientSecret = '', scopes } = config.oauth ?? {};
  const { issuer, metadata, resource, scope } = await discoverAuthorization(config);
  const { ClientCredentialsProvider, fetchToken } = await import('@modelcontextprotocol/client');
  const requested = scopes?.join(' ') ?? scope;
  const provider = new ClientCredentialsProvider({
    clientId,
    clientSecret,
    // Only against the SDK's warning: discoverAuthorization compares the issuer with `oauth.issuer`.
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
