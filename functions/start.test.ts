// The entry of every deployed service: it loads and serves the one that INQUEST_SERVICE names.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { FUNCTIONS, SERVICES } from './manifest.ts';

/** Runs a script of this folder with a service's settings. No emulator answers. */
function run(script: string, env: Record<string, string> = {}) {
  const { PATH, HOME } = process.env;
  const settings = {
    GOOGLE_CLOUD_PROJECT: 'demo-start',
    FIRESTORE_EMULATOR_HOST: '127.0.0.1:1',
    PUBSUB_EMULATOR_HOST: '127.0.0.1:1',
    GEMINI_API_KEY: 'k',
  };
  return spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    cwd: import.meta.dirname,
    env: { PATH, HOME, ...settings, ...env },
    encoding: 'utf8',
  });
}

it('serves each service', () => {
  const { stdout } = run(
    `await import(${JSON.stringify(join(import.meta.dirname, '../test/system/fixtures/startedServices.ts'))})`,
  );
  const lines = stdout.trim().split('\n');
  const answers = JSON.parse(/^answers (.*)$/.exec(lines.pop() ?? '')?.[1] ?? '{}');
  // A topic's function refuses a body without a message, and the sweep refuses GET.
  const expected = { topic: 400, schedule: 405, http: 200 };
  expect(answers).toEqual(
    Object.fromEntries(Object.entries(SERVICES).map(([name, { trigger }]) => [name, expected[trigger]])),
  );
  const topics = Object.entries(FUNCTIONS).filter(([, { trigger }]) => trigger === 'topic');
  expect(lines.map((line) => JSON.parse(line).function)).toEqual(topics.map(([name]) => name));
});

it.each([
  [{}, 'INQUEST_SERVICE is not set: set it to one of ingestAlert, '],
  [{ INQUEST_SERVICE: 'sweeper' }, 'INQUEST_SERVICE is "sweeper": set it to one of ingestAlert, '],
])('ends with the remedy where %j names no service', (env, message) => {
  const { status, stderr } = run("await (await import('./start.ts')).listen()", env);
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: expect.stringContaining(`CONFIG_INVALID: ${message}`),
  });
});
