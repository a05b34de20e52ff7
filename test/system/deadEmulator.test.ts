// An emulator that dies under a running system.

import { expect, it, onTestFinished } from 'vitest';
import { startEmulators } from '../../local/emulators/emulators.ts';
import { startScriptedModel } from '../../local/scriptedModel/startScriptedModel.ts';
import { startCommand } from '../support/cli.ts';
import { IS_LONG } from '../support/fullTests.ts';
import { createDataPath } from '../support/ownConfig.ts';
import { ownEmulators } from '../support/ownEmulators.ts';
import { killOne, marked } from '../support/processes.ts';

it('start ends with its name and exit code 1 when the local cloud is killed', async () => {
  const { env, running } = marked();
  const command = startCommand(['start', '--data', createDataPath()], { ...ownEmulators, ...env });
  await command.line(/^Ctrl-C stops everything/);
  killOne(running(), /cloudHost/);
  expect((await command.ended).code).toBe(1);
  expect(command.stderr.join('\n')).toMatch(
    /^inquest: the Firestore of the local cloud at \S+ ended with exit code 137; nothing works without it/m,
  );
  await expect.poll(running).toEqual([]);
});

it.runIf(IS_LONG)('demo ends, too, in the middle of an investigation', async () => {
  const gemini = await startScriptedModel({
    script: {
      conversations: [
        { turns: [{ toolCalls: [{ name: 'kubernetes.get_events' }] }, { failures: [{ hang: true }] }] },
      ],
    },
  });
  onTestFinished(() => gemini.stop());
  const { env, running } = marked();
  const command = startCommand(['demo', '--json'], {
    ...ownEmulators,
    ...env,
    GOOGLE_GEMINI_BASE_URL: gemini.url,
    GEMINI_API_KEY: 'scripted',
  });
  await command.line(/"eventType":"tool_result"/);
  killOne(running(), /cloudHost/);
  expect((await command.ended).code).toBe(1);
  expect(command.stderr.join('\n')).toMatch(
    /^inquest: the Firestore of the local cloud at \S+ ended with exit code 137/m,
  );
  await expect.poll(running).toEqual([]);
});

it('start notices the death of emulators that it did not start', async () => {
  const emulators = await startEmulators({
    projectId: 'demo-dies',
    env: { ...process.env, ...ownEmulators },
  });
  onTestFinished(() => emulators.stop());
  const { env, running } = marked();
  const command = startCommand(['start'], {
    ...env,
    GOOGLE_CLOUD_PROJECT: 'demo-dies',
    FIRESTORE_EMULATOR_HOST: emulators.firestoreHost,
    PUBSUB_EMULATOR_HOST: emulators.pubsubHost,
  });
  await command.line(/^Ctrl-C stops everything/);
  await emulators.stop();
  expect((await command.ended).code).toBe(1);
  expect(command.stderr.join('\n')).toMatch(
    /^inquest: the \S+ emulator at \S+ does not answer any more; nothing/m,
  );
  await expect.poll(running).toEqual([]);
});
