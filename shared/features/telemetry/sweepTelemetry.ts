// The part of the sweep that exports the spans of sessions in which some can be missing, and the metrics.

import { deleteDocument, putDocument, type Write } from '../../core/contract/store.ts';
import type { Telemetry } from '../../core/contract/telemetry.ts';
import { errorMessage, InquestError, RetryableError } from '../../core/errors.ts';
import type { StateDeps } from '../../core/kernel/deps.ts';
import { captureFailure } from '../../core/kernel/documents/reading.ts';
import type { FeatureReport, SweepFeature } from '../../core/kernel/feature/sweepFeature.ts';
import { countSession, type OpenTotals, openTotals } from './countEnded.ts';
import { documentsOfSession } from './documentsOfSession.ts';
import { addMeasurements, type Measurement, snapshotMetrics } from './metrics.ts';
import { readGauges } from './readGauges.ts';
import { buildSpans } from './spansOf.ts';
import { type TelemetryGap, telemetryGapType } from './telemetryGap.ts';

/** The most sessions of one run: an installation ends no more in a minute. The next run continues. */
const MAX_SESSIONS = 1_000;
/** Sessions of a batch, each with at most five writes in it: a run writes the totals ten times. */
const BATCH = 100;
const PAGE_SIZE = 100;
/** A gap with failed export or open executions is handled again after this time, or its age. */
const AGAIN_MS = 300_000;
/** After so many failed exports a run tries no more: each can take 2 s. */
const MAX_FAILED = 3;
/** Documents of a request: with content some megabytes, which receivers accept. */
const REQUEST_DOCUMENTS = 200;

interface Gap {
  path: string;
  value: TelemetryGap;
}

interface Exporting {
  telemetry: Telemetry;
  failed: number;
}

/** Handles the due gaps and exports the metrics. Does nothing without telemetry. */
export const SWEEP_TELEMETRY: SweepFeature = {
  async run(deps: StateDeps): Promise<FeatureReport> {
    const report: FeatureReport = { started: 0, failures: [] };
    const { telemetry, log } = deps;
    if (telemetry === undefined) return report;
    try {
      const due = await dueSessions(deps);
      const exporting: Exporting = { telemetry, failed: 0 };
      for (let from = 0; from < due.length; from += BATCH) {
        if (!(await handleBatch(due.slice(from, from + BATCH), exporting, deps))) break;
      }
      if (due.length > 0) log.info({ sessions: due.length }, 'handled the telemetry of sessions');
      await exportMetrics(telemetry, deps);
    } catch (error) {
      if (!(error instanceof InquestError)) throw error;
      log.warn({ err: error }, `missing telemetry was not exported: ${errorMessage(error)}`);
    }
    return report;
  },
};

/** The paths of the due gaps of each session. */
async function dueSessions({ store, clock }: StateDeps): Promise<[string, string[]][]> {
  const due = new Map<string, string[]>();
  const query = { collectionId: 'telemetry', field: 'dueAt', to: clock.now(), limit: PAGE_SIZE };
  for await (const page of store.findByTime(query)) {
    for (const path of page) {
      const sessionId = path.split('/')[1] ?? '';
      due.set(sessionId, [...(due.get(sessionId) ?? []), path]);
    }
    if (due.size >= MAX_SESSIONS) break;
  }
  return [...due].slice(0, MAX_SESSIONS);
}

/**
 * Exports and counts sessions, in one commit. The totals are read before the records of their contents, so
 * that a sweep that runs at the same time makes this one fail, and no session is counted twice.
 * @returns false if another sweep was faster.
 */
async function handleBatch(
  due: readonly [string, string[]][],
  exporting: Exporting,
  deps: StateDeps,
): Promise<boolean> {
  const { store, clock } = deps;
  const open: OpenTotals = await openTotals(store, clock.now());
  let series = open.totals.series;
  const writes: Write[] = [];
  for (const [sessionId, gapPaths] of due) {
    const { measurements, settling } = await handleSession(sessionId, gapPaths, exporting, deps);
    if (measurements.length > 0) series = addMeasurements(series, measurements);
    writes.push(...settling);
  }
  if (series !== open.totals.series) writes.push(open.write(series, clock.now()));
  return writes.length === 0 || (await store.commit(writes)).ok;
}

/** A session's counts for the metrics, and the writes that settle its gaps. A broken one is given up. */
async function handleSession(
  sessionId: string,
  gapPaths: readonly string[],
  exporting: Exporting,
  deps: StateDeps,
): Promise<{ measurements: readonly Measurement[]; settling: Write[] }> {
  const { store, clock, log } = deps;
  const read = await Promise.all(gapPaths.map((path) => captureFailure(store.get(path, telemetryGapType))));
  const gaps = read.flatMap(({ value }) =>
    value === undefined ? [] : [{ path: value.path, value: value.value }],
  );
  try {
    const isMissing = gaps.some(({ value }) => !value.isExported);
    const failed = isMissing && !(await exportSession(sessionId, exporting, deps));
    const { measurements, record, isOpen } = await countSession(sessionId, store, clock.now());
    const settling = gaps.map((gap) =>
      settled(gap, failed || (isOpen && gap.value.reason === 'ended'), failed, clock.now()),
    );
    return { measurements, settling: record === undefined ? settling : [...settling, record] };
  } catch (error) {
    if (!(error instanceof InquestError)) throw error;
    log.warn({ sessionId, err: error }, `the telemetry of a session is missing: ${errorMessage(error)}`);
    const isLeft = error instanceof RetryableError;
    return { measurements: [], settling: gaps.map((gap) => settled(gap, isLeft, isLeft, clock.now())) };
  }
}

/** Exports a whole session: its spans have the same ids again. @returns whether it was exported. */
async function exportSession(
  sessionId: string,
  exporting: Exporting,
  { store }: StateDeps,
): Promise<boolean> {
  if (exporting.failed >= MAX_FAILED) return false;
  const { telemetry } = exporting;
  const documents = await documentsOfSession(sessionId, store);
  for (let from = 0; from < documents.length; from += REQUEST_DOCUMENTS) {
    const part = documents.slice(from, from + REQUEST_DOCUMENTS);
    telemetry.record({ sessions: [sessionId], spans: (content) => buildSpans(part, content) });
    if (!(await telemetry.flush()).has(sessionId)) continue;
    exporting.failed += 1;
    return false;
  }
  return true;
}

/** @param isLeft whether it is handled again, then also exported if that `failed`. */
function settled({ path, value }: Gap, isLeft: boolean, failed: boolean, now: Date): Write {
  if (!isLeft || value.expireAt <= now) return deleteDocument(path, telemetryGapType);
  const age = now.getTime() - value.createdAt.getTime();
  const dueAt = new Date(now.getTime() + Math.max(AGAIN_MS, age));
  return putDocument(path, telemetryGapType, { ...value, dueAt, isExported: value.isExported || !failed });
}

async function exportMetrics(telemetry: Telemetry, deps: StateDeps): Promise<void> {
  // A point of unchanged totals must not be later than one of totals that another sweep changes meanwhile.
  const at = deps.clock.now();
  const { totals } = await openTotals(deps.store, at);
  await telemetry.exportMetrics(snapshotMetrics(totals, await readGauges(deps), at));
}
