// Tokens of a GitHub App's installation: valid for an hour, only for configured repositories.

import { createPrivateKey, sign } from 'node:crypto';
import type { GithubAppSettings } from '../../../contract/mcpServer.ts';
import { errorMessage } from '../../../core/errors.ts';
import { asObject, asText, parseJson } from '../../../text/json.ts';
import type { MintedToken } from './tokenCache.ts';
import { fetchFromIssuer, quoteSafely, tokenError } from './tokenRequest.ts';

/** Statuses after which a retry can help. */
const TEMPORARY: readonly number[] = [408, 425, 429];

const GITHUB_API = 'https://api.github.com';
const API_VERSION = '2022-11-28';
/** GitHub accepts a signature for ten minutes. It starts a minute ago, for clocks that differ. */
const SKEW_S = 60;
const LIFETIME_S = 9 * 60;

/**
 * Requests a token of the installation.
 * @param now the time in milliseconds.
 * @throws TerminalError `TOOL_SERVER_UNAVAILABLE` with the remedy when GitHub refused; RetryableError when it
 * did not answer.
 */
export async function mintGithubToken(settings: GithubAppSettings, now: number): Promise<MintedToken> {
  const { installationId, repositories, apiUrl = GITHUB_API } = settings;
  const url = `${apiUrl.replace(/\/+$/, '')}/app/installations/${installationId}/access_tokens`;
  const signature = signedIdentity(settings, now);
  const response = await fetchFromIssuer(url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${signature}`,
      accept: 'application/vnd.github+json',
      'content-type': 'application/json',
      'x-github-api-version': API_VERSION,
      'user-agent': 'inquest',
    },
    body: JSON.stringify({ repositories }),
  }).catch((error: unknown) => {
    const words = quoteSafely(errorMessage(error), [signature]);
    throw tokenError(`auth: github-app got no token: ${words}`, true);
  });
  const body = asObject(parseJson(await response.text().catch(() => '')));
  const token = asText(body.token);
  const expiresAt = Date.parse(asText(body.expires_at) ?? '');
  if (response.status === 201 && token !== undefined && Number.isFinite(expiresAt))
    return { token, expiresAt };
  const words = quoteSafely(asText(body.message) ?? 'it answered without a token', [signature]);
  const message = `auth: github-app got no token (HTTP ${response.status}: ${words}); ${remedyFor(response.status)}`;
  throw tokenError(message, isTemporary(response.status));
}

function remedyFor(status: number): string {
  if (status === 401) return 'check githubApp.appId and privateKey, and the clock of this machine';
  if (status === 404) return 'check githubApp.installationId: the app has no such installation';
  return "check githubApp.repositories, and the app's permissions";
}

/** A JSON Web Token that the app signs with its key (RS256). */
function signedIdentity({ appId, privateKey }: GithubAppSettings, now: number): string {
  const seconds = Math.floor(now / 1000);
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = { iat: seconds - SKEW_S, exp: seconds + LIFETIME_S, iss: appId };
  const signed = `${part({ alg: 'RS256', typ: 'JWT' })}.${part(claims)}`;
  const signature = sign('RSA-SHA256', Buffer.from(signed), createPrivateKey(privateKey));
  return `${signed}.${signature.toString('base64url')}`;
}

/** Whether a request with this status can succeed later. */
function isTemporary(status: number): boolean {
  return status >= 500 || TEMPORARY.includes(status);
}
