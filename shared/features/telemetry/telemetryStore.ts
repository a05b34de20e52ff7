// The store of a process that exports telemetry: passes the spans of each commit to the exporter, and stores
// in which sessions spans or counts can be missing, so that the sweep adds them.

import type { Logger } from '../../core/contract/logger.ts';
import { deleteDocument, putDocument, type Store, type Write } from '../../core/contract/store.ts';
import type { Telemetry } from '../../core/contract/telemetry.ts';
import { errorMessage } from '../../core/errors.ts';
import { isTerminal } from '../../core/schema/common.ts';
import { executionType, sessionType, stageType } from '../../core/schema/coreDocuments.ts';
import type { Execution } from '../../core/schema/execution.ts';
import type { Session } from '../../core/schema/session.ts';
import type { Stage } from '../../core/schema/stage.ts';
import { type Delivery, deliveryType } from '../../kits/deliveries/delivery.ts';
import { buildSpans, isSettled, listSpanDocuments } from './spansOf.ts';
import { type GapReason, type TelemetryGap, telemetryGapType } from './telemetryGap.ts';

/** An ended document that is written later has been exported at its end. */
const JUST_NOW_MS = 60_000;
/** The sweep leaves the process that ended a session this time to export it. */
const SWEPT_AFTER_MS = 120_000;
/** Gaps of sessions whose time of deletion is unknown. */
const KEPT_MS = 7 * 24 * 3_600_000;

/** The most iterations that a process remembers. */
const MAX_NOTED = 1_000;

interface TelemetryDeps {
  telemetry: Telemetry;
  clock: { now(): Date };
  log: Logger;
  /**
   * Whether a message whose process dies is delivered again, so that its next delivery finds the gap.
   * Otherwise each batch with finished spans also creates a gap. Default: true.
   */
  isRedelivered?: boolean;
}

/** A store that exports, and the end of a message or request. */
interface TelemetryStore {
  /** As the given store. Its commits also record spans. */
  store: Store;
  /** Waits at most 2 s for the export, and stores the sessions in which it failed. Never fails. */
  finish(): Promise<void>;
}

/**
 * Wraps `store`. The commit that ends a session or a question also creates its gap, which `finish` reduces to
 * its count.
 */
export function telemetryStore(store: Store, deps: TelemetryDeps): TelemetryStore {
  const { telemetry, clock, log, isRedelivered = true } = deps;
  /** Gaps of this process whose spans are not exported yet, by their paths. */
  const exporting = new Map<string, TelemetryGap>();
  /** The last interrupted iterations whose gap is stored, so that each is stored once. */
  const noted = new Set<string>();
  const isInterrupted = (one: Execution): boolean =>
    one.lease !== null &&
    one.claims > 1 &&
    telemetry.isSampled(one.sessionId) &&
    !noted.has(iterationKey(one));
  return {
    store: {
      ...store,
      async commit(writes) {
        const now = clock.now();
        const interrupted = listWrittenValues<Execution>(writes, executionType.name).filter(isInterrupted);
        const documents = listSpanDocuments(writes);
        const unsafe = isRedelivered
          ? []
          : buildSpans(documents).filter((span) => isRecent(span.endedAt, now));
        const gaps = [
          ...endedIn(writes, now).map((one) =>
            planTelemetryGap(one, 'ended', now, !telemetry.isSampled(one.sessionId)),
          ),
          ...settledIn(writes).map((one) => planTelemetryGap(one, 'delivered', now, true)),
          ...[...interrupted, ...unsafe.filter(({ sessionId }) => telemetry.isSampled(sessionId))].map(
            (one) => planTelemetryGap(one, 'interrupted', now, false),
          ),
        ];
        const gapWrites = [
          ...new Map(gaps.map((gap) => [telemetryGapPath(gap), putTelemetryGap(gap)])).values(),
        ];
        const result = await store.commit(gaps.length === 0 ? writes : [...writes, ...gapWrites]);
        if (!result.ok) return result;
        for (const gap of gaps)
          if (!gap.isExported && !isClaim(gap, interrupted)) exporting.set(telemetryGapPath(gap), gap);
        if (noted.size > MAX_NOTED) noted.clear();
        for (const one of interrupted) noted.add(iterationKey(one));
        if (documents.length > 0)
          telemetry.record({
            sessions: [...new Set(documents.map(({ value }) => (value as Session).sessionId))],
            spans: (content) => buildSpans(documents, content).filter((span) => isRecent(span.endedAt, now)),
          });
        return gaps.length === 0 ? result : { ok: true, versions: result.versions.slice(0, writes.length) };
      },
    },
    async finish() {
      const exported = [...exporting.values()];
      const failed = await telemetry.flush();
      for (const gap of exported) exporting.delete(telemetryGapPath(gap));
      const now = clock.now();
      const changes: Write[] = [
        ...[...failed].map((sessionId) =>
          putTelemetryGap(planTelemetryGap({ sessionId }, 'failed', now, false)),
        ),
        ...exported
          .filter(({ sessionId }) => !failed.has(sessionId))
          .map((gap) =>
            gap.reason === 'ended'
              ? putTelemetryGap({ ...gap, dueAt: now, isExported: true })
              : deleteDocument(telemetryGapPath(gap), telemetryGapType),
          ),
      ];
      if (changes.length === 0) return;
      await store.commit(changes).catch((error: unknown) => {
        log.warn({ err: error }, `the gaps of telemetry were not stored: ${errorMessage(error)}`);
      });
    },
  };
}

const telemetryGapPath = ({ sessionId, reason }: TelemetryGap): string =>
  telemetryGapType.paths.telemetryGap(sessionId, reason);
const putTelemetryGap = (gap: TelemetryGap): Write =>
  putDocument(telemetryGapPath(gap), telemetryGapType, gap);

/** A gap that the sweep handles, at once if only counts are missing. */
function planTelemetryGap(
  { sessionId, expireAt }: { sessionId: string; expireAt?: Date },
  reason: GapReason,
  createdAt: Date,
  isExported: boolean,
): TelemetryGap {
  return {
    sessionId,
    reason,
    isExported,
    createdAt,
    counted: null,
    dueAt: isExported ? createdAt : new Date(createdAt.getTime() + SWEPT_AFTER_MS),
    expireAt: expireAt ?? new Date(createdAt.getTime() + KEPT_MS),
  };
}

/** The spans of an earlier claim are missing: no export of this process adds them. */
const isClaim = ({ sessionId, reason }: TelemetryGap, interrupted: readonly Execution[]): boolean =>
  reason === 'interrupted' && interrupted.some((one) => one.sessionId === sessionId);

/** Sessions and questions that a batch ends. Later batches within a minute can repeat them safely. */
function endedIn(writes: readonly Write[], now: Date): { sessionId: string; expireAt: Date }[] {
  return [
    ...listWrittenValues<Session>(writes, sessionType.name).filter(
      ({ status, endedAt }) => isTerminal(status) && isRecent(endedAt, now),
    ),
    ...listWrittenValues<Stage>(writes, stageType.name).filter(
      ({ kind, endedAt }) => kind === 'chat' && isRecent(endedAt, now),
    ),
  ];
}

const settledIn = (writes: readonly Write[]): Delivery[] =>
  listWrittenValues<Delivery>(writes, deliveryType.name).filter(({ state }) => isSettled(state));

const iterationKey = ({ sessionId, executionId, iteration }: Execution): string =>
  `${sessionId}/${executionId}/${iteration}`;

function listWrittenValues<T>(writes: readonly Write[], typeName: string): T[] {
  return writes.flatMap(({ op, type, value }) =>
    (op === 'create' || op === 'replace' || op === 'put') && type.name === typeName ? [value as T] : [],
  );
}

const isRecent = (endedAt: Date | null, now: Date): boolean =>
  endedAt !== null && now.getTime() - endedAt.getTime() < JUST_NOW_MS;
