import { PassThrough } from 'node:stream';
import { PubSub } from '@google-cloud/pubsub';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createApprovalAsker } from '../../../cli/alert/askApproval.ts';
import { openOwnApi } from '../../../cli/api/ownApi.ts';
import { TOPICS } from '../../../shared/core/contract/publisher.ts';
import { publishIteration } from '../../../shared/core/kernel/state/nextIteration.ts';
import type { TimelineEvent } from '../../../shared/core/schema/timelineEvent.ts';
import { listApprovals } from '../../../shared/kits/views/listApprovals.ts';
import { callCommand } from '../../support/callCommand.ts';
import { startCommand } from '../../support/cli.ts';
import { listToolResults } from '../../support/expectations.ts';
import { IS_FULL } from '../../support/fullTests.ts';
import { type Bench, opened } from '../../support/harness.ts';
import { startStatelessServer } from '../../tools/httpServer.ts';

/** An investigation whose only call waits for approval. */
async function waiting() {
  const server = await startStatelessServer();
  onTestFinished(() => server.close());
  const bench = await opened({
    deadlineMs: 40 * 60_000,
    agent: { tools: ['desk'] },
    servers: {
      desk: {
        transport: 'http',
        url: server.url,
        tools: { echo: { approval: 'required' } },
        trustHints: false,
      },
    },
    script: {
      conversations: [
        { turns: [{ toolCalls: [{ name: 'desk.echo', args: { to: 'you' } }] }, { text: 'Done.' }] },
      ],
    },
  });
  await bench.deliverNext();
  const [approval] = await listApprovals(bench.deps.store, bench.deps.clock.now());
  if (approval === undefined) throw new Error('nothing waits');
  // The command publishes to the real topic without listeners; the bench's message continues.
  const pubsub = new PubSub({ projectId: bench.projectId });
  await pubsub.createTopic(TOPICS.iterations);
  await pubsub.close();
  const finish = async () => {
    await publishIteration(bench.deps.publisher, (await bench.read(bench.sessionId)).execution);
    await bench.drain();
    return bench.read(bench.sessionId);
  };
  return { ...bench, approval, id: approval.approvalId, finish };
}

const run = ({ projectId }: Bench, ...args: string[]) =>
  callCommand(args, { GOOGLE_CLOUD_PROJECT: projectId });

it('approvals lists pending calls as text and as JSON; approve lets a call run, and a second decision is refused', async () => {
  const bench = await waiting();
  const { id, sessionId } = bench;
  const list = await run(bench, 'approvals');
  expect(list).toMatchObject({ code: 0, stderr: [] });
  expect(list.stdout[0]).toBe(`${id}  desk.echo {"to":"you"}`);
  expect(list.stdout[1]).toContain(`investigator in session ${sessionId}, since `);
  expect(list.stdout[1]).toMatch(/, since \d+ min, for another \d+ min \(until \S+Z\)$/);
  const json = await run(bench, 'approvals', '--json');
  expect(json.stdout.map((line) => JSON.parse(line))).toMatchObject([{ approvalId: id, status: 'pending' }]);

  // As a person may type it.
  expect(await run(bench, 'approve', id.replace('-', '').toUpperCase(), '--by', 'jane')).toEqual({
    code: 0,
    stdout: [`approved desk.echo in session ${sessionId}, by jane`],
    stderr: [],
  });
  const again = await run(bench, 'approve', id, '--by', 'jane', '--json');
  expect(again.code).toBe(0);
  expect(JSON.parse(again.stdout[0] ?? '')).toMatchObject({ status: 'approved', decidedBy: 'jane' });
  const late = await run(bench, 'deny', id, '--by', 'joe');
  expect(late).toMatchObject({ code: 1, stdout: [] });
  expect(late.stderr[0]).toMatch(`inquest: ${id} was already decided by jane: approved at `);
  expect((await run(bench, 'approvals')).stdout[0]).toMatch(/^nothing waits for approval in project /);

  const investigation = await bench.finish();
  expect(listToolResults(investigation)).toMatchObject([{ status: 'completed' }]);
  expect(investigation.session.status).toBe('completed');
});

it('deny gives the agent the reason, in the name of the user of this machine', async () => {
  const bench = await waiting();
  const denied = await run(bench, 'deny', bench.id, '--reason', 'Not on a Friday.');
  expect(denied).toMatchObject({ code: 0, stderr: [] });
  const results = listToolResults(await bench.finish());
  expect(results[0]?.content).toMatch(/denied desk\.echo\. The reason: Not on a Friday\./);
});

it.each([
  [
    'an id that there is not',
    ['approve', 'aaaaa-aaaaa'],
    1,
    /^inquest: there is no approval aaaaa-aaaaa in project /,
  ],
  [
    'what is no id',
    ['approve', 'sessions/x'],
    2,
    /^inquest: "sessions\/x" is not the id of an approval; one looks like/,
  ],
  ['an empty name', ['approve', 'aaaaa-aaaaa', '--by', ' '], 2, /^inquest: --by is empty; give it a text/],
  [
    'two lines',
    ['deny', 'aaaaa-aaaaa', '--reason', 'a\nb'],
    2,
    /^inquest: --reason must be one line of plain text/,
  ],
])('%s is refused', async (_, args, code, said) => {
  const refused = await callCommand(args, { GOOGLE_CLOUD_PROJECT: 'demo-nothing' });
  expect(refused).toMatchObject({ code, stdout: [] });
  expect(refused.stderr[0]).toMatch(said);
});

it('on a terminal the question is asked when a call waits, and the answer decides', async () => {
  const bench = await waiting();
  const { timeline } = await bench.read(bench.sessionId);
  const request = timeline.find(({ eventType }) => eventType === 'notice') as TimelineEvent;
  const [input, output] = [new PassThrough(), new PassThrough()];
  vi.stubEnv('GOOGLE_CLOUD_PROJECT', bench.projectId);
  onTestFinished(() => void vi.unstubAllEnvs());
  const { api, close } = openOwnApi({ database: 'cloud' });
  onTestFinished(close);
  const asker = createApprovalAsker(api, { input, output });
  asker.event(request);
  await expect.poll(() => String(output.read() ?? '')).toContain('Approve?');
  input.write('y\n');
  await expect.poll(() => listApprovals(bench.deps.store, bench.deps.clock.now())).toEqual([]);
  expect(listToolResults(await bench.finish()).map(({ status }) => status)).toEqual(['completed']);
  asker.close();
});

it.runIf(IS_FULL)('demo prints the command that approves the call, and continues after it', async () => {
  const demo = startCommand(['demo', 'approval'], {
    FIRESTORE_EMULATOR_HOST: undefined,
    PUBSUB_EMULATOR_HOST: undefined,
    GOOGLE_CLOUD_PROJECT: undefined,
  });
  await demo.line(/ approve [0-9a-z]{5}-[0-9a-z]{5}$/);
  const line = demo.stdout.find((text) => / approve /.test(text))?.trim() ?? '';
  const variables = Object.fromEntries(
    [...line.matchAll(/([A-Z_]+)=(\S+)/g)].map(([, name, value]) => [name, value]),
  );
  const id = line.split(' ').at(-1) ?? '';
  expect(await callCommand(['approve', id], variables)).toMatchObject({ code: 0, stderr: [] });
  expect(await demo.ended).toEqual({ code: 0, signal: null });
  const said = demo.stdout.join('\n');
  expect(said).toMatch(/NEEDS APPROVAL[\s\S]* approved kubernetes\.restart_deployment[\s\S]*FINAL ANALYSIS/);
  expect(said).toContain('deployment.apps/checkout restarted');
  const notes = demo.stderr.join('\n');
  expect(notes).toMatch(/^no terminal to ask on: waiting for approve or deny from another terminal, until/m);
  expect(notes).toMatch(/^Next:\n {2}npx --no inquest init my-config /m);
});
