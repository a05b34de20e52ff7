// Counts ended sessions, executions and messages in the totals of the metrics, each once: one batch writes
// the totals, and the record of the documents that they contain beside the session.

import { putDocument, type Store, saveDocument, type Write } from '../../core/contract/store.ts';
import { isTerminal } from '../../core/schema/common.ts';
import {
  executionType,
  interactionType,
  paths,
  sessionType,
  timelineEventType,
} from '../../core/schema/coreDocuments.ts';
import type { DocumentType } from '../../core/schema/documentType.ts';
import { deliveryType } from '../../kits/deliveries/delivery.ts';
import {
  deliveryMeasurement,
  type Measurement,
  measureSpans,
  sessionMeasurement,
  topologyMeasurements,
} from './metrics.ts';
import { type MetricTotals, metricTotalsType } from './metricTotals.ts';
import { buildSpans, isSettled, type StoredDocument } from './spansOf.ts';
import { type TelemetryGap, telemetryGapType } from './telemetryGap.ts';

/** Totals that nothing adds to are deleted after this time; then counting starts again. */
const TOTALS_KEPT_MS = 400 * 24 * 3_600_000;
/** The stored totals, and the write that replaces exactly these. */
export interface OpenTotals {
  totals: MetricTotals;
  write(series: MetricTotals['series'], now: Date): Write;
}

/** Reads the totals. Missing ones start a second ago. @throws as the store; for totals of newer code too. */
export async function openTotals(store: Pick<Store, 'get'>, now: Date): Promise<OpenTotals> {
  const stored = await store.get(metricTotalsType.paths.metricTotals, metricTotalsType);
  const totals: MetricTotals = stored?.value ?? {
    // No interval of a point is empty.
    startedAt: new Date(now.getTime() - 1_000),
    series: [],
    expireAt: now,
  };
  return {
    totals,
    write(series, at) {
      const value = { ...totals, series, expireAt: new Date(at.getTime() + TOTALS_KEPT_MS) };
      return saveDocument(metricTotalsType.paths.metricTotals, metricTotalsType, value, stored?.version);
    },
  };
}

/** The new parts of a session. */
interface NewlyCounted {
  measurements: Measurement[];
  /** The record of it; undefined if nothing is new. */
  record: Write | undefined;
  /** Whether executions of the session are still open, so that it has to be counted again. */
  isOpen: boolean;
}

/** Reads the session's parts that metrics lack. Read the totals before. @throws as the store. */
export async function countSession(sessionId: string, store: Store, now: Date): Promise<NewlyCounted> {
  const session = (await store.get(paths.session(sessionId), sessionType))?.value;
  if (session === undefined) return { measurements: [], record: undefined, isOpen: false };
  const recordPath = telemetryGapType.paths.telemetryGap(sessionId, 'counted');
  const stored = await store.get(recordPath, telemetryGapType);
  const known = stored?.value.counted ?? { session: false, executions: [], deliveries: [] };
  const [executions, deliveries] = await Promise.all([
    store.list({ collection: paths.executions(sessionId) }, executionType),
    store.list({ collection: deliveryType.paths.deliveries(sessionId) }, deliveryType),
  ]);
  const isSession = !known.session && isTerminal(session.status);
  const ended = executions.filter(
    ({ id, value }) => value.endedAt !== null && !known.executions.includes(id),
  );
  const settled = deliveries.filter(
    ({ id, value }) => isSettled(value.state) && !known.deliveries.includes(id),
  );
  const documents: StoredDocument[] = [
    ...(isSession ? [{ type: sessionType.name, id: sessionId, value: session }] : []),
    ...ended.map(({ id, value }) => ({ type: executionType.name, id, value })),
    ...(await documentsOfExecutions(
      sessionId,
      ended.map(({ id }) => id),
      store,
    )),
  ];
  const measurements = [
    ...(isSession ? [sessionMeasurement(session)] : []),
    ...measureSpans(buildSpans(documents)),
    ...settled.map(({ value }) => deliveryMeasurement(value)),
    // A fork has the results of its source again, and learns nothing.
    ...(session.kind === 'fork' ? [] : ended.flatMap(({ value }) => topologyMeasurements(value))),
  ];
  const counted: TelemetryGap['counted'] = {
    session: known.session || isSession,
    executions: [...known.executions, ...ended.map(({ id }) => id)],
    deliveries: [...known.deliveries, ...settled.map(({ id }) => id)],
  };
  const record: TelemetryGap = {
    sessionId,
    reason: 'counted',
    dueAt: null,
    isExported: true,
    counted,
    createdAt: stored?.value.createdAt ?? now,
    expireAt: session.expireAt,
  };
  return {
    measurements,
    record: measurements.length > 0 ? putDocument(recordPath, telemetryGapType, record) : undefined,
    isOpen: executions.some(({ value }) => value.endedAt === null),
  };
}

/** The model calls and the results of tools of executions. Their ids start with that of the execution. */
async function documentsOfExecutions(
  sessionId: string,
  executionIds: readonly string[],
  store: Pick<Store, 'list'>,
): Promise<StoredDocument[]> {
  const lists = executionIds.flatMap((executionId) =>
    [
      { collection: paths.interactions(sessionId), type: interactionType },
      { collection: paths.timeline(sessionId), type: timelineEventType },
    ].map(async ({ collection, type }) => {
      const query = { collection, idPrefix: `${executionId}.` };
      const found = await store.list(query, type as DocumentType<{ executionId: string }>);
      return found
        .filter(({ value }) => value.executionId === executionId)
        .map(({ id, value }) => ({ type: type.name, id, value }));
    }),
  );
  return (await Promise.all(lists)).flat();
}
