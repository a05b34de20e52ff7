// Budgets and problems that two processes share, each with Firestore's real client over the wire.

import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { readSessionAlert } from '../../../shared/alerts/schema/alert.ts';
import { TOPICS } from '../../../shared/core/contract/publisher.ts';
import type { Store } from '../../../shared/core/contract/store.ts';
import { PAUSE_MS } from '../../../shared/core/kernel/state/retryLater.ts';
import { allowancePath } from '../../../shared/kits/allowances/allowance.ts';
import { tokenAllowance } from '../../../shared/kits/budgets/usageLimits.ts';
import { readCounts } from '../../../shared/kits/views/reports.ts';
import { allowanceType, paths, sessionType } from '../../../shared/lists/documents.ts';
import { createFirestoreStore } from '../../../shared/store/firestore/firestoreStore.ts';
import { IS_FULL } from '../../support/fullTests.ts';
import { PUBLISH_TIME } from '../../support/pushEvents.ts';
import type { Round, RoundReport, WireMessage } from './fixtures/budgetProcess.ts';

const PROCESS = fileURLToPath(new URL('./fixtures/budgetProcess.ts', import.meta.url));
/** Of both processes together. For docs/performance.md: `PRINT_MEASURED=1 BUDGET_SESSIONS=1000`. */
const SESSIONS = Number(process.env.BUDGET_SESSIONS ?? (IS_FULL ? 40 : 10));
/** The first call of a session takes some 2,100 tokens, so that half of the sessions find no room for it. */
const LIMIT = SESSIONS * 1_200;

/** @param limits of tokens of a day and of sessions of an hour; 0 for none. */
function startProcesses(...limits: [dailyTokens: number, sessionsPerHour: number]): {
  store: Store;
  children: ChildProcess[];
} {
  const projectId = `demo-${randomUUID().slice(0, 8)}`;
  const store = createFirestoreStore({ projectId });
  const children = [0, 1].map(() => fork(PROCESS, [projectId, ...limits.map(String)]));
  onTestFinished(async () => {
    for (const child of children) child.disconnect();
    await store.close();
  });
  return { store, children };
}

const alerts = Array.from(
  { length: SESSIONS },
  (_, index): WireMessage => ({
    id: String(index + 1),
    topic: TOPICS.alerts,
    attributes: {},
    data: Buffer.from(JSON.stringify({ title: `alert ${index}` })).toString('base64'),
  }),
);

/** Has a process handle messages; returns its report and the messages that are left. */
async function handle(child: ChildProcess, round: Round) {
  const answered = once(child, 'message');
  child.send(round);
  const [report]: [RoundReport & { error?: string }] = (await answered) as [RoundReport];
  expect(report.error).toBeUndefined();
  const open = report.failed.flatMap(({ index }) => round.messages[index] ?? []);
  return { report, open: [...open, ...report.published] };
}

it('a budget of tokens is never exceeded by two processes at once, and every session ends', async () => {
  const { store, children } = startProcesses(LIMIT, 0);
  let open = alerts;
  let reports: RoundReport[] = [];
  let waits = 0;
  for (let advanceMs = 0; open.length > 0; advanceMs = PAUSE_MS) {
    const results = await Promise.all(
      children.map((child, own) =>
        handle(child, { messages: open.filter((_, index) => index % 2 === own), advanceMs }),
      ),
    );
    open = results.flatMap((result) => result.open);
    reports = results.map(({ report }) => report);
    const codes = reports.flatMap(({ failed }) => failed.map(({ code }) => code));
    waits += codes.length;
    expect(codes.filter((code) => code !== 'EXECUTION_WAITING')).toEqual([]);
  }

  const used = reports.reduce((sum, report) => sum + report.used, 0);
  const calls = reports.reduce((sum, report) => sum + report.calls, 0);
  if (process.env.PRINT_MEASURED) console.log({ limit: LIMIT, used, calls, waits });
  expect(used).toBeLessThanOrEqual(LIMIT);
  expect(used).toBeGreaterThan(LIMIT / 2);
  const sessions = await store.list({ collection: paths.sessions }, sessionType);
  const outcomes = sessions.map(({ value: { status, failure } }) => failure?.code ?? status);
  expect(outcomes.filter((outcome) => outcome === 'completed')).toHaveLength(calls);
  expect(outcomes.filter((outcome) => outcome === 'BUDGET_REACHED')).toHaveLength(SESSIONS - calls);
  // Each process writes its use in its turn, and returns a slice that it did not use for a minute.
  for (let turn = 0; turn < 12; turn++)
    await Promise.all(children.map((child) => handle(child, { messages: [], advanceMs: 10_000 })));
  const path = allowancePath(tokenAllowance({ chain: null }), new Date(PUBLISH_TIME));
  const readCount = async () => {
    const count = (await store.get(path, allowanceType))?.value;
    return [count?.used, ...Object.values(count?.held ?? {}).filter((held) => held !== 0)];
  };
  await expect.poll(readCount, { timeout: 20_000 }).toEqual([used]);
});

it('a problem that keeps firing has one session, and one that a budget has deferred starts when it has room', async () => {
  const { store, children } = startProcesses(0, 1);
  let time = Date.parse(PUBLISH_TIME);
  let count = 0;
  const report = (title: string): WireMessage => ({
    id: String(++count),
    topic: TOPICS.alerts,
    attributes: {},
    publishTime: new Date(time).toISOString(),
    data: Buffer.from(JSON.stringify({ title, fingerprint: title, status: 'firing' })).toString('base64'),
  });
  /** Both processes handle the same problems at the same time, and then what is published. */
  const pass = async (minutes: number, titles: string[], sweeps = false) => {
    const advanceMs = minutes * 60_000;
    time += advanceMs;
    const handled = await Promise.all(
      children.map((child) => handle(child, { messages: titles.map(report), advanceMs, sweeps })),
    );
    const open = handled.flatMap((one) => one.open);
    const [first] = children;
    if (first !== undefined && open.length > 0) await handle(first, { messages: open, advanceMs: 0 });
  };
  const sessions = async () => {
    const found = await store.list({ collection: paths.sessions }, sessionType);
    return found.map(({ value }) => `${readSessionAlert(value)?.title}: ${value.status}`).sort();
  };

  await pass(0, ['disk']);
  // Of one hour, and later than the end of its session by more than the cool-down.
  for (let round = 0; round < 3; round++) await pass(11, ['disk', 'memory']);
  expect(await sessions()).toEqual(['disk: completed', 'memory: deferred']);
  await pass(30, [], true);
  expect(await sessions()).toEqual(['disk: completed', 'memory: completed']);
  for (let round = 0; round < 2; round++) await pass(11, ['disk', 'memory'], true);
  expect(await sessions()).toEqual(['disk: completed', 'memory: completed']);
  const counts = await Promise.all(
    (await store.list({ collection: paths.sessions }, sessionType)).map(({ id }) => readCounts(id, store)),
  );
  expect(counts.map(({ value }) => value?.firing).sort()).toEqual([10, 12]);
});
