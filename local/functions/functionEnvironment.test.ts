import { expect, it } from 'vitest';
import { FUNCTIONS } from '../../functions/manifest.ts';
import { functionEnvironment } from './functionEnvironment.ts';

const MACHINE = { PATH: '/bin', HOME: '/root', NODE_OPTIONS: '--a', https_proxy: 'http://p', TMPDIR: '/tmp' };
const GOOGLE = { GOOGLE_APPLICATION_CREDENTIALS: '/key.json', METADATA_SERVER_DETECTION: 'none' };
const SETTINGS = Object.fromEntries(
  Object.values(FUNCTIONS).flatMap(({ settings }) => settings.map((name) => [name, 'set'])),
);
const SECRETS = {
  KUBERNETES_MCP_TOKEN: 'secret',
  OPENAI_API_KEY: 'secret',
  XDG_CONFIG_HOME: '/root/.config',
};
const all = { ...MACHINE, ...GOOGLE, ...SETTINGS, ...SECRETS };

it.each(['ingestAlert', 'buryIteration', 'sweep'] as const)('%s is given its own settings alone', (name) => {
  const own = Object.fromEntries(FUNCTIONS[name].settings.map((setting) => [setting, 'set']));
  expect(functionEnvironment(name, all)).toEqual({ ...MACHINE, ...GOOGLE, ...own });
});

it('what servers.yaml and models.yaml may name is given to the function that runs iterations', () => {
  expect(functionEnvironment('runIteration', all)).toEqual(all);
});

it('keys are the settings of one function', () => {
  const withKeys = Object.entries(FUNCTIONS).filter(([, { settings }]) =>
    settings.some((name) => /KEY|TOKEN|SECRET/.test(name)),
  );
  expect(withKeys.map(([name]) => name)).toEqual(['runIteration']);
});
