import { expect, it, vi } from 'vitest';
import { createGoogleStandIn } from '../../test/worlds/google/standInGoogle.ts';
import { openGoogleApi } from './googleApi.ts';

const URL = 'https://cloudresourcemanager.googleapis.com/v1/projects/shop-prod';

/** The APIs. `fail` makes the next requests find no host. */
async function open() {
  await createGoogleStandIn();
  const google = openGoogleApi('shop-prod', new AbortController().signal, { retryMs: 0 });
  // Fetches the token.
  await google.call({ url: URL });
  const fail = (times: number) => {
    const cause = new Error('getaddrinfo ENOTFOUND cloudresourcemanager.googleapis.com');
    for (let time = 0; time < times; time++)
      vi.mocked(fetch).mockRejectedValueOnce(new TypeError('fetch failed', { cause }));
  };
  return { google, fail };
}

it('a read is retried when the host cannot be reached', async () => {
  const { google, fail } = await open();
  fail(3);
  expect(await google.call({ url: URL })).toMatchObject({ projectId: 'shop-prod' });
});

it.each([
  ['a read', 'GET', 4],
  ['a write', 'POST', 1],
] as const)('%s fails with the name of the host', async (_, method, times) => {
  const { google, fail } = await open();
  fail(times);
  await expect(google.call({ method, url: URL })).rejects.toThrow(
    'cloudresourcemanager.googleapis.com cannot be reached: getaddrinfo ENOTFOUND',
  );
});
