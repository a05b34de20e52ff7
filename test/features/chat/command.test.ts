// What a person asks on the command line.

import { userInfo } from 'node:os';
import { PubSub } from '@google-cloud/pubsub';
import { expect, it, onTestFinished } from 'vitest';
import { TOPICS } from '../../../shared/core/contract/publisher.ts';
import { paths, sessionType } from '../../../shared/lists/documents.ts';
import { callCommand } from '../../support/callCommand.ts';
import { type Bench, investigate, startBench } from '../../support/harness.ts';

const script = {
  conversations: [
    { when: 'You are investigator', turns: [{ text: 'Out of memory.' }] },
    { when: { question: 'Which release?' }, turns: [{ text: 'Release 7 did.' }] },
    { when: { question: 'What now?' }, turns: [{ text: 'Roll back.' }] },
  ],
};
const user = userInfo().username;

async function call({ projectId }: Pick<Bench, 'projectId'>, ...args: string[]) {
  return callCommand(args, { GOOGLE_CLOUD_PROJECT: projectId, NO_COLOR: '1' });
}

/** Questions go to an unread Pub/Sub, as if lost: the sweep publishes them here. */
async function loseMessages({ projectId }: Bench): Promise<void> {
  const pubsub = new PubSub({ projectId });
  onTestFinished(() => pubsub.close());
  await pubsub.createTopic(TOPICS.iterations);
}

/** Sweeps and delivers until `work` is done. The bench's clock must be ahead. */
async function answering<T>(bench: Bench & { sessionId: string }, work: Promise<T>): Promise<T> {
  let isDone = false;
  const done = work.finally(() => {
    isDone = true;
  });
  while (!isDone) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    await answerOpen(bench);
  }
  return done;
}

async function answerOpen({ deps, sessionId, tick, drain }: Bench & { sessionId: string }): Promise<void> {
  const isOpen = async () =>
    (await deps.store.get(paths.session(sessionId), sessionType))?.value.openStage !== null;
  while (await isOpen()) {
    deps.clock.advance(90_000);
    await tick();
    await drain();
  }
}

it('ask prints the answer as it is found, in words and as JSON, and show has it', async () => {
  const bench = await investigate({ script, chat: {}, deadlineMs: 24 * 3_600_000 });
  const { sessionId } = bench;
  await loseMessages(bench);
  const asked = await call(bench, 'ask', 'last', 'Which release?', '--no-follow');
  expect(asked).toMatchObject({ code: 0, stdout: [`the question is stored in session ${sessionId}`] });
  const refused = await call(bench, 'ask', sessionId, 'What now?');
  expect(refused).toMatchObject({ code: 1, stdout: [] });
  expect(refused.stderr[0]).toMatch(/^inquest: SESSION_BUSY: session \S+ answers another question, until /);
  await answerOpen(bench);

  const answer = await answering(bench, call(bench, 'ask', sessionId, 'What now?'));
  expect(answer).toMatchObject({ code: 0 });
  expect(answer.stderr).toEqual([`session ${sessionId}`]);
  const text = answer.stdout.join('\n');
  expect(text).toMatch(
    new RegExp(`04-chat  question by ${user}\n +What now\\?\n.*04-chat  ANSWER\n +Roll back\\.\n`),
  );
  expect(text).toMatch(/^Question +answered in /m);
  expect(text).not.toContain('Release 7');

  const json = await answering(bench, call(bench, 'ask', 'last', 'Which release?', '--by', 'ada', '--json'));
  const lines = json.stdout.map((line) => JSON.parse(line));
  expect(lines[0]).toMatchObject({ type: 'event', eventType: 'user_question', metadata: { askedBy: 'ada' } });
  expect(lines.at(-1)).toMatchObject({
    type: 'answer',
    sessionId,
    status: 'completed',
    answer: 'Release 7 did.',
  });

  const page = (await call(bench, 'show', 'last')).stdout.join('\n');
  expect(page).toContain('05-chat');
  expect(page).toContain('Release 7 did.');
  expect((await call(bench, 'watch', 'last')).code).toBe(0);
});

it('ask reports a wrong call before it stores anything', async () => {
  const bench = await startBench({ script, chat: {} });
  await bench.publishAlert();
  await bench.deliverNext();
  for (const session of ['last', '2026-11-22-order-slow-3f2a1c', '2026-11-22'])
    expect(await call(bench, 'ask', session)).toMatchObject({
      code: 2,
      stderr: [`inquest: \`ask ${session}\` needs a question: \`inquest ask ${session} "QUESTION"\``],
    });
  expect(await call(bench, 'ask', 'last', '  ')).toMatchObject({
    code: 2,
    stderr: ['inquest: the question cannot be asked: it is empty; write the question. Nothing was stored.'],
  });
  const running = await call(bench, 'ask', 'last', 'Why?');
  expect(running.code).toBe(1);
  expect(running.stderr[0]).toMatch(
    /the investigation of session \S+ runs \(in_progress\): .*inquest guide /,
  );
  expect(await call(bench, 'ask', 'last', 'Why?', '--chain', 'x')).toMatchObject({
    code: 2,
    stderr: ['inquest: --chain is for a new chat; leave it out, or leave the session out'],
  });
  expect((await call(bench, 'ask', 'nothing-like-it', 'Why?')).code).toBe(1);
  const unknown = await call(bench, 'ask', 'Why?', '--chain', 'nothing');
  expect(unknown).toMatchObject({ code: 1, stdout: [] });
  expect(unknown.stderr[0]).toContain('unknown chain "nothing"');
});
