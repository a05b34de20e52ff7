// `start` keeps documents and messages in a file: what one run leaves, the next one goes on with.

import { existsSync } from 'node:fs';
import { expect, it, onTestFinished, vi } from 'vitest';
import { findExample } from '../../local/examples.ts';
import { startScriptedGemini } from '../../local/scriptedGemini/server.ts';
import { isTerminal } from '../../shared/schema/common.ts';
import { sessionType } from '../../shared/schema/documents.ts';
import { createFirestoreStore } from '../../shared/store/firestore/firestoreStore.ts';
import { exportsOf, type RunningCommand, runCommand, startCommand } from '../support/cli.ts';
import { expectNoGaps } from '../support/expectations.ts';
import { readInvestigation } from '../support/harness.ts';
import { dataFile } from '../support/ownConfig.ts';
import { ownEmulators } from '../support/ownEmulators.ts';
import { marked } from '../support/processes.ts';

const PROJECT = 'demo-restarted';
const { alertFile } = findExample('crashloop');

/** Starts the system on a file; resolves when it takes alerts. */
async function startOn(file: string, env: Record<string, string> = {}, args: string[] = []) {
  const command = startCommand(['start', '--data', file, ...args], {
    ...ownEmulators,
    GOOGLE_CLOUD_PROJECT: PROJECT,
    ...env,
  });
  await command.line(/^Ctrl-C stops everything/);
  return { command, env: exportsOf(command) };
}

/** A store on the system with these variables. */
function storeOn(env: Record<string, string>) {
  vi.stubEnv('FIRESTORE_EMULATOR_HOST', env.FIRESTORE_EMULATOR_HOST);
  const store = createFirestoreStore({ projectId: PROJECT });
  onTestFinished(() => store.close());
  return store;
}

async function interrupt({ command }: { command: RunningCommand }): Promise<void> {
  command.kill('SIGINT');
  await command.ended;
}

it.each<[string, (killAll: () => void, running: { command: RunningCommand }) => unknown]>([
  ['kill -9 of everything', (killAll) => killAll()],
  ['Ctrl-C', (_, running) => interrupt(running)],
])('%s in the middle of an investigation, and start again: it completes', async (_, end) => {
  onTestFinished(() => void vi.unstubAllEnvs());
  const gemini = await startScriptedGemini({
    script: {
      conversations: [
        {
          turns: [
            { toolCalls: [{ name: 'kubernetes.get_events' }] },
            { failures: [{ hang: true }], text: 'The memory limit is too low.' },
          ],
        },
      ],
    },
  });
  onTestFinished(() => gemini.stop());
  const { env: mark, running } = marked();
  const env = { ...mark, GOOGLE_GEMINI_BASE_URL: gemini.url, GEMINI_API_KEY: 'scripted' };
  const file = dataFile();

  const first = await startOn(file, env);
  const publish = startCommand(['publish', '--json', alertFile], { ...first.env, ...mark });
  await publish.line(/"eventType":"tool_result"/);
  await vi.waitFor(() => expect(gemini.requests).toHaveLength(2), { timeout: 250_000 });
  await end(() => {
    for (const { pid } of running()) process.kill(pid, 'SIGKILL');
  }, first);
  await expect.poll(running).toEqual([]);

  const second = await startOn(file, env);
  expect(second.command.stdout).toContain(
    `data           ${file} (goes on with what the last start left; --fresh begins anew)`,
  );
  const store = storeOn(second.env);
  const sessions = () => store.list({ collection: 'sessions' }, sessionType);
  await expect
    .poll(async () => (await sessions()).map(({ value }) => isTerminal(value.status)))
    .toEqual([true]);
  const [session] = await sessions();
  const run = await readInvestigation(store, session?.id ?? '');
  expect(run.session).toMatchObject({ status: 'completed', finalAnalysis: 'The memory limit is too low.' });
  expectNoGaps(run);
  // The answer that was stored is not asked for again; the one that was not, once more.
  expect(gemini.requests).toHaveLength(3);
  await interrupt(second);
});

it('start --fresh begins anew', async () => {
  onTestFinished(() => void vi.unstubAllEnvs());
  const file = dataFile();
  const first = await startOn(file);
  const published = await runCommand(['publish', alertFile], first.env);
  expect(published.code).toBe(0);
  await interrupt(first);
  expect(existsSync(file)).toBe(true);

  const second = await startOn(file, {}, ['--fresh']);
  expect(await storeOn(second.env).list({ collection: 'sessions' }, sessionType)).toEqual([]);
  await interrupt(second);
});

it('start refuses a file that another one uses, and does not remove it either', async () => {
  const file = dataFile();
  const first = await startOn(file);
  for (const args of [[], ['--fresh']]) {
    const { code, stderr } = await runCommand(['start', '--data', file, ...args], ownEmulators);
    expect(code).toBe(1);
    expect(stderr.join('\n')).toContain(`${file} is in use`);
  }
  await interrupt(first);
});

it.each([
  [['--emulators', '--fresh'], {}, '--fresh is for the local cloud, which serves nothing with --emulators'],
  [
    ['--data', 'x.db'],
    { FIRESTORE_EMULATOR_HOST: '127.0.0.1:1', PUBSUB_EMULATOR_HOST: '127.0.0.1:1' },
    '--data is for the local cloud, which serves nothing with emulators that run already',
  ],
])('start %j without the local cloud is a mistake', async (args, env, message) => {
  const { code, stderr } = await runCommand(['start', ...args], env);
  expect(code).toBe(2);
  expect(stderr.join('\n')).toContain(message);
});
