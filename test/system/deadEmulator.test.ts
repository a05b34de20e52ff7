// An emulator that dies under a running system.

import { expect, it, onTestFinished } from 'vitest';
import { startEmulators } from '../../local/emulators.ts';
import { startScriptedGemini } from '../../local/scriptedGemini/server.ts';
import { startCommand } from '../support/cli.ts';
import { marked } from '../support/processes.ts';

/** Kills the Java of one of the emulators. */
function killJava(running: { pid: number; command: string }[], jar: string): void {
  const found = running.filter(({ command }) => /^\d+ \S*java /.test(command) && command.includes(jar));
  expect(found).toHaveLength(1);
  for (const { pid } of found) process.kill(pid, 'SIGKILL');
}

const ownEmulators = { FIRESTORE_EMULATOR_HOST: undefined, PUBSUB_EMULATOR_HOST: undefined };

it.each([
  ['Firestore', 'cloud-firestore-emulator'],
  ['Pub/Sub', 'cloud-pubsub-emulator'],
])('start ends with its name and exit code 1 when the %s emulator is killed', async (title, jar) => {
  const { env, running } = marked();
  const command = startCommand(['start'], { ...ownEmulators, ...env });
  await command.line(/^Ctrl-C stops everything/);
  killJava(running(), jar);
  expect((await command.ended).code).toBe(1);
  const said = command.stderr.join('\n');
  expect(said).toMatch(
    new RegExp(
      `^inquest: the ${title} emulator at \\S+ ended with exit code 137; nothing works without it`,
      'm',
    ),
  );
  await expect.poll(running).toEqual([]);
});

it('demo ends, too, in the middle of an investigation', async () => {
  const gemini = await startScriptedGemini({
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
  killJava(running(), 'cloud-firestore-emulator');
  expect((await command.ended).code).toBe(1);
  expect(command.stderr.join('\n')).toMatch(
    /^inquest: the Firestore emulator at \S+ ended with exit code 137/m,
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
