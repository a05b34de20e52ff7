import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { configFolderOf, projectIdOf } from './environment.ts';

// The names and defaults are a contract with operators: they change on purpose only.
describe('the environment', () => {
  it('GOOGLE_CLOUD_PROJECT is the project, by default one that cannot exist', () => {
    expect(projectIdOf({ GOOGLE_CLOUD_PROJECT: 'shop' })).toBe('shop');
    expect(projectIdOf({ GOOGLE_CLOUD_PROJECT: '' })).toBe('demo-inquest');
    expect(projectIdOf({})).toBe('demo-inquest');
  });

  it('INQUEST_CONFIG is the folder of the configuration, by default the one of this project', () => {
    expect(configFolderOf({ INQUEST_CONFIG: '/etc/inquest' })).toBe('/etc/inquest');
    for (const env of [{}, { INQUEST_CONFIG: '' }]) {
      expect(existsSync(join(configFolderOf(env), 'agents.yaml'))).toBe(true);
    }
  });
});

it('on Cloud Run, where Google does not set the project, its absence stops the start', () => {
  const env = { K_SERVICE: 'runiteration' };
  expect(() => projectIdOf(env)).toThrow('GOOGLE_CLOUD_PROJECT is not set');
  expect(projectIdOf({ ...env, GOOGLE_CLOUD_PROJECT: 'shop' })).toBe('shop');
});
