// `start` keeps documents and messages in a file: what one run leaves, the next one goes on with.

import { existsSync } from 'node:fs';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { findExample } from '../../local/examples.ts';
import { type ScriptedModel, startScriptedModel } from '../../local/scriptedModel/startScriptedModel.ts';
import { isTerminal } from '../../shared/core/schema/common.ts';
import { sessionType } from '../../shared/lists/documents.ts';
import { createFirestoreStore } from '../../shared/store/firestore/firestoreStore.ts';
import { exportsOf, type RunningCommand, runCommand, startCommand } from '../support/cli.ts';
import { expectNoGaps } from '../support/expectations.ts';
import { IS_LONG } from '../support/fullTests.ts';
import { readInvestigation } from '../support/harness.ts';
import { createDataPath } from '../support/ownConfig.ts';
import { ownEmulators } from '../support/ownEmulators.ts';
import { marked } from '../support/processes.ts';
import { withRawDocument } from '../support/rawDocument.ts';

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

/** Answers for two iterations. @param hangs: the second is not answered at first. */
const scriptOf = (hangs: boolean) => ({
  conversations: [
    {
      turns: [
        { toolCalls: [{ name: 'kubernetes.get_events' }] },
        { ...(hangs && { failures: [{ hang: true as const }] }), text: 'The memory limit is too low.' },
      ],
    },
  ],
});

/** Publishes an alert, ends and restarts the system, and waits for the session's end. */
async function endInTheMiddle(options: {
  hangs: boolean;
  moment: (publish: RunningCommand, gemini: ScriptedModel) => Promise<unknown>;
  end: (first: { command: RunningCommand }, running: () => { pid: number }[]) => unknown;
}) {
  onTestFinished(() => void vi.unstubAllEnvs());
  const gemini = await startScriptedModel({ script: scriptOf(options.hangs) });
  onTestFinished(() => gemini.stop());
  const { env: mark, running } = marked();
  const env = { ...mark, GOOGLE_GEMINI_BASE_URL: gemini.url, GEMINI_API_KEY: 'scripted' };
  const file = createDataPath();

  const first = await startOn(file, env);
  const publish = startCommand(['publish', '--json', alertFile], { ...first.env, ...mark });
  await options.moment(publish, gemini);
  await options.end(first, running);
  await expect.poll(running).toEqual([]);

  const second = await startOn(file, env);
  expect(second.command.stdout).toContain(
    `data           ${file} (continues from the last start; --fresh starts empty)`,
  );
  const store = storeOn(second.env);
  const sessions = () => store.list({ collection: 'sessions' }, sessionType);
  await expect
    // A lease has to run out first: that is 30 s.
    .poll(async () => (await sessions()).map(({ value }) => isTerminal(value.status)), { interval: 500 })
    .toEqual([true]);
  const [session] = await sessions();
  const run = await readInvestigation(store, session?.id ?? '');
  expect(run.session).toMatchObject({ status: 'completed', finalAnalysis: 'The memory limit is too low.' });
  expectNoGaps(run);
  await interrupt(second);
  return gemini.requests.length;
}

describe('an investigation continues at the next start', () => {
  it.runIf(IS_LONG)('after kill -9 of everything, while the model was asked', async () => {
    const asked = await endInTheMiddle({
      hangs: true,
      moment: async (publish, { requests }) => {
        await publish.line(/"eventType":"tool_result"/);
        await expect.poll(() => requests.length).toBe(2);
      },
      end: (_, running) => {
        for (const { pid } of running()) process.kill(pid, 'SIGKILL');
      },
    });
    // The answer that was stored is not asked for again; the one that was not, once more.
    // The last one is for the executive summary.
    expect(asked).toBe(4);
  });

  it('after Ctrl-C, as soon as its alert was published', async () => {
    await endInTheMiddle({
      hangs: false,
      moment: (publish) => publish.line(/^published message/),
      end: interrupt,
    });
  });
});

it.runIf(IS_LONG)('a file serves one start at a time; --fresh deletes its data', async () => {
  onTestFinished(() => void vi.unstubAllEnvs());
  const file = createDataPath();
  const first = await startOn(file);
  vi.stubEnv('FIRESTORE_EMULATOR_HOST', first.env.FIRESTORE_EMULATOR_HOST);
  await withRawDocument(PROJECT, 'things/kept', (document) => document.set({ n: 1 }));
  for (const args of [[], ['--fresh']]) {
    const { code, stderr } = await runCommand(['start', '--data', file, ...args], ownEmulators);
    expect(code).toBe(1);
    expect(stderr.join('\n')).toContain(`${file} is in use`);
  }
  const isKept = () =>
    withRawDocument(PROJECT, 'things/kept', async (document) => (await document.get()) !== undefined);
  expect(await isKept()).toBe(true);
  await interrupt(first);
  expect(existsSync(file)).toBe(true);

  const second = await startOn(file, {}, ['--fresh']);
  vi.stubEnv('FIRESTORE_EMULATOR_HOST', second.env.FIRESTORE_EMULATOR_HOST);
  expect(await isKept()).toBe(false);
  await interrupt(second);
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
