// What a run of the sweep reads: what is late, not what is open. Counted at the store, as Firestore bills: a
// document that was asked for is a read, and so is each one a query returns; a query without results is one
// read.

import { expect, it } from 'vitest';
import { createDocument, type Store, type Write } from '../../shared/core/contract/store.ts';
import { systemClock } from '../../shared/core/kernel/deps.ts';
import { handleTick } from '../../shared/engine/handleTick.ts';
import { executionType, paths, sessionType, stageType } from '../../shared/lists/documents.ts';
import { SWEEP_FEATURES } from '../../shared/lists/sweepFeatures.ts';
import { createLogger } from '../../shared/log.ts';
import { createMemoryPublisher } from '../../shared/store/memory/memoryPublisher.ts';
import { createMemoryStore } from '../../shared/store/memory/memoryStore.ts';
import { composeState } from '../../shared/wiring/composeState.ts';
import { sampleExecution, sampleSession, sampleStage } from '../support/samples.ts';

const NOW = new Date('2026-11-05T10:00:00.000Z');
const later = (minutes: number): Date => new Date(NOW.getTime() + minutes * 60_000);
const AGENTS = ['01-logs', '01-metrics'];

/** The documents of a session with two agents; a late one's first holder has died. */
function openSession(index: number, isLate: boolean): Write[] {
  const sessionId = `s-${index}`;
  const stage = sampleStage({ sessionId, expectedExecutions: AGENTS });
  const session = sampleSession({ sessionId, currentStageId: stage.stageId, deadline: later(60) });
  const executions = AGENTS.map((executionId, agent) => {
    const until = later(isLate && agent === 0 ? -0.5 : 0.5);
    const lease = { holder: 'a', until, messageId: null };
    const { stageId } = stage;
    const value = sampleExecution({
      sessionId,
      stageId,
      executionId,
      lease,
      due: { b0: until },
      deadline: later(60),
    });
    return createDocument(paths.execution(sessionId, executionId), executionType, value);
  });
  return [
    createDocument(paths.session(sessionId), sessionType, session),
    createDocument(paths.stage(sessionId, stage.stageId), stageType, stage),
    ...executions,
  ];
}

function countReads(store: Store): { counted: Store; reads(): number } {
  let reads = 0;
  const counted: Store = {
    ...store,
    get(path, type) {
      reads += 1;
      return store.get(path, type);
    },
    async listIds(query) {
      const ids = await store.listIds(query);
      reads += Math.max(1, ids.length);
      return ids;
    },
    async list(query, type) {
      const found = await store.list(query, type);
      reads += Math.max(1, found.length);
      return found;
    },
    async *findByTime(query) {
      let found = 0;
      for await (const page of store.findByTime(query)) {
        found += page.length;
        yield page;
      }
      reads += Math.max(1, found);
    },
  };
  return { counted, reads: () => reads };
}

/** Reads of a run over all open sessions, of the next, and of one with `late` sessions. */
async function measure(open: number, late: number) {
  // When the holders wrote last.
  let now = later(-2);
  const store = createMemoryStore(() => now);
  for (let index = 0; index < open; index++) await store.commit(openSession(index, index < late));
  const publisher = createMemoryPublisher();
  const runAt = async (time: Date) => {
    now = time;
    const { counted, reads } = countReads(store);
    const clock = { ...systemClock, now: () => now };
    const log = createLogger({ LOG_LEVEL: 'silent' });
    const deps = composeState({
      store: counted,
      publisher,
      clock,
      log,
    });
    const { sessions, republished } = await handleTick(deps, SWEEP_FEATURES);
    return { reads: reads(), sessions, republished };
  };
  const [listing, nothingLate, someLate] = [await runAt(later(-2)), await runAt(later(-1)), await runAt(NOW)];
  return { listing, nothingLate, someLate };
}

it('a run reads as much of 5,000 open sessions as of 100 when nothing is late, and of late ones those', async () => {
  const few = await measure(100, 10);
  const many = await measure(5_000, 10);
  // The pause of the installation, the mark twice, because it is compared when it is moved, seven queries,
  // the first session that waits for a budget, two queries for late messages, one for gaps of traces, one for
  // outcomes, and one for outages of models.
  expect(few.nothingLate).toEqual({ reads: 16, sessions: 0, republished: 0 });
  expect(many.nothingLate).toEqual(few.nothingLate);
  // A query finds late executions; per session: itself, its stage, two executions.
  expect(few.someLate).toEqual({ reads: 15 + 10 * 5, sessions: 10, republished: 10 });
  expect(many.someLate).toEqual(few.someLate);
  // Once an hour: 26 pages of ids, the last one empty, and the mark behind each of the others, where the next
  // run continues after a death; each session as one that is late, and overdue questions, of which there are
  // none.
  expect(many.listing).toEqual({ reads: 36 + 5_000 * 5, sessions: 5_000, republished: 0 });
  if (!process.env.PRINT_MEASURED) return;
  for (const [open, rows] of Object.entries({ 100: few, '5,000': many })) {
    console.log(
      `| ${open} | ${Object.values(rows)
        .map(({ reads }) => reads)
        .join(' | ')} |`,
    );
  }
});
