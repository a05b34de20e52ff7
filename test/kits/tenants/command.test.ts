// Every command about sessions, asked for the wrong tenant.

import { PubSub } from '@google-cloud/pubsub';
import { expect, it, onTestFinished } from 'vitest';
import { TOPICS } from '../../../shared/core/contract/publisher.ts';
import { callCommand } from '../../support/callCommand.ts';
import { type Bench, startBench } from '../../support/harness.ts';

const script = { conversations: [{ turns: [{ text: 'Out of memory.' }] }] };
const call = ({ projectId }: Bench, args: string[], env: Record<string, string> = {}) =>
  callCommand(args, { GOOGLE_CLOUD_PROJECT: projectId, NO_COLOR: '1', ...env });

it('a command finds sessions of its tenant only; sessions of other tenants behave as if they did not exist', async () => {
  const bench = await startBench({ script, chat: {} });
  const acme = await bench.publishAlert({ title: 'Acme' }, { tenant: 'acme' });
  const other = await bench.publishAlert({ title: 'Other' }, { tenant: 'other' });
  const untold = await bench.publishAlert({ title: 'Untold' });
  await bench.drain();
  const listed = async (...args: string[]) =>
    (await call(bench, ['list', '--json', ...args])).stdout.map((line) => JSON.parse(line).sessionId);
  expect(await listed()).toEqual([untold]);
  expect(await listed('--tenant', '')).toEqual([untold]);
  expect(await listed('--tenant', 'acme', '--limit', '1')).toEqual([acme]);
  expect(await listed('--tenant', 'other', '--status', 'completed')).toEqual([other]);
  expect(await listed('--tenant', 'nobody')).toEqual([]);

  const commands = [
    ['show'],
    ['watch'],
    ['rerun', '--no-follow'],
    ['guide', 'Look at the node.'],
    ['guide', '--list'],
    ['pause'],
    ['resume'],
    ['cancel'],
    ['start-deferred'],
    ['ask', 'What is it?'],
  ];
  for (const [name = '', ...rest] of commands) {
    const asked = (session: string) => call(bench, [name, session, ...rest, '--tenant', 'other']);
    const refused = await asked(acme);
    const unknown = await asked('nothing');
    expect(refused, name).toMatchObject({ code: 1, stdout: [] });
    expect(refused.stderr.join('\n'), name).toContain('there is no session');
    expect(refused.stderr, name).toEqual(unknown.stderr.map((line) => line.replace('nothing', acme)));
  }
  expect((await call(bench, ['list', '--after', acme, '--tenant', 'other'])).code).toBe(1);
  expect((await call(bench, ['show', 'last', '--tenant', 'nobody'])).stderr.join()).toContain(
    'tenant nobody',
  );

  const own = await call(bench, ['show', acme.slice(0, -2), '--json', '--tenant', 'acme']);
  expect(JSON.parse(own.stdout[0] ?? '')).toMatchObject({
    sessionId: acme,
    tenantId: 'acme',
    finalAnalysis: 'Out of memory.',
  });
  // The variable stands in for the option.
  expect((await call(bench, ['show', 'last'], { INQUEST_TENANT: 'acme' })).stdout.join('\n')).toContain(
    'Out of memory.',
  );
  const wrong = await call(bench, ['show', acme, '--tenant', 'a/b']);
  expect(wrong.code).toBe(2);
  expect(wrong.stderr.join('\n')).toContain('the name of a tenant: must start with a letter or digit');
});

it('send and ask print the tenant and the user of the session', async () => {
  const bench = await startBench({ script });
  const pubsub = new PubSub({
    projectId: bench.projectId,
    clientOptions: { universe_domain: 'googleapis.com' },
  });
  onTestFinished(() => pubsub.close());
  const [topic] = await pubsub.createTopic(TOPICS.alerts);
  const [subscription] = await topic.createSubscription('taken-by-the-test');
  const attributes = new Promise((resolve) =>
    subscription.once('message', (message) => {
      message.ack();
      resolve(message.attributes);
    }),
  );
  const owner = ['--tenant', 'acme', '--user', 'u-7', '--no-follow'];
  const sent = await call(bench, [
    'send',
    'examples/crashloop/alert.json',
    ...owner,
    '--attribute',
    'env=prod',
  ]);
  expect(sent.stderr.join('\n')).toContain('published message');
  expect(await attributes).toEqual({ tenant: 'acme', user: 'u-7', env: 'prod' });

  await pubsub.createTopic(TOPICS.iterations);
  expect((await call(bench, ['ask', 'Which pods restarted?', ...owner])).code).toBe(0);
  const shown = await call(bench, ['show', 'last', '--tenant', 'acme', '--json']);
  expect(JSON.parse(shown.stdout[0] ?? '')).toMatchObject({ kind: 'chat', tenantId: 'acme', userId: 'u-7' });
  const about = await call(bench, ['ask', 'last', 'Since when?', ...owner]);
  expect(about).toMatchObject({ code: 2, stderr: [expect.stringContaining('--user is for a new chat')] });
});
