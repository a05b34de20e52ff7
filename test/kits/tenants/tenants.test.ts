import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { Store } from '../../../shared/core/contract/store.ts';
import { cancelSession } from '../../../shared/core/session/cancelSession.ts';
import { startDeferred } from '../../../shared/core/session/startDeferred.ts';
import { prepareRerun } from '../../../shared/features/rerun/routes.ts';
import { decideApproval } from '../../../shared/kits/approvals/decideApproval.ts';
import { askQuestion } from '../../../shared/kits/questions/askQuestion.ts';
import { addGuidance } from '../../../shared/kits/steering/addGuidance.ts';
import { pauseSession, resumeSession } from '../../../shared/kits/steering/pauseSession.ts';
import { tenantStore } from '../../../shared/kits/tenants/tenantStore.ts';
import { listApprovals } from '../../../shared/kits/views/listApprovals.ts';
import { listGuidance } from '../../../shared/kits/views/listGuidance.ts';
import { approvalType, paths } from '../../../shared/lists/documents.ts';
import type { createMemoryStore } from '../../../shared/store/memory/memoryStore.ts';
import { type Bench, startBench } from '../../support/harness.ts';

const ACME = { tenant: 'acme', user: 'ada' };
const script = { conversations: [{ turns: [{ text: 'Out of memory.' }] }] };
const SERVER = {
  transport: 'stdio' as const,
  command: process.execPath,
  args: [fileURLToPath(new URL('../../tools/stdioServer.ts', import.meta.url))],
};
const restart = { toolCalls: [{ name: 'process.echo', args: { text: 'a' } }] };

/** A bench with a session of the tenant `acme`, whose first iterations are published. */
async function ofAcme(options: Partial<Parameters<typeof startBench>[0]> = {}, alert?: unknown) {
  const bench = await startBench({ script, inMemory: true, chat: {}, ...options });
  const sessionId = await bench.publishAlert(alert, ACME);
  await bench.deliverNext();
  return { ...bench, sessionId };
}

/** The dependencies of who asks for a tenant. */
const asTenant = ({ deps }: Bench, tenant: string) => ({ ...deps, store: tenantStore(deps.store, tenant) });
const documentsOf = (store: Store) =>
  structuredClone((store as ReturnType<typeof createMemoryStore>).documents());

describe('an alert with the attributes tenant and user', () => {
  it('opens a session of that tenant and user; without them one without a user in the default tenant', async () => {
    const bench = await ofAcme();
    const { session } = await bench.read(bench.sessionId);
    expect(session).toMatchObject({ tenantId: 'acme', userId: 'ada' });
    const other = await bench.publishAlert({ title: 'Other' });
    await bench.drain();
    expect((await bench.read(other)).session).toMatchObject({ tenantId: 'default', userId: null });
  });

  it('is rejected for a tenant that there cannot be', async () => {
    const bench = await startBench({ script, inMemory: true });
    await bench.publishAlert({ title: 'A' }, { tenant: 'a/b' });
    await bench.drain();
    expect(await bench.rejected()).toMatchObject([
      {
        failure: {
          code: 'MESSAGE_MALFORMED',
          message: expect.stringMatching(/^attribute tenant: must start/),
        },
      },
    ]);
    expect(documentsOf(bench.deps.store).filter(({ path }) => path.startsWith('sessions/'))).toEqual([]);
  });

  it('is run again for the same tenant and user', async () => {
    const bench = await ofAcme();
    const prepared = await prepareRerun(bench.sessionId, undefined, asTenant(bench, 'acme'));
    expect(prepared).toMatchObject({ kind: 'rerun', attributes: { ...ACME, rerunOf: bench.sessionId } });
  });
});

describe('a session of another tenant', () => {
  type Deps = ReturnType<typeof asTenant>;
  const by = 'eve';
  const actions: [string, (sessionId: string, deps: Deps) => Promise<unknown>][] = [
    ['cancelled', (id, deps) => cancelSession(id, deps, { by, reason: null })],
    ['paused', (id, deps) => pauseSession(id, { by }, deps)],
    ['resumed', (id, deps) => resumeSession(id, { by }, deps)],
    ['told something', (id, deps) => addGuidance(id, { text: 'Stop.', by }, deps)],
    ['started', (id, deps) => startDeferred(id, deps)],
    ['asked', (id, deps) => askQuestion(id, { text: 'What is it?', by }, deps)],
    ['run again', (id, deps) => prepareRerun(id, undefined, deps)],
  ];

  it.each(actions)(
    'cannot be %s: it is answered as one that is not there, and is not changed',
    async (_, act) => {
      const bench = await ofAcme();
      const before = documentsOf(bench.deps.store);
      const published = bench.deps.publisher.published.length;
      const eve = asTenant(bench, 'default');
      const outcome = await act(bench.sessionId, eve);
      expect(outcome).toEqual({ kind: 'unknown_session' });
      expect(outcome).toEqual(await act('nothing', eve));
      expect(documentsOf(bench.deps.store)).toEqual(before);
      expect(bench.deps.publisher.published).toHaveLength(published);
      // It is there for its own tenant.
      expect(await act(bench.sessionId, asTenant(bench, 'acme'))).not.toEqual({ kind: 'unknown_session' });
    },
  );

  it('shows no approvals and no guidance, and accepts no decision', async () => {
    const bench = await ofAcme({
      script: { conversations: [{ turns: [restart, { text: 'Restarted.' }] }] },
      agent: { tools: ['process'] },
      deadlineMs: 40 * 60_000,
      servers: { process: { ...SERVER, trustHints: false, tools: { echo: { approval: 'required' } } } },
    });
    await addGuidance(bench.sessionId, { text: 'Look.', by }, asTenant(bench, 'acme'));
    await bench.drain();
    const now = bench.deps.clock.now();
    const [eve, ada] = [asTenant(bench, 'default'), asTenant(bench, 'acme')];
    const [approval] = await listApprovals(ada.store, now);
    if (approval === undefined) throw new Error(JSON.stringify((await bench.read(bench.sessionId)).timeline));
    expect(await listApprovals(eve.store, now)).toEqual([]);
    expect((await listGuidance(bench.sessionId, eve.store)).items).toEqual([]);
    expect((await listGuidance(bench.sessionId, ada.store)).items).toHaveLength(1);
    const verdict = { verdict: 'approved' as const, by, reason: null };
    expect(await decideApproval(approval.approvalId, verdict, eve)).toEqual({ kind: 'unknown' });
    const stored = await bench.deps.store.get(paths.approval(approval.approvalId), approvalType);
    expect(stored?.value.status).toBe('pending');
    expect(await decideApproval(approval.approvalId, verdict, ada)).toMatchObject({ kind: 'decided' });
    await bench.drain();
    expect((await bench.read(bench.sessionId)).session).toMatchObject({ status: 'completed' });
  });
});
