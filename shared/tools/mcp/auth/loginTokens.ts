// Access tokens of a server that `inquest servers login` logged in to. One instance refreshes while others
// wait: an authorization server that rotates refresh tokens accepts each only once.

import type {
  RefreshLease,
  RefreshLeases,
  StoredLogin,
  TokenVault,
  VersionedLogin,
} from '../../../contract/tokenVault.ts';
import { backOffMs } from '../../../text/backOff.ts';
import { issuerMetadata } from './authorizationServer.ts';
import { issuedToken, oauthCode, oauthFailure } from './oauthTokens.ts';
import { isFresh, type MintedToken } from './tokenCache.ts';
import { fetchFromIssuer, tokenError } from './tokenRequest.ts';

/** Pause of an instance that waits for the refresh of a different instance, in milliseconds. */
const POLL_MS = 300;
/** Longest wait, in milliseconds: an expired lease is taken over before. */
const MAX_WAIT_MS = 70_000;
/** Attempts to store a rotated token, and the delays between them. */
const STORE_ATTEMPTS = 3;
const STORE_AGAIN = { firstMs: 600, mostMs: 1_200 };

/** The services of the process that a refresh needs. */
export interface LoginDeps {
  vault: TokenVault;
  leases: RefreshLeases;
  /** The time in milliseconds. */
  now(): number;
  /** Waits for so many milliseconds. */
  sleep(ms: number): Promise<void>;
  /** Called with every token, before it is used. */
  learn(secrets: readonly string[]): void;
  /** Called between a refresh token's exchange and the next one's storing. Ends the process in tests. */
  afterExchange?(): Promise<void>;
}

/**
 * An access token of the server's login, refreshed if needed.
 * @param refused an access token that the server did not accept.
 * @throws TerminalError `TOOL_SERVER_UNAVAILABLE` if a person has to log in again; RetryableError when a
 * service failed.
 */
export async function loginToken(
  server: string,
  refused: string | undefined,
  deps: LoginDeps,
): Promise<MintedToken> {
  const { vault, leases, now, sleep } = deps;
  const deadline = now() + MAX_WAIT_MS;
  for (;;) {
    const stored = await vault.read(server, (await leases.version(server)) ?? undefined);
    const fresh = freshToken(stored, refused, deps);
    if (fresh !== undefined) return fresh;
    const lease = await leases.take(server);
    if (lease !== undefined) return refreshWith(lease, server, refused, deps);
    if (now() >= deadline)
      throw tokenError(`another instance refreshes the token of "${server}" for too long`, true);
    await sleep(POLL_MS);
  }
}

/** The stored access token, if it is valid for some time. */
function freshToken(
  stored: VersionedLogin | undefined,
  refused: string | undefined,
  { now, learn }: LoginDeps,
): MintedToken | undefined {
  const { accessToken: token, expiresAt = 0 } = stored?.login ?? {};
  if (stored !== undefined) learn(listLoginSecrets(stored.login));
  if (token === undefined || token === refused || !isFresh({ expiresAt }, now())) return undefined;
  return { token, expiresAt };
}

/** Refreshes the token and stores the result, while this instance has the lease. */
async function refreshWith(
  lease: RefreshLease,
  server: string,
  refused: string | undefined,
  deps: LoginDeps,
): Promise<MintedToken> {
  let version = lease.version;
  try {
    // Another instance can have stored a token since it was read.
    const stored = await deps.vault.read(server, version ?? undefined);
    if (stored === undefined) throw loginNeeded(server, 'nothing is stored for it');
    version = stored.version;
    const fresh = freshToken(stored, refused, deps);
    if (fresh !== undefined) return fresh;
    const refreshed = await refreshNewest(stored, server, lease, deps);
    version = refreshed.version;
    return refreshed.token;
  } finally {
    // An error of the store must not hide the cause, nor lose a token. The lease ends on its own.
    await lease.release(version).catch(() => undefined);
  }
}

/** Refreshes the known login; if its token was refused, a newer one that a person has stored since. */
async function refreshNewest(
  stored: VersionedLogin,
  server: string,
  { interrupted }: RefreshLease,
  deps: LoginDeps,
): Promise<{ token: MintedToken; version: string }> {
  try {
    return await refreshStored(stored, server, deps);
  } catch (error) {
    if (oauthCode(error) !== 'invalid_grant')
      throw oauthFailure(error, listLoginSecrets(stored.login), loginAdvice(server));
    const newest = await deps.vault.read(server);
    const isNewer = newest !== undefined && newest.login.refreshToken !== stored.login.refreshToken;
    if (isNewer)
      return refreshStored(newest, server, deps).catch((again: unknown) => {
        if (oauthCode(again) === 'invalid_grant') throw loginNeeded(server, REFUSED);
        throw oauthFailure(again, listLoginSecrets(newest.login), loginAdvice(server));
      });
    throw loginNeeded(server, interrupted ? INTERRUPTED : REFUSED);
  }
}

const REFUSED = 'its authorization server refused the refresh token';
const INTERRUPTED =
  'an instance ended after it had used the refresh token, and before it stored the next one';

function loginNeeded(server: string, cause: string) {
  return tokenError(`there is no token for "${server}", because ${cause}: ${loginAdvice(server)}`, false);
}

/** The remedy, which a person has to carry out. */
function loginAdvice(server: string): string {
  return `log in again with \`inquest servers login ${server}\``;
}

async function refreshStored(
  { login, version }: VersionedLogin,
  server: string,
  deps: LoginDeps,
): Promise<{ token: MintedToken; version: string }> {
  const { issuer, clientId, clientSecret, refreshToken, resource } = login;
  deps.learn(listLoginSecrets(login));
  const metadata = await issuerMetadata(issuer);
  const sdk = await import('@modelcontextprotocol/client');
  const tokens = await sdk.refreshAuthorization(issuer, {
    metadata,
    clientInformation: {
      client_id: clientId,
      ...(clientSecret !== undefined && { client_secret: clientSecret }),
    },
    refreshToken,
    ...(resource !== undefined && { resource }),
    fetchFn: fetchFromIssuer,
  });
  const token = issuedToken(tokens, deps.now());
  const { refresh_token: next = refreshToken } = tokens;
  deps.learn([token.token, next]);
  // Each instance refreshes on its own where a token can be used repeatedly.
  if (next === refreshToken) return { token, version };
  await deps.afterExchange?.();
  const rotated = { ...login, refreshToken: next, accessToken: token.token, expiresAt: token.expiresAt };
  return { token, version: await storeRotated(server, rotated, version, deps) };
}

/** Stores the only valid refresh token: an error here would lose the login, so it is tried again at once. */
async function storeRotated(
  server: string,
  login: StoredLogin,
  replaced: string,
  { vault, sleep }: LoginDeps,
): Promise<string> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await vault.write(server, login, replaced);
    } catch (error) {
      if (attempt === STORE_ATTEMPTS) throw error;
      await sleep(backOffMs(STORE_AGAIN, attempt));
    }
  }
}

/** The parts of a login that must appear nowhere. */
function listLoginSecrets({ refreshToken, accessToken, clientSecret }: StoredLogin): string[] {
  return [refreshToken, accessToken, clientSecret].filter((secret) => secret !== undefined);
}
