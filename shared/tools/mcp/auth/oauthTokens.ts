// Reads the answers of OAuth's token endpoints.

import type { OAuthTokens } from '@modelcontextprotocol/client';
import { errorMessage, InquestError, type RetryableError, type TerminalError } from '../../../core/errors.ts';
import { asText } from '../../../text/json.ts';
import type { MintedToken } from './tokenCache.ts';
import { quoteSafely, tokenError } from './tokenRequest.ts';

/** Lifetime of a token whose issuer names none, in seconds. */
const USUAL_LIFETIME_S = 600;
/** Codes after which the same request can succeed later (RFC 6749). */
const TEMPORARY = ['temporarily_unavailable', 'server_error', 'slow_down'];

/** The access token of an answer. @param now the time in milliseconds. */
export function issuedToken({ access_token, expires_in }: OAuthTokens, now: number): MintedToken {
  return { token: access_token, expiresAt: now + (expires_in ?? USUAL_LIFETIME_S) * 1000 };
}

/** The error code of an authorization server: `invalid_grant`. Undefined: it sent none. */
export function oauthCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  const code = asText(error.code);
  // Codes of OAuth are in lower case; those of the system and of the SDK are not.
  return code !== undefined && /^[a-z_]+$/.test(code) ? code : undefined;
}

/** Terminal where the server refused; retryable where it did not answer. */
export function oauthFailure(
  error: unknown,
  secrets: readonly string[],
  remedy: string,
): TerminalError | RetryableError | InquestError {
  if (error instanceof InquestError) return error;
  const code = oauthCode(error);
  const words = quoteSafely(errorMessage(error), secrets);
  if (code === undefined || TEMPORARY.includes(code))
    return tokenError(`auth: oauth got no token: ${words}`, true);
  return tokenError(`auth: oauth got no token (${code}: ${words}); ${remedy}`, false);
}
