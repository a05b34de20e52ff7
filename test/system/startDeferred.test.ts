import { PubSub } from '@google-cloud/pubsub';
import { expect, it } from 'vitest';
import { TOPICS } from '../../shared/core/contract/publisher.ts';
import { callCommand } from '../support/callCommand.ts';
import { runCommand } from '../support/cli.ts';
import { type Bench, opened, startBench } from '../support/harness.ts';

const script = { conversations: [{ turns: [{ text: 'Done.' }] }] };

/** A bench with a deferred session: the second alert of an hour that has one. */
async function deferred() {
  const bench = await startBench({ script, budgets: { sessionsPerHour: [{ chain: null, limit: 1 }] } });
  await bench.publishAlert();
  const sessionId = await bench.publishAlert();
  await bench.drain();
  const pubsub = new PubSub({
    projectId: bench.projectId,
    clientOptions: { universe_domain: 'googleapis.com' },
  });
  await pubsub.createTopic(TOPICS.iterations);
  await pubsub.close();
  return { ...bench, sessionId };
}

/** `npx inquest start-deferred …` in the project of a bench. Its messages go to the Pub/Sub of the tests. */
const start = ({ projectId }: Bench, ...args: string[]) =>
  callCommand(['start-deferred', ...args], { GOOGLE_CLOUD_PROJECT: projectId });
/** The same in a process of its own. */
const startBeside = ({ projectId }: Bench, ...args: string[]) =>
  runCommand(['start-deferred', ...args], { GOOGLE_CLOUD_PROJECT: projectId });

it('start-deferred starts a session once when two users do it at the same time', async () => {
  const bench = await deferred();
  const outcomes = await Promise.all([
    startBeside(bench, bench.sessionId),
    startBeside(bench, `sessions/${bench.sessionId}`),
  ]);
  const started = outcomes.filter(({ stdout }) => stdout.length > 0);
  expect(started.map(({ stdout }) => stdout)).toEqual([[`session ${bench.sessionId} is started`]]);
  const [refused] = outcomes.filter(({ stdout }) => stdout.length === 0);
  expect(refused?.code).toBe(1);
  expect(refused?.stderr).toEqual([
    expect.stringMatching(/^inquest: session \S+ was started at \S+: it is in_progress$/),
  ]);
  const run = await bench.read(bench.sessionId);
  expect(run.session.status).toBe('in_progress');
  expect(run.executions).toHaveLength(1);
});

it('start-deferred --json prints the outcome as JSON', async () => {
  const bench = await deferred();
  const { code, stdout } = await start(bench, bench.sessionId, '--json');
  expect({ code, printed: stdout.map((line) => JSON.parse(line)) }).toEqual({
    code: 0,
    printed: [{ sessionId: bench.sessionId, outcome: 'started', isPublished: true }],
  });
});

it('start-deferred refuses a session that is not deferred or does not exist, and exits with 1', async () => {
  const bench = await opened({ script });
  expect(await start(bench, bench.sessionId)).toEqual({
    code: 1,
    stdout: [],
    stderr: [`inquest: session ${bench.sessionId} is not deferred: it is in_progress`],
  });
  expect(await start(bench, 'nobody')).toEqual({
    code: 1,
    stdout: [],
    stderr: [
      expect.stringMatching(
        /^inquest: there is no session nobody in project \S+, emulator \S+; `inquest list`/,
      ),
    ],
  });
  expect((await start(bench, 'a/b')).code).toBe(2);
});

it('start-deferred explains itself', async () => {
  const { code, stdout } = await callCommand(['help', 'start-deferred']);
  expect(code).toBe(0);
  expect(stdout.join('\n')).toMatch(
    /start-deferred \[options\] <session>[\s\S]*sessionsPerHour, dailyTokens/,
  );
});
