// The part of the sweep that counts ended sessions: one batch writes the counts, the rows that they contain
// of each session, and that it is no longer due.

import type { RawDocuments } from '../../contract/rawDocuments.ts';
import {
  replaceDocument,
  type Store,
  type Stored,
  saveDocument,
  type Write,
} from '../../core/contract/store.ts';
import { errorMessage, InquestError, TerminalError } from '../../core/errors.ts';
import type { StateDeps } from '../../core/kernel/deps.ts';
import type { SweepFeature } from '../../core/kernel/feature/sweepFeature.ts';
import { addRows } from '../../evidence/countRow.ts';
import { COUNTED_BY, type Counts, dayCountType, sessionCountType } from '../../kits/counts/count.ts';
import { workInParallel } from '../../text/workInParallel.ts';
import { readSessionCounts, type SessionCounts } from './readSessionCounts.ts';

/** Sessions of a batch: each has two writes in it. */
const BATCH = 100;
/** Batches of a run, so that no document of counts is written more often in a minute. */
const MAX_BATCHES = 10;
const CONCURRENT_SESSIONS = 10;
/** The most keys of a document of counts; further ones are added up. */
const MAX_KEYS = 200;
/** Longer than the days of a report. */
const KEPT_MS = 100 * 24 * 3_600_000;
/** After this time a session is counted again whose counts cannot be read or stored. */
const AGAIN_MS = 3_600_000;

type Deps = Pick<StateDeps, 'clock' | 'log'> & { store: Store; documents: RawDocuments };

type SessionCount = ReturnType<typeof sessionCountType.decode>;

/** A session that is due. */
interface Due {
  due: Stored<SessionCount>;
  /** Its rows that the counts contain. */
  before: Stored<SessionCount> | undefined;
  /** Its rows now; undefined if it was deleted. */
  session: SessionCounts | undefined;
}

/** Counts the sessions that are due, at most 1,000 in a run. */
export const countSessions = (documents: RawDocuments): SweepFeature => ({
  async run({ store, clock, log }) {
    const deps: Deps = { store, clock, log, documents };
    const query = { collectionId: 'sessionCounts', field: 'dueAt', to: clock.now(), limit: BATCH };
    let batches = 0;
    try {
      for await (const found of store.findByTime(query)) {
        await countBatch(found, deps);
        if (++batches === MAX_BATCHES) break;
      }
    } catch (error) {
      if (!(error instanceof InquestError)) throw error;
      log.warn({ err: error }, `sessions were not counted: ${errorMessage(error)}`);
    }
    return { started: 0, failures: [] };
  },
});

async function countBatch(found: readonly string[], deps: Deps): Promise<void> {
  const all: Due[] = [];
  await workInParallel(found, CONCURRENT_SESSIONS, async (path) => {
    // Read before the session: a change that follows makes the batch fail.
    const due = await deps.store.get(path, sessionCountType);
    if (due === undefined) return;
    const { sessionId } = due.value;
    const before = await deps.store.get(
      sessionCountType.paths.sessionCount(sessionId, 'counted'),
      sessionCountType,
    );
    all.push({ due, before, session: await readSessionCounts(sessionId, deps.documents) });
  });
  const groups = Map.groupBy(all, ({ session }) => session && `${session.tenantId}.${session.day}`);
  for (const [, group] of groups) {
    try {
      await countGroup(group, deps);
    } catch (error) {
      if (!(error instanceof TerminalError)) throw error;
      deps.log.warn({ err: error }, `sessions were not counted: ${errorMessage(error)}`);
      const again = new Date(deps.clock.now().getTime() + AGAIN_MS);
      await deps.store.commit(group.map(({ due }) => settle(due, again)));
    }
  }
}

const settle = ({ path, value, version }: Due['due'], dueAt: Date | null): Write =>
  replaceDocument(path, sessionCountType, { ...value, dueAt }, version);

/**
 * Counts sessions of a tenant and day. If another process has changed a document, nothing is written, and the
 * next run tries again.
 */
async function countGroup(group: readonly Due[], { store, clock }: Deps): Promise<void> {
  const now = clock.now();
  const writes = group.flatMap(({ due, before, session }) => [
    settle(due, null),
    ...(session === undefined ? [] : [recordCounted(due.value, before, session.counts)]),
  ]);
  const [{ session } = { session: undefined }] = group;
  for (const by of session === undefined ? [] : COUNTED_BY) {
    const removed = group.flatMap(({ before }) => before?.value.counted?.[by] ?? []);
    const added = group.flatMap((one) => one.session?.counts[by] ?? []);
    if (session === undefined || removed.length + added.length === 0) continue;
    const path = dayCountType.paths.dayCount(session.tenantId, by, session.day);
    const stored = await store.get(path, dayCountType);
    const value = {
      tenantId: session.tenantId,
      rows: addRows(addRows(stored?.value.rows ?? [], removed, MAX_KEYS, -1), added, MAX_KEYS),
      createdAt: stored?.value.createdAt ?? now,
      expireAt: new Date(Date.parse(session.day) + KEPT_MS),
    };
    writes.push(saveDocument(path, dayCountType, value, stored?.version));
  }
  await store.commit(writes);
}

function recordCounted({ sessionId, expireAt }: SessionCount, before: Due['before'], counted: Counts): Write {
  const path = sessionCountType.paths.sessionCount(sessionId, 'counted');
  return saveDocument(path, sessionCountType, { sessionId, dueAt: null, counted, expireAt }, before?.version);
}
