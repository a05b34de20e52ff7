// Tokens of Google for MCP servers behind its IAM, and for its own. google-auth-library mints them, and keeps
// each until shortly before it expires; it is loaded with the first one.

import type { AuthProvider } from '@modelcontextprotocol/client';
import type { HttpServerConfig } from '../../../contract/mcpServer.ts';
import { createLearnedSecrets, type LearnedSecrets } from '../../../masking/learnedSecrets.ts';
import { asObject, parseJson } from '../../../text/json.ts';
import { createImpersonation } from './impersonation.ts';
import { tokenFailure, UserCredentialsError, type WantedToken } from './tokenFailure.ts';

/** Enough to mint tokens of another service account, and for nothing else. */
const IAM_SCOPE = 'https://www.googleapis.com/auth/iam';
/** No token depends on the project. Without one the library would look for it, also by running gcloud. */
const NO_PROJECT = 'none';

/** How tokens are minted. */
export interface GoogleTokensOptions {
  /** Receives every token. Default: a list that is used only to mask errors of servers. */
  learned?: LearnedSecrets;
  /** Where service accounts are impersonated. Default: Google's. */
  iamEndpoint?: string;
}

/** The tokens of this process. They are kept only in its memory. */
export interface GoogleTokens {
  /**
   * The provider that adds a token to requests, and replaces a refused one; undefined without `auth: google`.
   * @throws (when a token is asked for) TerminalError `TOOL_SERVER_UNAVAILABLE` that names the setting and
   *   the fix, or RetryableError when Google did not answer.
   */
  forServer(name: string, config: HttpServerConfig): AuthProvider | undefined;
  /** All tokens that can still appear in an answer. */
  readonly learned: LearnedSecrets;
}

/** Creates the source of tokens. Servers with the same settings share theirs. */
export function createGoogleTokens({
  learned = createLearnedSecrets(),
  iamEndpoint,
}: GoogleTokensOptions = {}): GoogleTokens {
  const sources = new Map<string, TokenSource>();
  return {
    learned,
    forServer(name, config) {
      if (config.auth !== 'google') return undefined;
      const { scopes, impersonate, audience = new URL(config.url).origin } = config;
      const wanted: WantedToken = { audience, scopes, impersonate };
      const key = JSON.stringify(wanted);
      const source = sources.get(key) ?? tokenSource(wanted, iamEndpoint);
      sources.set(key, source);
      return {
        async token() {
          try {
            const token = await source.mint();
            // A token without its signature opens nothing, so that the signature is a secret of its own.
            learned.learn(name, [token, token.split('.')[2] ?? token]);
            return token;
          } catch (error) {
            throw tokenFailure(error, wanted, learned.list());
          }
        },
        onUnauthorized() {
          source.drop();
          return Promise.resolve();
        },
      };
    },
  };
}

interface TokenSource {
  /** A token that is valid for some minutes at least. Calls at the same time share one request. */
  mint(): Promise<string>;
  /** Forgets the token and the credentials: the next token is a new one. */
  drop(): void;
}

function tokenSource(wanted: WantedToken, iamEndpoint: string | undefined): TokenSource {
  let client: Promise<() => Promise<string>> | undefined;
  let minting: Promise<string> | undefined;
  async function mintNow(): Promise<string> {
    client ??= openClient(wanted, iamEndpoint);
    try {
      return await (await client)();
    } catch (error) {
      client = undefined;
      throw error;
    }
  }
  return {
    mint() {
      const current = minting ?? mintNow();
      minting = current;
      const done = () => {
        if (minting === current) minting = undefined;
      };
      current.then(done, done);
      return current;
    },
    drop() {
      client = undefined;
      minting = undefined;
    },
  };
}

/** A source of tokens, which come from the library's cache or from Google. */
async function openClient(
  { audience, scopes, impersonate }: WantedToken,
  iamEndpoint: string | undefined,
): Promise<() => Promise<string>> {
  const { GoogleAuth, IdTokenClient, OAuth2Client } = await import('./googleAuthSdk.ts');
  const ownScopes = impersonate === undefined ? scopes : [IAM_SCOPE];
  const auth = new GoogleAuth({ projectId: NO_PROJECT, ...(ownScopes && { scopes: ownScopes }) });
  const own = await auth.getClient();
  const other = impersonate === undefined ? undefined : createImpersonation(own, impersonate, iamEndpoint);
  if (scopes !== undefined) {
    const client = other === undefined ? own : new OAuth2Client();
    if (other !== undefined && client instanceof OAuth2Client)
      client.refreshHandler = () => other.accessToken(scopes);
    return async () => (await client.getAccessToken()).token ?? '';
  }
  const idTokenProvider = other ?? own;
  if (!('fetchIdToken' in idTokenProvider)) throw new UserCredentialsError();
  const idTokens = new IdTokenClient({ targetAudience: audience, idTokenProvider });
  return async () => {
    const headers = await idTokens.getRequestHeaders();
    const token = (headers.get('authorization') ?? '').replace(/^Bearer /, '');
    // The credentials of a person give a token for the program that they logged in with.
    if (readTokenAudience(token) !== audience) throw new UserCredentialsError();
    return token;
  };
}

function readTokenAudience(token: string): unknown {
  const payload = Buffer.from(token.split('.')[1] ?? '', 'base64url').toString();
  return asObject(parseJson(payload)).aud;
}
