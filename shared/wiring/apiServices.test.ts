import { copyFileSync, cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../test/support/ownConfig.ts';
import { projectFile } from '../projectFiles.ts';
import { createApiServices } from './apiServices.ts';

const project = { GOOGLE_CLOUD_PROJECT: 'demo-wiring' };
const EMULATOR = { FIRESTORE_EMULATOR_HOST: '127.0.0.1:8080' };
const AUDIENCE = '/projects/1/locations/europe-west1/services/console';
/** A key, and an assertion that is too long: to refuse it, nobody reads Google's keys. */
const KEY = { authorization: `Bearer ${'inq_000000000000_'.padEnd(60, 'a')}` };
const ASSERTION = { 'x-goog-iap-jwt-assertion': 'a'.repeat(20_000) };

const callersOf = (env: NodeJS.ProcessEnv) => {
  const { callers, hostname } = createApiServices({ ...project, ...env });
  return { callers, hostname };
};

it.each([
  [{ FIRESTORE_EMULATOR_HOST: '127.0.0.1:8080' }, /^FIRESTORE_EMULATOR_HOST must not/],
  [{ PUBSUB_EMULATOR_HOST: '127.0.0.1:8085' }, /^PUBSUB_EMULATOR_HOST must not/],
  [
    { FIRESTORE_EMULATOR_HOST: '127.0.0.1:8080', PUBSUB_EMULATOR_HOST: '127.0.0.1:8085' },
    /^FIRESTORE_EMULATOR_HOST and PUBSUB_EMULATOR_HOST must not/,
  ],
])('the API with %j does not start on Cloud Run, where every caller would be admin', (emulators, message) => {
  const start = () => createApiServices({ ...project, ...emulators, K_SERVICE: 'api' });
  expect(start).toThrow(message);
  expect(start).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
});

it('has the test-alert.json of the configuration as its example, without secrets', () => {
  const folder = temporaryFolder();
  cpSync(projectFile('config'), folder, { recursive: true });
  const read = () => createApiServices({ ...project, ...EMULATOR, INQUEST_CONFIG: folder }).deps.exampleAlert;
  expect(read()).toBeUndefined();
  const token = `ghp_${'a1B2'.repeat(9)}`;
  writeFileSync(join(folder, 'test-alert.json'), JSON.stringify({ title: 'Test', token }));
  expect(read()).toContain('"title":"Test"');
  expect(read()).not.toContain(token);
});

describe('the login', () => {
  it('is missing only beside an emulator of Firestore; empty variables are not set', () => {
    const local = { callers: 'local', hostname: '127.0.0.1' };
    expect(callersOf(EMULATOR)).toEqual(local);
    expect(callersOf({ ...EMULATOR, INQUEST_SERVICE: 'console', INQUEST_ACCESS: '' })).toEqual(local);
    const deployed = { FIRESTORE_EMULATOR_HOST: '', K_SERVICE: 'api', INQUEST_SERVICE: 'api' };
    expect(callersOf(deployed)).toEqual({ callers: 'api', hostname: undefined });
  });

  it('is required beside an emulator with INQUEST_ACCESS, which listens on this machine only', () => {
    const forced = { ...EMULATOR, INQUEST_ACCESS: 'cloud', IAP_AUDIENCE: AUDIENCE };
    for (const callers of ['api', 'console'])
      expect(callersOf({ ...forced, INQUEST_SERVICE: callers })).toEqual({ callers, hostname: '127.0.0.1' });
  });

  it.each([
    [{}, 'INQUEST_SERVICE is not set: set it to api'],
    [{ INQUEST_SERVICE: 'sweep' }, 'INQUEST_SERVICE is "sweep"'],
    [{ ...EMULATOR, INQUEST_ACCESS: 'cloud' }, 'INQUEST_SERVICE is not set'],
    [{ ...EMULATOR, INQUEST_ACCESS: 'local' }, 'INQUEST_ACCESS is "local": expected cloud'],
    [{ INQUEST_SERVICE: 'api', INQUEST_ACCESS: 'none' }, 'INQUEST_ACCESS is "none"'],
    [{ INQUEST_SERVICE: 'console' }, 'IAP_AUDIENCE is not set'],
    [{ INQUEST_SERVICE: 'console', IAP_AUDIENCE: 'console' }, 'IAP_AUDIENCE must be the audience'],
  ])('is never guessed: %j is an error', (env, message) => {
    expect(() => callersOf(env)).toThrow(message);
    expect(() => callersOf(env)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
  });
});

describe('a deployed service', () => {
  const refusal = (env: NodeJS.ProcessEnv, headers: Record<string, string>) =>
    createApiServices({ ...project, ...env })
      .access(headers, 'address')
      .then(
        () => 'admitted',
        (error: Error) => error.message,
      );

  it('accepts the proofs of its own callers only', async () => {
    const services = [
      { INQUEST_SERVICE: 'api', IAP_AUDIENCE: AUDIENCE },
      { INQUEST_SERVICE: 'console', IAP_AUDIENCE: AUDIENCE },
    ];
    const [api, people] = await Promise.all(
      services.map((env) => Promise.all([ASSERTION, {}].map((headers) => refusal(env, headers)))),
    );
    // Without Firebase, the API reads no proof but a key.
    expect(api?.map((message) => message.split(':')[0])).toEqual([
      'the request names no caller',
      'the request names no caller',
    ]);
    expect(people?.map((message) => message.split(':')[0])).toEqual([
      'the token is not valid',
      'the request names no caller',
    ]);
    // A key is not looked up: that would need the database.
    expect(await refusal(services[1] ?? {}, KEY)).toMatch(
      /^the request names no caller: sign in through Ident/,
    );
  });

  it('reads the address of the first member', () => {
    const env = { INQUEST_SERVICE: 'console', IAP_AUDIENCE: AUDIENCE };
    expect(callersOf({ ...env, INQUEST_FIRST_MEMBER: 'ada@example.com' }).callers).toBe('console');
    expect(() => callersOf({ ...env, INQUEST_FIRST_MEMBER: 'ada' })).toThrow('"ada" is no e-mail address');
  });

  it('takes the audience of IAP from access.yaml when the variable is not set', () => {
    const folder = temporaryFolder();
    for (const name of ['agents', 'chains', 'models', 'servers'])
      copyFileSync(projectFile(`config/${name}.yaml`), join(folder, `${name}.yaml`));
    writeFileSync(join(folder, 'access.yaml'), `iap: { audience: ${AUDIENCE} }`);
    const env = { INQUEST_SERVICE: 'console', INQUEST_CONFIG: folder };
    expect(callersOf(env)).toMatchObject({ callers: 'console' });
    expect(() => callersOf({ ...env, IAP_AUDIENCE: 'wrong' })).toThrow('IAP_AUDIENCE must be');
  });
});
