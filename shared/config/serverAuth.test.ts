// The settings of a server that concern its tokens.

import { expect, it } from 'vitest';
import * as z from 'zod';
import { checkServerAuth } from './serverAuth.ts';

type Server = Parameters<typeof checkServerAuth>[0];

/** The faults, each as `place: text`. */
function faults(server: object): string[] {
  const all = { url: 'https://mcp.example.com/', headers: {}, ...server } as Server;
  const result = z.any().superRefine(checkServerAuth).safeParse(all);
  return (result.error?.issues ?? []).map(({ path, message }) => `${path.join('.')}: ${message}`);
}

const app = { appId: '1', installationId: '2', privateKey: 'k', repositories: ['a'] };
const client = { grant: 'client-credentials', issuer: 'https://i.example', clientId: 'a', clientSecret: 'b' };

it.each([
  {},
  { auth: 'google', url: 'https://run.googleapis.com/', scopes: ['a'], quotaProject: 'p' },
  { auth: 'google', url: 'http://localhost:1/', scopes: ['a'] },
  { auth: 'google', url: 'http://127.0.0.1:1/', audience: 'a', headers: { 'X-Goog-User-Project': 'p' } },
  { auth: 'google', url: `\${URL}` },
  { auth: 'github-app', githubApp: app },
  { auth: 'github-app', githubApp: { ...app, apiUrl: 'https://g.example' } },
  { auth: 'oauth', oauth: { grant: 'login' } },
  { auth: 'oauth', oauth: { grant: 'login', clientId: 'a' } },
  { auth: 'oauth', oauth: client },
])('%j has no fault', (server) => {
  expect(faults(server)).toEqual([]);
});

it.each<[object, ...RegExp[]]>([
  [
    { audience: 'a', oauth: client },
    /^audience: has no effect without auth: google/,
    /^oauth: .*auth: oauth/,
  ],
  [{ auth: 'oauth', oauth: client, scopes: ['a'] }, /^scopes: has no effect without auth: google/],
  [{ auth: 'google', url: 'http://mcp.example.com/' }, /^url: must be an https URL with auth: google/],
  [
    { auth: 'google', headers: { Authorization: 'a' } },
    /^headers\.Authorization: is already sent by auth: google/,
  ],
  [
    { auth: 'google', quotaProject: 'p', headers: { 'X-Goog-User-Project': 'p' } },
    /^headers\.X-Goog-User-Project: is already sent by quotaProject/,
  ],
  [
    { auth: 'google', audience: 'a', scopes: ['a'], url: 'https://run.googleapis.com/' },
    /^scopes: makes it an access token/,
  ],
  [{ auth: 'google', scopes: ['a'] }, /^scopes: would give mcp\.example\.com a token for Google's APIs/],
  [
    { auth: 'google', scopes: ['a'], url: 'https://run.googleapis.com.evil.example/' },
    /^scopes: would give run\.googleapis\.com\.evil\.example/,
  ],
  [{ auth: 'github-app' }, /^auth: needs githubApp/],
  [
    { auth: 'github-app', githubApp: { ...app, apiUrl: 'http://g.example' } },
    /^githubApp\.apiUrl: must be an https URL with auth: github-app/,
  ],
  [{ auth: 'oauth' }, /^auth: needs oauth/],
  [
    { auth: 'oauth', oauth: { ...client, issuer: 'http://i.example' } },
    /^oauth\.issuer: must be an https URL/,
  ],
  [{ auth: 'oauth', oauth: { ...client, issuer: undefined } }, /^oauth\.clientSecret: needs issuer/],
  [
    { auth: 'oauth', oauth: { grant: 'client-credentials' } },
    /^oauth\.grant: needs clientId and clientSecret/,
  ],
  [
    { auth: 'oauth', oauth: { grant: 'client-credentials', clientId: 'a' } },
    /^oauth\.grant: needs clientId and clientSecret/,
  ],
  [
    { auth: 'oauth', oauth: { ...client, grant: 'login', clientId: undefined } },
    /^oauth\.clientSecret: has no effect without clientId/,
  ],
])('%j has its faults', (server, ...expected) => {
  const found = faults(server);
  expect(found).toHaveLength(expected.length);
  for (const [index, pattern] of expected.entries()) expect(found[index]).toMatch(pattern);
});
