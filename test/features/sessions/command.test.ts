// What a person does with sessions on the command line: list, show, watch, rerun and cancel them.

import { userInfo } from 'node:os';
import { PubSub } from '@google-cloud/pubsub';
import { expect, it, onTestFinished } from 'vitest';
import { TOPICS } from '../../../shared/core/contract/publisher.ts';
import { callCommand } from '../../support/callCommand.ts';
import { type Bench, investigate, opened, startBench } from '../../support/harness.ts';
import { withRawDocument } from '../../support/rawDocument.ts';

const done = { conversations: [{ turns: [{ text: 'Out of memory.' }] }, { turns: [{ text: 'Again.' }] }] };
const call = ({ projectId }: Bench, ...args: string[]) =>
  callCommand(args, { GOOGLE_CLOUD_PROJECT: projectId, NO_COLOR: '1' });
const rowsOf = ({ stdout }: { stdout: string[] }) => stdout.map((line) => JSON.parse(line));

it('list shows the newest first, page by page, by status and time; as many reads as rows', async () => {
  const bench = await startBench({ script: done });
  const ids: string[] = [];
  for (const title of ['First', 'Second', 'Third']) {
    ids.unshift(await bench.publishAlert({ title }));
    const published = bench.deps.publisher.published.at(-1);
    if (published !== undefined) await bench.deliver(published);
    bench.deps.clock.advance(60_000);
  }
  await call(bench, 'cancel', ids[1] ?? '');
  expect(rowsOf(await call(bench, 'list', '--json')).map(({ sessionId }) => sessionId)).toEqual(ids);
  const first = await call(bench, 'list', '--json', '--limit', '2');
  expect(rowsOf(first).map(({ title, status }) => [title, status])).toEqual([
    ['Third', 'in_progress'],
    ['Second', 'cancelled'],
  ]);
  expect(first.stderr).toEqual([`more: --after ${ids[1]}`]);
  const next = await call(bench, 'list', '--json', '--limit', '2', '--after', ids[1] ?? '');
  expect(rowsOf(next).map(({ sessionId }) => sessionId)).toEqual([ids[2]]);
  const cancelled = await call(bench, 'list', '--json', '--status', 'cancelled,failed');
  expect(rowsOf(cancelled).map(({ sessionId }) => sessionId)).toEqual([ids[1]]);
  const since = new Date(bench.deps.clock.now().getTime() - 90_000).toISOString();
  expect(rowsOf(await call(bench, 'list', '--json', '--since', since))).toHaveLength(1);
  expect(rowsOf(await call(bench, 'list', '--json', '--until', since))).toHaveLength(2);
  const table = await call(bench, 'list');
  expect(table.stdout[0]).toMatch(/^SESSION .*PROBLEM .*STATUS .*TIME .*COST .*CHAIN .*ALERT$/);
  expect(table.stdout[1]).toMatch(new RegExp(`^${ids[0]} +Unknown +in_progress .* Third$`));
});

it('list has the sessions of a source, a severity or a chain, and those whose alert or analysis has some words', async () => {
  const run = await investigate({
    script: done,
    alert: { title: 'Disk full', severity: 'critical' },
  });
  const listed = async (...options: string[]) =>
    rowsOf(await call(run, 'list', '--json', ...options)).map(({ sessionId }) => sessionId);
  for (const [option, own, other] of [
    ['--source', 'json,text', 'grafana'],
    ['--severity', 'critical', 'warning'],
    ['--chain', 'test', 'nosuch'],
    ['--text', 'disk memory', 'network'],
  ] as const) {
    expect(await listed(option, own)).toEqual([run.sessionId]);
    expect(await listed(option, other)).toEqual([]);
  }
  const severities = 'abcdefghijklmnopqrstuvwxyzABCDE'.split('').join();
  expect(await call(run, 'list', '--severity', severities)).toMatchObject({ code: 2 });
});

it('list survives documents that no schema takes, and refuses options without a meaning', async () => {
  const bench = await startBench({ script: done });
  await withRawDocument(bench.projectId, 'sessions/broken', (document) =>
    document.set({ createdAt: new Date(), tenantId: 'default', status: 7, alert: 'none' }),
  );
  expect((await call(bench, 'list')).stdout[1]).toMatch(/^broken +- +\? /);
  for (const [option, value] of [
    ['--limit', '0'],
    ['--status', 'done'],
    ['--since', 'yesterday'],
    ['--source', 'nagios'],
    ['--text', '!'],
    ['--after', 'a:b'],
  ] as const) {
    const { code, stdout, stderr } = await call(bench, 'list', option, value);
    expect({ code, stdout }).toEqual({ code: 2, stdout: [] });
    expect(stderr.join('\n')).toContain(`option '${option}`);
  }
});

it('show finds a session by its id, by its start and as the last one', async () => {
  const run = await investigate({ script: done });
  const { sessionId } = run;
  const { code, stdout } = await call(run, 'show', sessionId);
  expect(code).toBe(0);
  expect(stdout.join('\n')).toMatch(
    /^Session +\S+\nProblem +Unknown\nAlert +PodCrashLooping.*\nStatus +completed[\s\S]*\nAnalysis\n {2}Out of memory\.$/,
  );
  for (const reference of [sessionId.slice(0, 12), `sessions/${sessionId}`, 'last']) {
    const shown = JSON.parse((await call(run, 'show', reference, '--json')).stdout[0] ?? '');
    expect(shown).toMatchObject({
      sessionId,
      status: 'completed',
      finalAnalysis: 'Out of memory.',
      stages: [{ executions: [{ status: 'completed', iteration: 1 }] }],
      timeline: [{ eventType: 'final_analysis' }],
    });
  }
  const unknown = await call(run, 'show', 'nobody');
  expect(unknown.code).toBe(1);
  expect(unknown.stderr).toEqual([
    expect.stringMatching(/^inquest: there is no session nobody in .*`inquest list`/),
  ]);
});

it('a start that several sessions share names them, but the whole id of one selects it', async () => {
  const bench = await startBench({ script: done });
  for (const id of ['2026-a', '2026-a-b'])
    await withRawDocument(bench.projectId, `sessions/${id}`, (document) =>
      document.set({ createdAt: new Date(), tenantId: 'default' }),
    );
  const several = await call(bench, 'show', '2026');
  expect(several).toMatchObject({
    code: 2,
    stderr: ['inquest: several sessions start with 2026: 2026-a, 2026-a-b'],
  });
  const whole = await call(bench, 'show', '2026-a');
  expect(whole.stderr).toEqual([expect.stringContaining('sessions/2026-a: schemaVersion is undefined')]);
});

it('watch prints the timeline, and its exit code is the outcome of the session; cancel records user and reason once', async () => {
  const run = await investigate({ script: done });
  const watched = await call(run, 'watch', 'last');
  expect(watched.code).toBe(0);
  expect(watched.stdout.join('\n')).toMatch(/FINAL ANALYSIS\n +Out of memory\./);
  const ended = await call(run, 'watch', 'last', '--from-now');
  expect(ended.stdout.join('\n')).not.toContain('FINAL ANALYSIS');

  const bench = await opened({ script: done });
  await call(bench, 'cancel', 'last', '--reason', 'a drill');
  expect(await call(bench, 'cancel', 'last', '--reason', 'another')).toMatchObject({
    code: 0,
    stdout: [`session ${bench.sessionId} had ended before: cancelled`],
  });
  const cancelled = await call(bench, 'watch', bench.sessionId, '--json');
  expect(cancelled.code).toBe(3);
  const by = userInfo().username;
  expect(rowsOf(cancelled).map(({ content }) => content)).toContain(`Cancelled by ${by}: a drill`);
  expect((await bench.read(bench.sessionId)).session.cancellation).toMatchObject({ by, reason: 'a drill' });
});

it('rerun publishes the stored alert, whose session names the old one; a redelivery opens no further one', async () => {
  const alert = { title: 'Login fails', password: 'hunter2-but-longer', pin_password: 12345678 };
  const run = await investigate({ script: done, alert });
  const clientOptions = { universe_domain: 'googleapis.com' };
  const pubsub = new PubSub({ projectId: run.projectId, clientOptions });
  onTestFinished(() => pubsub.close());
  const [topic] = await pubsub.createTopic(TOPICS.alerts);
  const [subscription] = await topic.createSubscription('taken-by-the-test');
  const message = new Promise<{ data: Buffer; attributes: Record<string, string> }>((resolve) =>
    subscription.once('message', (taken) => {
      taken.ack();
      resolve(taken);
    }),
  );
  const { code, stderr } = await call(run, 'rerun', 'last', '--no-follow');
  expect({ code, first: stderr[0] }).toEqual({
    code: 0,
    first: `rerun of ${run.sessionId}, which ran chain test`,
  });
  const { data, attributes } = await message;
  expect(attributes).toEqual({ rerunOf: run.sessionId });
  expect(data.toString()).not.toMatch(/hunter2|12345678/);

  const published = { id: '77', topic: TOPICS.alerts, data, attributes };
  await run.deliver(published);
  await run.deliver(published);
  const sessions = rowsOf(await call(run, 'list', '--json'));
  expect(sessions.map(({ title, rerunOf }) => [title, rerunOf])).toEqual(
    expect.arrayContaining([
      ['Login fails', null],
      ['Login fails', run.sessionId],
    ]),
  );
  expect(sessions).toHaveLength(2);
});
