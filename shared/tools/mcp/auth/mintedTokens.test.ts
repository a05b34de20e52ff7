// How tokens are requested, how long they are kept, and what a person learns when there is none.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { githubApp, startGithub } from '../../../../test/worlds/githubWorld.ts';
import { RetryableError, TerminalError } from '../../../core/errors.ts';
import { mintGithubToken } from './githubTokens.ts';
import { issuedToken, oauthCode, oauthFailure } from './oauthTokens.ts';
import { readLogin } from './storedLogin.ts';
import { isFresh, keepToken } from './tokenCache.ts';
import { tokenFailure, UserCredentialsError } from './tokenFailure.ts';

const isRetryable = (error: unknown) => error instanceof RetryableError;

describe('a token of an installation of a GitHub App', () => {
  const mint = (url: string) => mintGithubToken(githubApp(url).githubApp, 1_800_000_000_000);
  const startAt = (status: number, message = 'no') =>
    startGithub(() => 1_800_000_000_000, { status, message });

  it('has the end that GitHub names; the address can end with slashes', async () => {
    const github = await startGithub(() => 1_800_000_000_000);
    expect(await mint(`${github.url}//`)).toEqual({
      token: github.minted[0],
      expiresAt: 1_800_003_600_000,
    });
    expect(github.bodies[0]).toMatchObject(['/app/installations/42/access_tokens', {}]);
  });

  it.each([
    [401, false, 'check githubApp.appId and privateKey, and the clock of this machine'],
    [404, false, 'check githubApp.installationId: the app has no such installation'],
    [403, false, "check githubApp.repositories, and the app's permissions"],
    [408, true, 'check githubApp.repositories'],
    [425, true, 'check githubApp.repositories'],
    [429, true, 'check githubApp.repositories'],
    [499, false, 'check githubApp.repositories'],
    [500, true, 'check githubApp.repositories'],
    [599, true, 'check githubApp.repositories'],
  ])('after HTTP %d can come later: %s', async (status, canRetry, remedy) => {
    const github = await startAt(status, 'Not today');
    const error = await mint(github.url).catch((thrown: unknown) => thrown);
    expect(isRetryable(error)).toBe(canRetry);
    expect((error as Error).message).toContain(
      `auth: github-app got no token (HTTP ${status}: Not today); ${remedy}`,
    );
  });

  const issued = { token: 'ghs_abc', expires_at: '2027-01-15T09:00:00Z' };
  it.each<[number, object]>([
    [200, issued],
    [201, { ...issued, token: undefined }],
    [201, { ...issued, token: '' }],
    [201, { ...issued, expires_at: undefined }],
    [201, { ...issued, expires_at: 'soon' }],
    [201, []],
  ])('is no answer of HTTP %d with %j', async (status, body) => {
    const server = createServer((_, response) => response.writeHead(status).end(JSON.stringify(body)));
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
    onTestFinished(() => void server.close().closeAllConnections());
    const { port } = server.address() as AddressInfo;
    await expect(mint(`http://127.0.0.1:${port}`)).rejects.toThrow(
      `(HTTP ${status}: it answered without a token)`,
    );
  });

  it('can come later where GitHub cannot be reached', async () => {
    const error = await mint('http://127.0.0.1:9').catch((thrown: unknown) => thrown);
    expect(isRetryable(error)).toBe(true);
    expect((error as Error).message).toMatch(/^auth: github-app got no token: /);
  });
});

describe('a token of an authorization server', () => {
  it.each([
    [undefined, 601_000],
    [0, 1_000],
    [60, 61_000],
  ])('that lives %s seconds ends at %d', (expires_in, expiresAt) => {
    const tokens = {
      access_token: 't',
      token_type: 'Bearer',
      ...(expires_in !== undefined && { expires_in }),
    };
    expect(issuedToken(tokens, 1_000)).toEqual({ token: 't', expiresAt });
  });

  it.each<[unknown, string | undefined]>([
    [Object.assign(new Error('x'), { code: 'invalid_grant' }), 'invalid_grant'],
    [Object.assign(new Error('x'), { code: 'ECONNREFUSED' }), undefined],
    [Object.assign(new Error('x'), { code: 'x invalid_grant' }), undefined],
    [Object.assign(new Error('x'), { code: 'invalid_grant 7' }), undefined],
    [Object.assign(new Error('x'), { code: 7 }), undefined],
    [new Error('x'), undefined],
    [{ code: 'invalid_grant' }, undefined],
  ])('the code of a failure: %#', (error, code) => {
    expect(oauthCode(error)).toBe(code);
  });

  it.each([
    ['temporarily_unavailable', true],
    ['server_error', true],
    ['slow_down', true],
    ['invalid_client', false],
    ['ECONNRESET', true],
  ])('that was refused with %s can come later: %s', (code, canRetry) => {
    const error = oauthFailure(
      Object.assign(new Error('zebra-quartz was refused'), { code }),
      ['zebra-quartz'],
      'check it',
    );
    expect(isRetryable(error)).toBe(canRetry);
    expect(error.message).toBe(
      canRetry
        ? 'auth: oauth got no token: [masked:known] was refused'
        : `auth: oauth got no token (${code}: [masked:known] was refused); check it`,
    );
  });

  it('that failed for a known reason keeps it', () => {
    const own = new TerminalError('TOOL_SERVER_UNAVAILABLE', 'x');
    expect(oauthFailure(own, [], 'check it')).toBe(own);
  });
});

describe('a token that is kept', () => {
  it.each([
    [60_000, false],
    [60_001, true],
    [-1, false],
  ])('and ends in %d ms is still used: %s', (left, expected) => {
    expect(isFresh({ expiresAt: 1_000_000 + left }, 1_000_000)).toBe(expected);
  });

  it('is requested with the refused one until a request succeeds, however often it was refused', async () => {
    const refused: (string | undefined)[] = [];
    let fails = false;
    const kept = keepToken(
      async (token) => {
        refused.push(token);
        if (fails) throw new Error('down');
        return { token: `t${refused.length}`, expiresAt: 100_000 };
      },
      () => 0,
    );
    await kept.current();
    kept.drop();
    fails = true;
    await expect(kept.current()).rejects.toThrow('down');
    fails = false;
    expect(await kept.current()).toBe('t3');
    kept.drop();
    kept.drop();
    await kept.current();
    expect(refused).toEqual([undefined, 't1', 't1', 't3']);
  });
});

describe('without a token of Google', () => {
  const wanted = { audience: 'https://mcp.example.com', scopes: undefined, impersonate: undefined };
  const answered = (status: number, data?: object) =>
    Object.assign(new Error('Request failed'), { response: { status, data } });
  const OTHER = 'robot@shop.iam.gserviceaccount.com';

  it.each<[string, unknown, object, boolean, RegExp]>([
    [
      'of a user',
      new UserCredentialsError(),
      {},
      false,
      /^auth: google needs an ID token, and the credentials/,
    ],
    [
      'of nobody',
      new Error('Could not load the default credentials. Browse'),
      {},
      false,
      /^auth: google found no credentials; .*gcloud auth application-default login/,
    ],
    [
      'of a file that is missing',
      new Error('the file of GOOGLE_APPLICATION_CREDENTIALS does not exist'),
      {},
      false,
      /^auth: google cannot use the credentials: the file of GOOGLE/,
    ],
    [
      'of a file, which Google refused',
      Object.assign(new Error('GOOGLE_APPLICATION_CREDENTIALS'), { status: 403 }),
      {},
      false,
      /^auth: google got no token \(HTTP 403: GOOGLE_APPLICATION_CREDENTIALS\); check the service account/,
    ],
    [
      'without an answer',
      new Error('read ECONNRESET'),
      {},
      true,
      /^auth: google got no token: read ECONNRESET$/,
    ],
    ['after a failure of Google', answered(500), {}, true, /^auth: google got no token: Request failed$/],
    ['after too many requests', answered(429), {}, true, /^auth: google got no token: /],
    ['after a time-out', answered(408), {}, true, /^auth: google got no token: /],
    ['too early', answered(425), {}, true, /^auth: google got no token: /],
    [
      'after a refusal',
      answered(400, { error: { message: 'bad\n scope' } }),
      {},
      false,
      /^auth: google got no token \(HTTP 400: bad scope\); check the service account of runIteration/,
    ],
    [
      'after a refusal without words',
      answered(499, { error: { message: '' } }),
      {},
      false,
      /\(HTTP 499: Request failed\)/,
    ],
    [
      'of another account',
      answered(403),
      { impersonate: OTHER },
      false,
      /^impersonate: no token of robot@.*give the service account .* roles\/iam\.serviceAccountOpenIdTokenCreator on it/,
    ],
    [
      'of another account, with scopes',
      answered(403),
      { impersonate: OTHER, scopes: ['a'] },
      false,
      / roles\/iam\.serviceAccountTokenCreator on it/,
    ],
    [
      'of another account, later',
      answered(503),
      { impersonate: OTHER },
      true,
      /^auth: google got no token: /,
    ],
    ['of a status that is text', { status: '403', message: 'x' }, {}, true, /^auth: google got no token: /],
  ])('%s', (_, error, change, canRetry, words) => {
    const failure = tokenFailure(error, { ...wanted, ...change }, []);
    expect(isRetryable(failure)).toBe(canRetry);
    expect(failure.message).toMatch(words);
  });

  it('learned secrets are masked, and words are cut', () => {
    const { message } = tokenFailure(new Error(`zebra-quartz ${'word '.repeat(100)}`), wanted, [
      'zebra-quartz',
    ]);
    expect(message).toContain('[masked:known] word');
    expect(message.length).toBeLessThan(300);
  });
});

it('a stored login is read if it has all that a refresh needs', () => {
  const login = { issuer: 'i', clientId: 'c', refreshToken: 'r' };
  expect(readLogin(JSON.stringify(login))).toEqual(login);
  const whole = { ...login, clientSecret: 's', resource: 'x', accessToken: 'a', expiresAt: 1 };
  expect(readLogin(JSON.stringify(whole))).toEqual(whole);
  for (const name of ['issuer', 'clientId', 'refreshToken']) {
    expect(readLogin(JSON.stringify({ ...login, [name]: '' })), name).toBeUndefined();
    expect(readLogin(JSON.stringify({ ...login, [name]: undefined })), name).toBeUndefined();
  }
  for (const wrong of [{ clientSecret: '' }, { resource: '' }, { accessToken: '' }, { expiresAt: '1' }])
    expect(readLogin(JSON.stringify({ ...login, ...wrong })), JSON.stringify(wrong)).toBeUndefined();
  for (const text of ['', 'no JSON', '[]', 'null']) expect(readLogin(text), text).toBeUndefined();
});
