import { expect, it, vi } from 'vitest';
import type { Statement } from '../../shared/core/contract/signatures.ts';
import { createMacVerifier, generateSecret } from '../../shared/kits/access/macs.ts';
import { createGoogleStandIn } from '../../test/worlds/google/standInGoogle.ts';
import { operatorKeySigner } from './operatorKeys.ts';

const statement: Statement = { kind: 'apiKey', fields: ['0123456789ab'] };
const ENV = { GOOGLE_CLOUD_PROJECT: 'shop-prod', INQUEST_NAME: 'second' };
const SECRET = 'shop-prod/secrets/second-inquest-key-secrets';

/** Signs with what Secret Manager answers for the secret. */
async function signWith(status: number, body: object) {
  await createGoogleStandIn();
  const others = vi.mocked(fetch).getMockImplementation();
  const asked: string[] = [];
  vi.mocked(fetch).mockImplementation(async (input, init) => {
    const { url } = new Request(input, init);
    if (!url.startsWith('https://secretmanager.')) return (await others?.(input, init)) ?? Response.error();
    asked.push(url);
    return Response.json(body, { status });
  });
  const sign = operatorKeySigner(ENV);
  return { asked, sign: () => sign(statement) };
}

it('reads the newest secret of API keys with the rights of the operator, once', async () => {
  const [first, second] = [generateSecret(), generateSecret()];
  const data = Buffer.from(`${first},${second}\n`).toString('base64');
  const { asked, sign } = await signWith(200, { payload: { data } });
  const macs = [await sign(), await sign()];
  expect(asked).toEqual([
    `https://secretmanager.googleapis.com/v1/projects/${SECRET}/versions/latest:access`,
  ]);
  for (const mac of macs) expect(createMacVerifier(first)(statement, mac)).toBe(true);
});

it('does not ask Secret Manager when the environment has a secret', async () => {
  const secret = generateSecret();
  const mac = await operatorKeySigner({ ...ENV, INQUEST_KEY_SECRETS: secret })(statement);
  expect(createMacVerifier(secret)(statement, mac)).toBe(true);
});

it.each([
  ['cannot be read', 403, 'could not be read'],
  ['does not exist', 404, 'has no version'],
])('names secret and remedy when it %s', async (_, status, message) => {
  const { sign } = await signWith(status, { error: { code: status, message: 'No.', status: 'X' } });
  await expect(sign()).rejects.toThrow(message);
  await expect(sign()).rejects.toThrow(SECRET);
  await expect(sign()).rejects.toThrow(/secretAccessor.*or set INQUEST_KEY_SECRETS/);
});
