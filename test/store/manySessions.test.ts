// Commands and the sweep with many sessions of many tenants: their reads follow what they work on, and a
// second start continues after a death. `INQUEST_TESTS=long` has 20,000 sessions of 50 tenants.

import { expect, it, onTestFinished } from 'vitest';
import { eraseTenant } from '../../cli/erase/erase.ts';
import { FIRESTORE_PRICES } from '../../cli/google/firestorePrices.ts';
import { migrateDocuments } from '../../cli/migration/migrate.ts';
import { putDocument, type Store, type Write } from '../../shared/core/contract/store.ts';
import { sweepSessions } from '../../shared/core/rescue/sweep.ts';
import { rawDocumentType } from '../../shared/core/schema/documentType.ts';
import { tenantSessions } from '../../shared/kits/views/tenantSessions.ts';
import { INDEXED_VERSIONS, paths, sessionType } from '../../shared/lists/documents.ts';
import { createOutdatedDocuments } from '../../shared/store/firestore/outdatedDocuments.ts';
import { createRawDocuments } from '../../shared/store/firestore/rawDocuments.ts';
import { toSession7 } from '../schema/olderSession.ts';
import { IS_LONG } from '../support/fullTests.ts';
import { startBench } from '../support/harness.ts';
import { startLimitedFirestore } from '../support/limitedFirestore.ts';
import { composeSessionId, LONG_AMOUNT, storeSessions } from '../support/manySessions.ts';
import { SAMPLE_TIME, sampleSession } from '../support/samples.ts';

const AMOUNT = {
  ...(IS_LONG ? LONG_AMOUNT : { sessions: 900, tenants: 30 }),
  until: new Date(),
};
/** Longer than any machine takes. */
const LIMIT_MS = 3 * 3_600_000;
const TENANT = 'tenant-1';
/** Sessions of a tenant. */
const OWN = AMOUNT.sessions / AMOUNT.tenants;
/** Sessions that run, and those of release 0.2.0. */
const FEW = 20;

async function start() {
  const firestore = await startLimitedFirestore(1_000_000);
  const bench = await startBench({
    script: { conversations: [{ turns: [{ text: 'Done.' }] }] },
    inMemory: false,
  });
  firestore.clock = bench.deps.clock;
  // Who repeats a write that was refused waits for this clock.
  const ticking = setInterval(() => bench.deps.clock.advance(100), 10);
  onTestFinished(() => clearInterval(ticking));
  const { projectId } = bench;
  const options = { projectId, timeoutMs: 600_000 };
  const { store, written } = countWrites(bench.deps.store);
  const raw = createRawDocuments(options);
  const outdated = createOutdatedDocuments({ ...options, indexed: INDEXED_VERSIONS });
  onTestFinished(async () => void (await Promise.all([raw.close(), outdated.close()])));
  await measure(`storing ${AMOUNT.sessions} sessions`, () => storeSessions(AMOUNT, bench.deps));
  return {
    ...bench.deps,
    store,
    raw,
    outdated,
    /** The documents that are read meanwhile. */
    async countReads(what: string, work: () => Promise<unknown>): Promise<number> {
      const total = async () => {
        const { queries } = await firestore.report();
        const sum = (field: 'documents' | 'indexEntries') =>
          queries.reduce((all, row) => all + row[field], 0);
        return { reads: sum('documents'), entries: sum('indexEntries'), ...written };
      };
      const before = await total();
      await measure(what, work);
      const after = await total();
      const reads = after.reads - before.reads;
      if (IS_LONG)
        console.log(
          `${what}: ${reads} reads, ${after.entries - before.entries} index entries, ${describeWrites(reads, {
            writes: after.writes - before.writes,
            deletions: after.deletions - before.deletions,
          })}`,
        );
      return reads;
    },
  };
}

/** The writes and deletions of a store. */
function countWrites<S extends Pick<Store, 'commit'>>(store: S) {
  const written = { writes: 0, deletions: 0 };
  return {
    written,
    store: {
      ...store,
      commit(writes: Write[]) {
        for (const { op } of writes) written[op === 'delete' ? 'deletions' : 'writes']++;
        return store.commit(writes);
      },
    },
  };
}

function describeWrites(reads: number, { writes, deletions }: { writes: number; deletions: number }): string {
  const { documentRead, documentWrite, documentDelete } = FIRESTORE_PRICES;
  const dollars = reads * documentRead + writes * documentWrite + deletions * documentDelete;
  return `${writes} writes, ${deletions} deletions, $${dollars.toFixed(5)}`;
}

/** Runs `work`, and prints how long it takes where that says something. */
async function measure(what: string, work: () => Promise<unknown>): Promise<void> {
  const startedAt = performance.now();
  await work();
  if (IS_LONG) console.log(`${what}: ${((performance.now() - startedAt) / 1000).toFixed(0)} s`);
}

/** A store whose commits fail after some, as those of a process that has died. */
function dying<S extends { commit(writes: never[]): Promise<unknown> }>(store: S, after: number): S {
  let commits = 0;
  return {
    ...store,
    commit: (writes: never[]) =>
      ++commits > after ? Promise.reject(new Error('died')) : store.commit(writes),
  };
}

it(
  'commands and the sweep read what they work on, and a second start continues',
  async () => {
    const system = await start();
    await sweepHourly(system);
    await migrateTwice(system);
    await eraseTwice(system);
  },
  LIMIT_MS,
);

type System = Awaited<ReturnType<typeof start>>;

/** The tenant goes, after a death; each of its sessions has a fate or key, and a change. */
async function eraseTwice({ store, raw, countReads }: System): Promise<void> {
  const deleted: Record<string, number> = {};
  const progress: string[] = [];
  const deps = {
    store,
    raw,
    dryRun: false,
    onErased(name: string, count: number) {
      deleted[name] = (deleted[name] ?? 0) + count;
    },
    onSession: (done: number, total: number) => void progress.push(`${done} of ${total}`),
  };
  const first = await countReads('erase, until it dies', async () => {
    const dies = eraseTenant(TENANT, { ...deps, store: dying(store, OWN * 1.5) });
    await expect(dies).rejects.toThrow('died');
  });
  const second = await countReads('erase, again', () => eraseTenant(TENANT, deps));
  expect(deleted).toEqual({ sessions: OWN, alertFates: OWN / 2, alertKeys: OWN / 2, changes: OWN });
  const [done, left] =
    /^(\d+) of (\d+)$/
      .exec(progress.at(-1) ?? '')
      ?.slice(1)
      .map(Number) ?? [];
  expect(done).toBe(left);
  expect(left).toBeGreaterThan(0);
  expect(left).toBeLessThan(OWN);
  // Each of its three documents, and for a session that of its fence.
  expect(first + second).toBeLessThan(12 * OWN + 400);
}

/** Older sessions are rewritten, and found by filters then. */
async function migrateTwice({ store, raw, outdated, countReads, clock }: System): Promise<void> {
  const older = Array.from({ length: 3 * FEW }, (_, n) => {
    const session = sampleSession({ sessionId: `old-${n}`, tenantId: 'tenant-2', status: 'completed' });
    return putDocument(paths.session(session.sessionId), rawDocumentType, {
      ...toSession7({ ...session }),
      schemaVersion: sessionType.oldest,
    });
  });
  await store.commit(older);
  const migrate = async (commits: number) => {
    const tallies = migrateDocuments({
      outdated,
      store: dying(store, commits),
      dryRun: false,
      now: clock.now,
      collections: { sessions: sessionType },
    });
    let migrated = 0;
    for await (const tally of tallies) migrated = tally.migrated;
    return migrated;
  };
  let second = 0;
  await countReads('migrate, twice', async () => {
    await migrate(FEW).catch(() => undefined);
    second = await migrate(Number.POSITIVE_INFINITY);
  });
  expect(second).toBe(2 * FEW);
  expect(await migrate(0)).toBe(0);
  const list = tenantSessions({ documents: raw, store }, 'tenant-2');
  const filter = { status: ['completed'], until: SAMPLE_TIME, limit: 1, now: clock.now() };
  expect((await list.list(filter))?.rows).toHaveLength(1);
}

/** The hourly pass of the sweep reads open sessions only. */
async function sweepHourly(system: System): Promise<void> {
  const { store, countReads } = system;
  const open = Array.from({ length: FEW }, (_, n) =>
    sampleSession({ sessionId: composeSessionId(AMOUNT.sessions + n), status: 'in_progress' }),
  );
  await store.commit(open.map((one) => putDocument(paths.session(one.sessionId), sessionType, one)));
  const reads = await countReads('the hourly pass', async () => {
    expect(await sweepSessions(system, [])).toMatchObject({ listed: true, sessions: FEW });
  });
  expect(reads).toBeLessThan(20 * FEW);
}
