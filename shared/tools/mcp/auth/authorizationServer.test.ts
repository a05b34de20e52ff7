import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { RetryableError, TerminalError } from '../../../core/errors.ts';
import { discoverAuthorization, issuerMetadata } from './authorizationServer.ts';

/** What a site answers: to requests of the resource, and as metadata. Null: HTTP 404. */
interface Site {
  resource?: object | null;
  issuer?: object | null;
  status?: number;
  challenge?: string;
}

/** An MCP server whose authorization server has the same address. `HERE` stands for it. */
async function startSite({ resource = {}, issuer = {}, status = 401, challenge = '' }: Site = {}) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const here = `http://${request.headers.host}`;
    const { url = '' } = request;
    asked.push(url);
    const endpoints = { authorization_endpoint: `${here}/a`, token_endpoint: `${here}/t` };
    const own = { issuer: here, ...endpoints, response_types_supported: ['code'] };
    let answer: object | null = null;
    if (url.includes('protected-resource') || url === '/elsewhere')
      answer = resource && { resource: `${here}/mcp`, authorization_servers: [here], ...resource };
    else if (url.includes('authorization-server')) answer = issuer && { ...own, ...issuer };
    else if (url === '/mcp') {
      if (challenge !== '') response.setHeader('www-authenticate', challenge.replace('HERE', here));
      return void response.writeHead(status).end();
    }
    response
      .writeHead(answer === null ? 404 : 200, { 'content-type': 'application/json' })
      .end(JSON.stringify(answer));
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  onTestFinished(() => void server.close().closeAllConnections());
  const here = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const discover = (issuerOfConfig?: string) =>
    discoverAuthorization({
      url: `${here}/mcp`,
      ...(issuerOfConfig !== undefined && {
        oauth: { grant: 'login', issuer: issuerOfConfig.replace('HERE', here), scopes: [] },
      }),
    });
  return { here, asked, discover };
}

it.each([undefined, 'HERE', 'HERE/'])(
  'an authorization server is found if oauth.issuer is %s',
  async (own) => {
    const { here, discover } = await startSite();
    const { issuer, metadata, resource, scope } = await discover(own);
    expect([issuer, resource, scope]).toEqual([here, `${here}/mcp`, undefined]);
    expect(metadata.token_endpoint).toBe(`${here}/t`);
  },
);

it('another one than oauth.issuer is refused for good', async () => {
  const { here, discover } = await startSite();
  const refused = discover('HERE.example.com');
  await expect(refused).rejects.toThrow(TerminalError);
  await expect(refused).rejects.toThrow(
    `the server names the authorization server ${here}, and oauth.issuer is ${here}.example.com; nothing was`,
  );
});

// Another server could else hand out the tokens of the issuer that it claims to be.
it('metadata that claim another issuer than their address are refused, also where it is oauth.issuer', async () => {
  const issuer = 'https://login.example.com';
  const { discover, here } = await startSite({ issuer: { issuer } });
  for (const own of [undefined, issuer, 'HERE']) await expect(discover(own)).rejects.toThrow(/issuer/i);
  await expect(issuerMetadata(here)).rejects.toThrow(/issuer/i);
});

it.each<[string, Site, string | undefined]>([
  ['of the challenge', { challenge: 'Bearer scope="read write"' }, 'read write'],
  [
    'of the challenge before those of the metadata',
    { challenge: 'Bearer scope="read"', resource: { scopes_supported: ['all'] } },
    'read',
  ],
  ['of the metadata', { resource: { scopes_supported: ['read', 'write'] } }, 'read write'],
  ['of no challenge that is no refusal', { status: 400, challenge: 'Bearer scope="read"' }, undefined],
])('scopes are those %s', async (_, site, scope) => {
  expect((await (await startSite(site)).discover()).scope).toBe(scope);
});

it('metadata are read where the challenge says', async () => {
  const { asked, discover } = await startSite({ challenge: 'Bearer resource_metadata="HERE/elsewhere"' });
  await discover();
  expect(asked).toContain('/elsewhere');
  expect(asked.some((url) => url.includes('protected-resource'))).toBe(false);
});

it('a server without metadata is its own authorization server, and its tokens name no resource', async () => {
  const { here, discover } = await startSite({ resource: null });
  const { issuer, resource } = await discover();
  expect([issuer, resource]).toEqual([here, undefined]);
});

it('a server without an authorization server is refused for good, one that cannot be reached is not', async () => {
  const { here, discover } = await startSite({ issuer: null });
  for (const find of [() => discover(), () => issuerMetadata(here)]) {
    await expect(find()).rejects.toThrow(TerminalError);
    await expect(find()).rejects.toThrow('auth: oauth found no metadata of the authorization server http://');
  }
  await expect(issuerMetadata('http://127.0.0.1:9')).rejects.toThrow(RetryableError);
});
