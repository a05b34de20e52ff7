// Acts of a person during an investigation by command: guide, pause, resume.

import { userInfo } from 'node:os';
import { PubSub } from '@google-cloud/pubsub';
import { expect, it, onTestFinished } from 'vitest';
import { TOPICS } from '../../../shared/core/contract/publisher.ts';
import { controlType, paths } from '../../../shared/lists/documents.ts';
import { callCommand } from '../../support/callCommand.ts';
import { runCommand } from '../../support/cli.ts';
import { type Bench, opened } from '../../support/harness.ts';

const done = { conversations: [{ turns: [{ text: 'It was the node.' }] }] };
const settings = ({ projectId }: Bench) => ({ GOOGLE_CLOUD_PROJECT: projectId, NO_COLOR: '1' });
const call = (bench: Bench, ...args: string[]) => callCommand(args, settings(bench));
const user = userInfo().username;

async function createIterationsTopic({ projectId }: Bench): Promise<void> {
  const pubsub = new PubSub({ projectId });
  onTestFinished(() => pubsub.close());
  await pubsub.createTopic(TOPICS.iterations);
}

it('guide, pause and resume print their outcome as text and as JSON; show and the model have the guidance', async () => {
  const bench = await opened({ script: done, deadlineMs: 3_600_000 });
  const { sessionId } = bench;
  const told = await call(bench, 'guide', 'last', 'Look at\u0007 the node.');
  expect(told).toMatchObject({ code: 0, stderr: [] });
  expect(told.stdout).toEqual([
    `session ${sessionId} has guidance 1; its agents read it when they next ask their model`,
  ]);
  expect((await call(bench, 'guide', sessionId, 'Look at\u0007 the node.')).stdout[0]).toContain(
    'had the same guidance 1',
  );
  expect((await call(bench, 'pause', sessionId)).stdout).toEqual([
    `session ${sessionId} is paused; iterations that are under way finish`,
  ]);
  expect((await call(bench, 'pause', sessionId)).stdout[0]).toMatch(
    new RegExp(`^session ${sessionId} was paused before, by ${user} at `),
  );
  await bench.drain();
  expect(bench.gemini.requests).toEqual([]);
  const more = await call(bench, 'guide', sessionId, 'And the disk.', '--by', 'ada', '--json');
  expect(JSON.parse(more.stdout[0] ?? '')).toMatchObject({
    outcome: 'told',
    isPaused: true,
    number: 2,
    text: 'And the disk.',
    givenBy: 'ada',
  });
  const page = (await call(bench, 'show', sessionId)).stdout.join('\n');
  expect(page).toMatch(new RegExp(`^Paused +by ${user} at `, 'm'));
  expect(page).toMatch(/session {2}guidance 2 by ada\n.*And the disk\./);
  expect((await call(bench, 'guide', sessionId, '--list')).stdout).toEqual([
    expect.stringMatching(new RegExp(`^1 .*${user}: not read yet$`)),
    '   Look at\ufffd the node.',
    expect.stringMatching(/^2 .*ada: not read yet$/),
    '   And the disk.',
  ]);

  await createIterationsTopic(bench);
  const resumed = await call(bench, 'resume', sessionId, '--json');
  expect(JSON.parse(resumed.stdout[0] ?? '')).toEqual({ sessionId, outcome: 'resumed', published: 1 });
  expect((await call(bench, 'resume', sessionId)).stdout[0]).toContain('was not paused');
  // The commands publish to a Pub/Sub of their own; here their message comes again.
  const [message] = bench.deps.publisher.published.slice(-1);
  if (message !== undefined) await bench.deliver(message);
  const question = JSON.stringify(bench.gemini.requests[0]?.body);
  expect(question.indexOf('Look at\ufffd the node.')).toBeGreaterThan(0);
  expect(question.indexOf('And the disk.')).toBeGreaterThan(question.indexOf('Look at'));
  const list = await call(bench, 'guide', sessionId, '--list', '--json');
  expect(list.stdout.map((line) => JSON.parse(line).readBy)).toEqual([
    ['01-investigator'],
    ['01-investigator'],
  ]);

  const late = await call(bench, 'guide', sessionId, 'Too late.');
  expect(late).toMatchObject({ code: 1, stdout: [] });
  expect(late.stderr).toEqual([
    `inquest: session ${sessionId} has ended (completed): no agent would read it`,
  ]);
  expect((await call(bench, 'pause', sessionId)).stderr[0]).toContain('there is nothing to pause');
  expect((await call(bench, 'resume', sessionId)).stderr[0]).toContain('there is nothing to resume');
});

it('invalid guidance is refused before anything is stored; standard input is read', async () => {
  const bench = await opened({ script: done });
  const { sessionId } = bench;
  for (const [args, said] of [
    [['guide', sessionId], 'the text is missing'],
    [['guide', sessionId, ' '], 'it is empty. Nothing was stored.'],
    [['guide', sessionId, 'x'.repeat(10_001)], 'it has 10001 characters; at most 10000 are read'],
    [['guide', sessionId, 'x', '--by', ''], '--by is empty'],
    [['guide', sessionId, 'x', '--list'], '--list takes no text'],
    [['pause', 'no/session'], 'session'],
    [['pause'], 'give a session, or --all'],
    [['resume', sessionId, '--all'], 'give a session or --all, not both'],
    [['pause', '--all', '--for', 'soon'], '--for: '],
  ] as const) {
    const { code, stdout, stderr } = await call(bench, ...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: [] });
    expect(stderr.join('\n')).toContain(said);
  }
  expect((await call(bench, 'resume', 'nobody')).code).toBe(1);
  expect(await bench.deps.store.get(paths.control(sessionId), controlType)).toBeUndefined();

  const piped = await runCommand(['guide', sessionId, '-', '--json'], settings(bench), 'Line one.\nTwo.\n');
  expect(JSON.parse(piped.stdout[0] ?? '')).toMatchObject({ text: 'Line one.\nTwo.', number: 1 });
});
