import { expect, it } from 'vitest';
import type { StoredLogin } from '../../../contract/tokenVault.ts';
import { createMemoryStore } from '../../../store/memory/memoryStore.ts';
import { createRefreshLeases } from './refreshLeases.ts';
import { createSecretVault } from './secretVault.ts';

const login = (refreshToken: string): StoredLogin => ({
  issuer: 'https://i.example',
  clientId: 'c',
  refreshToken,
});

/** Secret Manager with one secret. Destroyed versions cannot be read; `latest` is the newest other one. */
function startVault() {
  const secret = 'projects/shop-1/secrets/prod-inquest-login-data-dog';
  const versions: (string | undefined)[] = [];
  const urls: string[] = [];
  const refuse = (status: number) => Promise.reject(Object.assign(new Error('quotes the token'), { status }));
  const vault = createSecretVault({
    project: 'shop-1',
    installation: 'prod',
    async request({ url, data }) {
      urls.push(url);
      const [, rest = ''] = url.split(`/v1/${secret}`);
      if (rest === ':addVersion') {
        versions.push((data as { payload: { data: string } }).payload.data);
        return { name: `${secret}/versions/${versions.length}` };
      }
      const [, named = '', verb] = /^\/versions\/(\w+):(\w+)$/.exec(rest) ?? [];
      const number =
        named === 'latest' ? versions.findLastIndex((one) => one !== undefined) + 1 : Number(named);
      if (verb === 'destroy') {
        versions[number - 1] = undefined;
        return {};
      }
      const text = versions[number - 1];
      if (text === undefined) return refuse(named === 'latest' ? 404 : 400);
      return { name: `${secret}/versions/${number}`, payload: { data: text } };
    },
  });
  return { vault, versions, urls, refuse };
}

it('a login is a version, and the version before is destroyed', async () => {
  const { vault, versions } = startVault();
  expect(await vault.read('data-dog')).toBeUndefined();
  expect(await vault.write('data-dog', login('one'), undefined)).toBe('1');
  expect(await vault.write('data-dog', login('two'), '1')).toBe('2');
  expect(versions.map((one) => one !== undefined)).toEqual([false, true]);
  expect(await vault.read('data-dog', '2')).toEqual({ login: login('two'), version: '2' });
});

it('a version that was destroyed is replaced by the newest', async () => {
  const { vault } = startVault();
  await vault.write('data-dog', login('one'), undefined);
  await vault.write('data-dog', login('two'), '1');
  expect(await vault.read('data-dog', '1')).toEqual({ login: login('two'), version: '2' });
});

it('an error of Google is not quoted', async () => {
  const request = () => Promise.reject(Object.assign(new Error('quotes s3cret'), { status: 403 }));
  const vault = createSecretVault({ project: 'p', installation: undefined, request });
  await expect(vault.write('x', login('s3cret'), undefined)).rejects.toThrow(
    /^the login of "x" could not be stored in Secret Manager \(HTTP 403\)/,
  );
});

it.each([
  [
    'a status',
    { status: 403 },
    /^the login of "x" could not be read in Secret Manager \(HTTP 403\); check that/,
  ],
  ['the status of a response', { response: { status: 500 } }, /\(HTTP 500\)/],
  ['no status', {}, /\(no answer\)/],
])('an error of a read with %s is not quoted', async (_, fields, message) => {
  const request = () => Promise.reject(Object.assign(new Error('quotes s3cret'), fields));
  const vault = createSecretVault({ project: 'p', installation: undefined, request });
  await expect(vault.read('x')).rejects.toThrow(message);
});

it('a login is absent where a version and the secret are gone, and stored where the version before stays', async () => {
  const urls: string[] = [];
  const gone = ({ url }: { url: string }) => {
    urls.push(url);
    return Promise.reject({ status: 404 });
  };
  const absent = createSecretVault({ project: 'p', installation: undefined, request: gone });
  expect(await absent.read('x', '7')).toBeUndefined();
  expect(urls.map((url) => url.split('/versions/')[1])).toEqual(['7:access', 'latest:access']);
  const vault = createSecretVault({
    project: 'p',
    installation: undefined,
    request: ({ url }) =>
      url.endsWith(':destroy') ? Promise.reject({ status: 403 }) : Promise.resolve({ name: 'a/8' }),
  });
  expect(await vault.write('x', login('two'), '7')).toBe('8');
});

it('one of two instances gets a lease; an expired one is taken over as interrupted', async () => {
  let now = 1_000_000;
  const store = createMemoryStore(() => new Date(now));
  const [one, other] = ['a', 'b'].map((id) =>
    createRefreshLeases(
      store,
      () => now,
      () => id,
    ),
  );
  const lease = await one?.take('x');
  expect(lease).toMatchObject({ version: null, interrupted: false });
  expect(await other?.take('x')).toBeUndefined();
  now += 61_000;
  const second = await other?.take('x');
  expect(second).toMatchObject({ interrupted: true });
  // The release of the first holder comes too late.
  await lease?.release('1');
  expect(await one?.take('x')).toBeUndefined();
  await second?.release('2');
  expect(await one?.version('x')).toBe('2');
  expect(await one?.take('x')).toMatchObject({ version: '2', interrupted: false });
});
