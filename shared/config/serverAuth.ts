// Checks the settings of a server that concern its tokens (`auth`), and the hosts that get them.

import type * as z from 'zod';
import type { HttpServerConfig, OAuthSettings } from '../contract/mcpServer.ts';

/** This machine, by its usual names. */
const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** The value of `auth` that each field belongs to. */
const FIELDS = {
  audience: 'google',
  scopes: 'google',
  impersonate: 'google',
  quotaProject: 'google',
  githubApp: 'github-app',
  oauth: 'oauth',
} as const;

type AuthFields = Pick<HttpServerConfig, 'url' | 'headers' | 'auth' | keyof typeof FIELDS>;

type Add = (path: string[], message: string) => void;

/** Adds a fault for each setting that has no effect, contradicts another setting, or would leak a token. */
export function checkServerAuth(server: AuthFields, context: z.RefinementCtx): void {
  const add: Add = (path, message) => context.addIssue({ code: 'custom', path, message });
  for (const [field, auth] of Object.entries(FIELDS)) {
    if (server.auth !== auth && server[field as keyof typeof FIELDS] !== undefined)
      add([field], `has no effect without auth: ${auth}; add that, or remove this`);
  }
  if (server.auth === undefined) return;
  const header = headerNamed('authorization', server);
  if (header !== undefined)
    add(['headers', header], `is already sent by auth: ${server.auth}; remove this header, or auth`);
  checkTransport(server.url, ['url'], server.auth, add);
  if (server.auth === 'google') checkGoogle(server, add);
  if (server.auth === 'github-app') checkGithub(server, add);
  if (server.auth === 'oauth') checkOAuth(server.oauth, add);
}

function headerNamed(name: string, { headers }: Pick<AuthFields, 'headers'>): string | undefined {
  return Object.keys(headers).find((one) => one.toLowerCase() === name);
}

/** Tokens and secrets are sent over TLS, except on this machine. */
function checkTransport(text: string, path: string[], auth: string, add: Add): void {
  const url = URL.parse(text);
  if (url === null || LOOPBACK.test(url.hostname) || url.protocol === 'https:') return;
  add(path, `must be an https URL with auth: ${auth}: others could read the token on its way`);
}

function checkGoogle(server: AuthFields, add: Add): void {
  const header = headerNamed('x-goog-user-project', server);
  if (header !== undefined && server.quotaProject !== undefined)
    add(['headers', header], 'is already sent by quotaProject; remove one of the two');
  if (server.audience !== undefined && server.scopes !== undefined)
    add(
      ['scopes'],
      'makes it an access token, which has no audience; keep audience for a server of your own, scopes for one of Google',
    );
  const url = URL.parse(server.url);
  if (url === null || LOOPBACK.test(url.hostname)) return;
  // An access token works at every API of its scopes; an ID token only for its audience.
  if (server.scopes !== undefined && !url.hostname.endsWith('.googleapis.com'))
    add(
      ['scopes'],
      `would give ${url.hostname} a token for Google's APIs; such tokens go only to *.googleapis.com: use audience`,
    );
}

function checkGithub({ githubApp }: AuthFields, add: Add): void {
  if (githubApp === undefined) {
    add(
      ['auth'],
      'needs githubApp with appId, installationId, privateKey and repositories: the token of an installation is limited to them',
    );
    return;
  }
  if (githubApp.apiUrl !== undefined)
    checkTransport(githubApp.apiUrl, ['githubApp', 'apiUrl'], 'github-app', add);
}

function checkOAuth(oauth: OAuthSettings | undefined, add: Add): void {
  if (oauth === undefined) {
    add(['auth'], 'needs oauth with grant: client-credentials, or grant: login');
    return;
  }
  const { grant, issuer, clientId, clientSecret } = oauth;
  if (issuer !== undefined) checkTransport(issuer, ['oauth', 'issuer'], 'oauth', add);
  if (clientSecret !== undefined && clientId === undefined)
    add(['oauth', 'clientSecret'], 'has no effect without clientId');
  if (clientSecret !== undefined && issuer === undefined)
    add(
      ['oauth', 'clientSecret'],
      'needs issuer: otherwise the server could name any receiver of the secret',
    );
  if (grant === 'client-credentials' && (clientId === undefined || clientSecret === undefined))
    add(['oauth', 'grant'], 'needs clientId and clientSecret');
}
