// Messages are part of the batch that causes them, and are requested after it.

import { expect, it } from 'vitest';
import { outboxStore } from '../../../../test/support/outboxStore.ts';
import { SAMPLE_TIME, sampleApproval, sampleSession } from '../../../../test/support/samples.ts';
import { notifyPart } from '../../../config/notified.ts';
import { createDocument, replaceDocument } from '../../../core/contract/store.ts';
import { NO_PARTS, withPart } from '../../../core/schema/parts.ts';
import type { Outcome } from '../../../kits/alerts/outcome.ts';
import { approvalType, deliveryType, outcomeType, paths, sessionType } from '../../../lists/documents.ts';
import { createLogger } from '../../../log.ts';
import { createMemoryPublisher } from '../../../store/memory/memoryPublisher.ts';
import { createMemoryStore } from '../../../store/memory/memoryStore.ts';

const SESSION = sampleSession({
  status: 'completed',
  ...withPart(notifyPart, NO_PARTS, {
    notify: [{ to: 'oncall', when: ['ended', 'outcome'], digestMs: null }],
  }),
});
const PATH = paths.session(SESSION.sessionId);
const END = createDocument(PATH, sessionType, SESSION);

function open() {
  const store = createMemoryStore(() => SAMPLE_TIME);
  const publisher = createMemoryPublisher();
  const batches: number[] = [];
  const counted: typeof store = {
    ...store,
    commit: (writes) => {
      batches.push(writes.length);
      return store.commit(writes);
    },
  };
  const log = createLogger({ LOG_LEVEL: 'silent' });
  const outbox = outboxStore(counted, { publisher, clock: { now: () => SAMPLE_TIME }, log });
  const stored = async () =>
    (await store.list({ collection: paths.deliveries(SESSION.sessionId) }, deliveryType)).map(
      ({ value: { event, key } }) => `${event}.${key}`,
    );
  return { outbox, publisher, batches, stored };
}

it('the end of a session and its messages are one batch, whose failure stores and requests nothing', async () => {
  const { outbox, publisher, batches, stored } = open();
  const result = await outbox.commit([END]);
  expect(result).toMatchObject({ ok: true });
  expect([batches, await stored()]).toEqual([[3], ['details.1', 'ended.1']]);
  expect(publisher.published).toHaveLength(1);
  expect(await outbox.commit([END])).toMatchObject({ ok: false });
  expect(publisher.published).toHaveLength(1);
});

it('a request that is not published leaves the batch as it is', async () => {
  const { outbox, publisher, stored } = open();
  publisher.publish = () => Promise.reject(new Error('no topic'));
  expect(await outbox.commit([END])).toMatchObject({ ok: true });
  expect(await stored()).toHaveLength(2);
});

it('an outcome that is stored again causes no second message', async () => {
  const { outbox, stored } = open();
  await outbox.commit([END]);
  const times = { expireAt: SAMPLE_TIME, createdAt: SAMPLE_TIME };
  const check = { stageId: '1-x', startedAt: SAMPLE_TIME, endedAt: SAMPLE_TIME, results: [] };
  const call = { id: 'a.p1', executionId: '1-x-a', tool: 'shop.get', arguments: '{}', action: null };
  const probe = { ...call, find: '/up', is: 'present' as const, value: null };
  const outcome: Outcome = {
    sessionId: SESSION.sessionId,
    probes: [probe],
    value: 'held',
    reason: 'It ended.',
    checks: [check],
    dueAt: null,
    ...times,
  };
  const path = paths.outcome(SESSION.sessionId);
  const first = await outbox.commit([createDocument(path, outcomeType, outcome)]);
  if (!first.ok) throw new Error('the outcome was not stored');
  const [version] = first.versions;
  if (version === undefined) throw new Error('the outcome has no version');
  expect(await outbox.commit([replaceDocument(path, outcomeType, outcome, version)])).toMatchObject({
    ok: true,
  });
  expect(await stored()).toEqual(['details.1', 'ended.1', 'outcome.held']);
});

it('an approval whose time is extended causes no second message', async () => {
  const { outbox, stored } = open();
  const notify = [{ to: 'oncall', when: ['approval'], digestMs: null }];
  await outbox.commit([
    createDocument(PATH, sessionType, sampleSession(withPart(notifyPart, NO_PARTS, { notify }))),
  ]);
  const approval = sampleApproval({ sessionId: SESSION.sessionId, status: 'pending' });
  const path = paths.approval(approval.approvalId);
  const first = await outbox.commit([createDocument(path, approvalType, approval)]);
  const [version] = first.ok ? first.versions : [];
  if (version === undefined) throw new Error('the approval was not stored');
  const longer = { ...approval, until: new Date(approval.until.getTime() + 60_000) };
  expect(await outbox.commit([replaceDocument(path, approvalType, longer, version)])).toMatchObject({
    ok: true,
  });
  expect(await stored()).toEqual([`approval.${approval.approvalId}`]);
});
