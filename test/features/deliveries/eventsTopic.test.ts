// The topic of events over the wire: every event of a system that runs is a CloudEvent with the id of its
// message, and its data keeps the schema in docs/events.

import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Message, PubSub } from '@google-cloud/pubsub';
import { expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { createDestinations } from '../../../shared/destinations/createDestinations.ts';
import { resendMessage } from '../../../shared/features/deliveries/resendMessage.ts';
import { decideApproval } from '../../../shared/kits/approvals/decideApproval.ts';
import { listApprovals } from '../../../shared/kits/views/listApprovals.ts';
import { deliveryGroupType, deliveryType, paths } from '../../../shared/lists/documents.ts';
import { destinationServices } from '../../../shared/wiring/destinationServices.ts';
import { startBench } from '../../support/harness.ts';
import { temporaryFolder } from '../../support/ownConfig.ts';
import { startJournalServer } from '../../tools/httpServer.ts';

const SCHEMAS = new URL('../../../docs/events/', import.meta.url);
const schemaOf = (type: string) =>
  z.fromJSONSchema(JSON.parse(readFileSync(new URL(`${type}.json`, SCHEMAS), 'utf8')));
const WHEN = ['opened', 'approval', 'ended', 'failed', 'deferred', 'rejected', 'outcome'];

/** A system with a budget of one session an hour, whose agent asks for an approval. */
async function withTopic() {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'journal'), '');
  const journal = await startJournalServer(join(folder, 'journal'));
  onTestFinished(() => journal.close());
  const projectId = `demo-${randomUUID().slice(0, 8)}`;
  const pubsub = new PubSub({ projectId, clientOptions: { universe_domain: 'googleapis.com' } });
  onTestFinished(() => pubsub.close());
  const services = destinationServices({ GOOGLE_CLOUD_PROJECT: projectId, INQUEST_NAME: 'shop' });
  const order = { approval: 'required' as const };
  const bench = await startBench({
    deadlineMs: 40 * 60_000,
    agent: { tools: ['journal'] },
    servers: { journal: { transport: 'http' as const, url: journal.url, tools: { order, change: order } } },
    budgets: { sessionsPerHour: [{ chain: null, limit: 1 }] },
    script: {
      conversations: [
        { turns: [{ toolCalls: [{ name: 'journal.order', args: { to: 1 } }] }, { text: 'Done.' }] },
      ],
    },
    notify: () => [{ to: 'events', when: WHEN, digestMs: null }],
    destinations: createDestinations(
      { events: { kind: 'pubsub', tenants: ['default'], onDoubt: 'repeat', settings: {} } },
      services,
    ),
  });
  return { ...bench, pubsub };
}

it('every event is a CloudEvent in the binary mode, once, with the id of its message and the published schema', async () => {
  const { pubsub, deps, publishAlert, drain } = await withTopic();
  const alert = { title: 'Checkout is slow', severity: 'critical' };
  const sessionId = await publishAlert(alert);
  await drain();
  const deliveriesOf = async (id: string) =>
    (await deps.store.list({ collection: paths.deliveries(id) }, deliveryType)).map(({ value }) => value);
  // Its creation is up to the operator.
  const failure = { code: 'topic_not_found', message: expect.stringContaining('shop-events') };
  expect(await deliveriesOf(sessionId)).toMatchObject([
    { event: 'approval', state: 'failed', failure },
    { event: 'opened', state: 'failed', failure },
    // A topic has no edits.
    { event: 'progress', state: 'skipped' },
  ]);
  const [topic] = await pubsub.createTopic('shop-events');
  const [subscription] = await topic.createSubscription('test');
  const received: Message[] = [];
  subscription.on('message', (message: Message) => {
    message.ack();
    received.push(message);
  });
  onTestFinished(() => subscription.close());
  for (const id of ['events.opened.1', `events.approval.${(await deliveriesOf(sessionId))[0]?.key}`])
    expect(await resendMessage(sessionId, id, deps)).toMatchObject({ kind: 'requested' });
  await drain();
  const [approval] = await listApprovals(deps.store, deps.clock.now());
  const decision = { verdict: 'approved', by: 'jane', reason: null } as const;
  await decideApproval(approval?.approvalId ?? '', decision, deps);
  await drain();
  const deferredId = await publishAlert(alert);
  await publishAlert('{"title":');
  await drain();
  await expect.poll(() => received.length).toBeGreaterThanOrEqual(5);

  const events = received.map(({ attributes, data }) => ({ attributes, data: JSON.parse(data.toString()) }));
  const typesOf = (id: string) =>
    events
      .filter(({ data }) => data.session?.sessionId === id)
      .map(({ attributes }) => attributes['ce-type'])
      .sort();
  expect(typesOf(sessionId)).toEqual(
    ['ended', 'opened', 'waiting'].map((name) => `com.inquest.session.${name}.v1`),
  );
  expect(typesOf(deferredId)).toEqual(['com.inquest.session.deferred.v1']);
  const sent = [...(await deliveriesOf(sessionId)), ...(await deliveriesOf(deferredId))].filter(
    ({ state }) => state === 'sent',
  );
  const groups = await deps.store.list({ collection: 'deliveryGroups' }, deliveryGroupType);
  const causes = [
    ...sent.map((one) => ({ id: `${one.sessionId}.events.${one.event}.${one.key}`, at: one.createdAt })),
    ...groups.map(({ id, value }) => ({ id, at: value.createdAt })),
  ];
  const times = Object.fromEntries(causes.map(({ id, at }) => [id, at.toISOString()]));
  expect(events.map(({ attributes }) => attributes['ce-id']).sort()).toEqual(Object.keys(times).sort());
  for (const { attributes, data } of events) {
    const { 'ce-id': id = '', 'ce-type': type = '', ...others } = attributes;
    expect(others).toEqual({
      'ce-specversion': '1.0',
      'ce-source': `/inquest/${pubsub.projectId}/shop`,
      'ce-time': times[id],
      'content-type': 'application/json',
      ...(data.session !== null && { 'ce-subject': `sessions/${data.session.sessionId}` }),
    });
    expect(readdirSync(SCHEMAS)).toContain(`${type}.json`);
    expect(schemaOf(type).safeParse(data).error).toBeUndefined();
  }
});
