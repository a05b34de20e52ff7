// Against a real server of this machine, which stands for the web.

import { createServer, type RequestListener, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { createRunbookFetcher, type Web } from './fetchRunbook.ts';

const HOSTS = ['wiki.example.com', '*.docs.example.com'];
const plain = { 'content-type': 'text/plain; charset=utf-8' };

/** A fetcher for which every host is this server, and what was asked of it. */
async function webOf(handle: RequestListener, changes: Partial<Web> = {}) {
  const asked: string[] = [];
  const server = createServer((incoming, response) => {
    asked.push(`${incoming.headers.host}${incoming.url}`);
    handle(incoming, response);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const fetchRunbook = createRunbookFetcher({
    resolve: async () => [{ address: '127.0.0.1', family: 4 }],
    isPublic: () => true,
    // Only the port differs: what is connected to is the address that was looked up.
    request: ((url: URL, options: object, done: () => void) =>
      request({ ...options, host: url.hostname, path: url.pathname, port }, done)) as Web['request'],
    timeoutMs: 600_000,
    ...changes,
  });
  return { fetchRunbook, asked };
}

it('reads text', async () => {
  const { fetchRunbook, asked } = await webOf((_, response) =>
    response.writeHead(200, plain).end('# Restart ü'),
  );
  expect(await fetchRunbook('https://wiki.example.com/a', HOSTS)).toEqual({ ok: true, text: '# Restart ü' });
  expect(await fetchRunbook('https://x.docs.example.com/b', HOSTS)).toMatchObject({ ok: true });
  expect(asked.map((url) => url.replace(/:\d+/, ''))).toEqual(['wiki.example.com/a', 'x.docs.example.com/b']);
});

it.each([
  ['http://wiki.example.com/', 'is not read over HTTPS'],
  ['https://evil.example.com/', 'leads to a host that runbookHosts in system.yaml does not allow'],
  ['https://wiki.example.com.evil.org/', 'leads to a host that runbookHosts in system.yaml does not allow'],
  ['https://docs.example.com/', 'leads to a host that runbookHosts in system.yaml does not allow'],
  ['https://evildocs.example.com/', 'leads to a host that runbookHosts in system.yaml does not allow'],
  ['https://127.0.0.1/', 'leads to a host that runbookHosts in system.yaml does not allow'],
  ['https://wiki.example.com:8443/', 'has a port of its own'],
  ['https://me:secret@wiki.example.com/', 'holds credentials'],
  ['file:///etc/passwd', 'is not read over HTTPS'],
  ['no address', 'cannot be read (ERR_INVALID_URL)'],
])('does not ask for %s', async (url, reason) => {
  const { fetchRunbook, asked } = await webOf((_, response) => response.writeHead(200, plain).end('x'));
  expect(await fetchRunbook(url, HOSTS)).toEqual({ ok: false, reason });
  expect(asked).toEqual([]);
});

it.each([[['10.0.0.1']], [['8.8.8.8', '169.254.169.254']], [['::1']]])(
  'asks no private address, also beside a public one: %s',
  async (addresses) => {
    const { fetchRunbook, asked } = await webOf((_, response) => response.writeHead(200, plain).end('x'), {
      isPublic: (address) => address === '8.8.8.8',
      resolve: async () => addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    });
    const found = await fetchRunbook('https://wiki.example.com/', HOSTS);
    expect(found).toEqual({ ok: false, reason: 'has a host at a private address' });
    expect(asked).toEqual([]);
  },
);

it('follows only to allowed hosts, and not for ever', async () => {
  const { fetchRunbook } = await webOf(({ url }, response) => {
    const to: Record<string, string> = {
      '/moved': 'https://x.docs.example.com/text',
      '/out': 'https://evil.org/text',
      '/plain': 'http://wiki.example.com/text',
      '/round': '/round',
    };
    const location = to[url ?? ''];
    if (location === undefined) response.writeHead(200, plain).end('here');
    else response.writeHead(302, { location }).end();
  });
  const read = (path: string) => fetchRunbook(`https://wiki.example.com${path}`, HOSTS);
  expect(await read('/moved')).toEqual({ ok: true, text: 'here' });
  expect(await read('/out')).toMatchObject({ reason: expect.stringContaining('does not allow') });
  expect(await read('/plain')).toMatchObject({ reason: 'is not read over HTTPS' });
  expect(await read('/round')).toMatchObject({ reason: 'leads on more than 3 times' });
});

it.each<[string, RequestListener, string]>([
  [
    'a page',
    (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>'),
    'is of another type, not plain text; link to the text itself',
  ],
  ['an error', (_, response) => response.writeHead(500).end('secret'), 'answered with status 500'],
  ['nothing', (_, response) => response.writeHead(200, plain).end(' \n'), 'is empty'],
  [
    'too much',
    (_, response) => response.writeHead(200, plain).end(Buffer.alloc(600_000, 'a')),
    'has more than 512000 bytes',
  ],
  [
    'what is compressed',
    (_, response) => response.writeHead(200, { ...plain, 'content-encoding': 'gzip' }).end('x'),
    'is compressed',
  ],
  ['an end in the middle', (_, response) => response.destroy(), 'cannot be read (ECONNRESET)'],
])('does not take %s', async (_, handle, reason) => {
  const { fetchRunbook } = await webOf(handle);
  expect(await fetchRunbook('https://wiki.example.com/', HOSTS)).toEqual({ ok: false, reason });
});

it('gives up in time, also while a name is looked up', async () => {
  const hanging = await webOf(() => {}, { timeoutMs: 50 });
  const reason = 'did not answer within 0.05 s';
  expect(await hanging.fetchRunbook('https://wiki.example.com/', HOSTS)).toEqual({ ok: false, reason });
  const lost = await webOf(() => {}, { timeoutMs: 50, resolve: () => new Promise(() => {}) });
  expect(await lost.fetchRunbook('https://wiki.example.com/', HOSTS)).toEqual({ ok: false, reason });
});
