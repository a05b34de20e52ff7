// Decisions that are written into the database without a key: what `roles/datastore.user` allows.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Firestore } from '@google-cloud/firestore';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { PendingCall } from '../../../shared/core/schema/execution.ts';
import {
  createOwnSignatures,
  createSigner,
  createVerifier,
  generateDecisionKeys,
} from '../../../shared/kits/access/signatures.ts';
import { decideApproval } from '../../../shared/kits/approvals/decideApproval.ts';
import { listApprovals } from '../../../shared/kits/views/listApprovals.ts';
import { paths } from '../../../shared/lists/documents.ts';
import { EXECUTION, opened } from '../../support/harness.ts';
import { temporaryFolder } from '../../support/ownConfig.ts';
import { startJournalServer } from '../../tools/httpServer.ts';

const jane = { verdict: 'approved', by: 'jane', reason: null } as const;

/** An investigation that waits for the approval of a call, and a client of its database. */
async function waiting() {
  const folder = temporaryFolder();
  const file = join(folder, 'journal');
  writeFileSync(file, '');
  const journal = await startJournalServer(file);
  onTestFinished(() => journal.close());
  const bench = await opened({
    deadlineMs: 40 * 60_000,
    inMemory: false,
    agent: { tools: ['journal'] },
    servers: {
      journal: {
        transport: 'http',
        url: journal.url,
        tools: { order: { approval: 'required' }, change: { approval: 'none' } },
      },
    },
    script: {
      conversations: [
        { turns: [{ toolCalls: [{ name: 'journal.order', args: { to: 1 } }] }, { text: 'Done.' }] },
      ],
    },
  });
  await bench.deliverNext();
  const [approval] = await listApprovals(bench.deps.store, bench.deps.clock.now());
  if (approval === undefined) throw new Error('nothing waits');
  const firestore = new Firestore({ projectId: bench.projectId, preferRest: false });
  onTestFinished(() => firestore.terminate());
  return {
    ...bench,
    approval,
    decided: firestore.doc(paths.approval(approval.approvalId)),
    execution: firestore.doc(paths.execution(bench.sessionId, EXECUTION)),
    /** The names of the tools that ran. */
    async finish() {
      await bench.drain();
      const run = await bench.read(bench.sessionId);
      expect(run.session.status).toBe('completed');
      const ran = readFileSync(file, 'utf8')
        .split('\n')
        .flatMap((line) => line.split(' ')[0] || []);
      const errors = run.timeline.flatMap(({ eventType, metadata }) =>
        eventType === 'error' && 'code' in metadata ? [metadata.code] : [],
      );
      return { ran, errors };
    },
  };
}

const REFUSED = { ran: [], errors: ['APPROVAL_INVALID'] };

describe('an approval that is written with a client of Firestore', () => {
  it('without a signature runs nothing, and is an error of the session', async () => {
    const { decided, execution, finish, deps, approval, ...bench } = await waiting();
    await decided.update({ status: 'approved', decidedBy: 'jane', decidedAt: new Date() });
    const stored = (await execution.get()).data();
    const calls = stored?.pendingCalls.map((call: object) => ({
      ...call,
      state: 'requested',
      approval: { by: 'jane', at: new Date() },
    }));
    await execution.update({ status: 'active', pendingCalls: calls, due: { b0: new Date(0) } });
    await bench.deliver(deps.publisher.published.at(-1) as never);
    expect(await finish()).toEqual(REFUSED);
  });

  it('with a signature of another key runs nothing', async () => {
    const { finish, deps, approval } = await waiting();
    await decideApproval(approval.approvalId, jane, { ...deps, ...createOwnSignatures() });
    expect(await finish()).toEqual(REFUSED);
  });

  it.each<[string, object]>([
    ['person', { decidedBy: 'joe' }],
    ['time', { decidedAt: new Date('2026-01-01T00:00:00Z') }],
    ['signature', { signature: null }],
  ])('with another %s than the signed one runs nothing', async (_, change) => {
    const { finish, deps, approval, decided } = await waiting();
    await decideApproval(approval.approvalId, jane, deps);
    await decided.update({ ...change });
    expect(await finish()).toEqual(REFUSED);
  });

  it('of other arguments than those that were shown runs nothing', async () => {
    const { finish, deps, approval, decided } = await waiting();
    await decided.update({ arguments: '{"to":2}' });
    await decideApproval(approval.approvalId, jane, deps);
    expect(await finish()).toEqual(REFUSED);
  });

  it('cannot pass the call off as one that needs no approval', async () => {
    const { execution, finish, deps, ...bench } = await waiting();
    const stored = (await execution.get()).data();
    const calls = stored?.pendingCalls.map(
      ({ waits: _, waitsFor: __, toolDigest: ___, ...call }: PendingCall) => ({
        ...call,
        name: 'journal.look',
        readOnly: true,
        state: 'requested',
      }),
    );
    await execution.update({ status: 'active', pendingCalls: calls, due: { b0: new Date(0) } });
    await bench.deliver(deps.publisher.published.at(-1) as never);
    expect(await finish()).toEqual(REFUSED);
  });
});

it('a signed approval runs, also after the key was changed, until its public key is removed', async () => {
  const [old, fresh] = [generateDecisionKeys(), generateDecisionKeys()];
  for (const [publicKeys, outcome] of [
    [`${fresh.publicKey},${old.publicKey}`, { ran: ['order'], errors: [] }],
    [fresh.publicKey, REFUSED],
  ] as const) {
    const { finish, deps, approval } = await waiting();
    await decideApproval(approval.approvalId, jane, { ...deps, sign: createSigner(old.privateKey) });
    deps.verify = createVerifier(publicKeys);
    expect(await finish()).toEqual(outcome);
  }
});
