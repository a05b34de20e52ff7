import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readConfigFolder, readDatabaseName, readInstallationName, readProjectId } from './environment.ts';

// The names and defaults are a contract with operators: they change on purpose only.
describe('the environment', () => {
  it('GOOGLE_CLOUD_PROJECT is the project, by default one that cannot exist', () => {
    expect(readProjectId({ GOOGLE_CLOUD_PROJECT: 'shop' })).toBe('shop');
    expect(readProjectId({ GOOGLE_CLOUD_PROJECT: '' })).toBe('demo-inquest');
    expect(readProjectId({})).toBe('demo-inquest');
  });

  it('INQUEST_CONFIG is the folder of the configuration, by default the one of this project', () => {
    expect(readConfigFolder({ INQUEST_CONFIG: '/etc/inquest' })).toBe('/etc/inquest');
    for (const env of [{}, { INQUEST_CONFIG: '' }]) {
      expect(existsSync(join(readConfigFolder(env), 'agents.yaml'))).toBe(true);
    }
  });

  it('INQUEST_NAME is the prefix of resources, by default none', () => {
    expect(readInstallationName({ INQUEST_NAME: 'inquest-eu' })).toBe('inquest-eu');
    for (const env of [{}, { INQUEST_NAME: '' }]) expect(readInstallationName(env)).toBeUndefined();
  });

  it.each(['abc', 'a2345678901234567', 'Shop', '1shop', 'shop-', 'sh op', 'shop/..'])(
    'refuses INQUEST_NAME %j',
    (name) => {
      expect(() => readInstallationName({ INQUEST_NAME: name })).toThrow(
        `INQUEST_NAME is "${name}": expected 4 to 16`,
      );
    },
  );

  it('FIRESTORE_DATABASE is the database, by default that of the project', () => {
    for (const name of ['(default)', 'inquest'])
      expect(readDatabaseName({ FIRESTORE_DATABASE: name })).toBe(name);
    for (const env of [{}, { FIRESTORE_DATABASE: '' }]) expect(readDatabaseName(env)).toBeUndefined();
  });

  it.each(['abc', 'Shop', 'shop/x', 'shop-', '-shop'])('refuses FIRESTORE_DATABASE %j', (name) => {
    expect(() => readDatabaseName({ FIRESTORE_DATABASE: name })).toThrow(
      `FIRESTORE_DATABASE is "${name}": expected`,
    );
  });
});

it('on Cloud Run, where Google does not set the project, its absence stops the start', () => {
  const env = { K_SERVICE: 'runiteration' };
  expect(() => readProjectId(env)).toThrow('GOOGLE_CLOUD_PROJECT is not set');
  expect(readProjectId({ ...env, GOOGLE_CLOUD_PROJECT: 'shop' })).toBe('shop');
});
