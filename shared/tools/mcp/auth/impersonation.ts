// Tokens of another service account, from Google's IAM credentials API. The library's own class for this
// writes a warning to the log for every instance, so only the library's requests are used.

import type { AuthClient } from 'google-auth-library';

/** The longest lifetime of a token without a policy of its own. */
const LIFETIME = '3600s';

/** Mints tokens of one service account. */
interface Impersonation {
  /** An ID token for `audience`, with the account's e-mail address. @throws GaxiosError. */
  fetchIdToken(audience: string): Promise<string>;
  /** An access token, and when it expires in milliseconds. @throws GaxiosError. */
  accessToken(scopes: string[]): Promise<{ access_token: string; expiry_date: number }>;
}

/** @param source credentials that are allowed to mint tokens of `account`. */
export function createImpersonation(
  source: AuthClient,
  account: string,
  endpoint = `https://iamcredentials.${source.universeDomain}`,
): Impersonation {
  async function callApi<T>(method: string, data: object): Promise<T> {
    const url = `${endpoint}/v1/projects/-/serviceAccounts/${account}:${method}`;
    const response = await source.request<T>({ url, method: 'POST', data, responseType: 'json' });
    return response.data;
  }
  return {
    async fetchIdToken(audience) {
      const { token } = await callApi<{ token: string }>('generateIdToken', { audience, includeEmail: true });
      return token;
    },
    async accessToken(scope) {
      const data = { scope, lifetime: LIFETIME };
      const { accessToken, expireTime } = await callApi<{ accessToken: string; expireTime: string }>(
        'generateAccessToken',
        data,
      );
      return { access_token: accessToken, expiry_date: Date.parse(expireTime) };
    },
  };
}
