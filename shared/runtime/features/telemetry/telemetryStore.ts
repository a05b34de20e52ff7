// The store of a process that exports telemetry: passes the spans of each commit to the exporter, and stores in which sessions
// spans can be missing, so that the sweep exports them.

import { putDocument, type Store, type Write } from '../../../contract/store.ts';
import type { GapReason, Telemetry } from '../../../contract/telemetry.ts';
import { errorMessage } from '../../../errors.ts';
import type { Logger } from '../../../log.ts';
import { isTerminal } from '../../../schema/common.ts';
import { executionType, paths, sessionType, telemetryGapType } from '../../../schema/documents.ts';
import type { Execution } from '../../../schema/execution.ts';
import type { Session } from '../../../schema/session.ts';
import { documentsOf, spansOf } from './spansOf.ts';

/** An ended document that is written later has been exported at its end. */
const JUST_NOW_MS = 60_000;
/** The sweep leaves the process that ended a session this time to export it. */
const SWEPT_AFTER_MS = 120_000;
/** Gaps of sessions whose time of deletion is unknown. */
const KEPT_MS = 7 * 24 * 3_600_000;

/** The most iterations that a process remembers. */
const MAX_NOTED = 1_000;

/** The services of the store. */
interface TelemetryDeps {
  telemetry: Telemetry;
  clock: { now(): Date };
  log: Logger;
}

/** A store that exports, and the end of a message or request. */
export interface TelemetryStore {
  /** As the given store. Its commits also record spans. */
  store: Store;
  /** Waits at most 2 s for the export, and stores the sessions in which it failed. Never fails. */
  finish(): Promise<void>;
}

/** Wraps `store`. The commit that ends a session also creates its gap, which `finish` removes after the export. */
export function telemetryStore(store: Store, { telemetry, clock, log }: TelemetryDeps): TelemetryStore {
  /** Sessions that ended in this process and are not exported yet. */
  const ended = new Set<string>();
  /** The last interrupted iterations whose gap is stored, so that each is stored once. */
  const noted = new Set<string>();
  const gapOf = (sessionId: string, reason: GapReason, expireAt?: Date): Write => {
    const createdAt = clock.now();
    const dueAt = new Date(createdAt.getTime() + SWEPT_AFTER_MS);
    const gap = { sessionId, reason, dueAt, createdAt };
    const value = { ...gap, expireAt: expireAt ?? new Date(createdAt.getTime() + KEPT_MS) };
    return putDocument(paths.telemetryGap(sessionId, reason), telemetryGapType, value);
  };
  return {
    store: {
      ...store,
      async commit(writes) {
        const now = clock.now().getTime();
        const ending = valuesOf<Session>(writes, sessionType.name).filter(
          ({ sessionId, status, endedAt }) =>
            isTerminal(status) && isRecent(endedAt, now) && telemetry.isSampled(sessionId),
        );
        const interrupted = valuesOf<Execution>(writes, executionType.name).filter(
          (one) =>
            one.lease !== null &&
            one.claims > 1 &&
            telemetry.isSampled(one.sessionId) &&
            !noted.has(iterationKey(one)),
        );
        const gaps = [
          ...ending.map(({ sessionId, expireAt }) => gapOf(sessionId, 'ended', expireAt)),
          ...interrupted.map(({ sessionId, expireAt }) => gapOf(sessionId, 'interrupted', expireAt)),
        ];
        const result = await store.commit(gaps.length === 0 ? writes : [...writes, ...gaps]);
        if (!result.ok) return result;
        for (const { sessionId } of ending) ended.add(sessionId);
        if (noted.size > MAX_NOTED) noted.clear();
        for (const one of interrupted) noted.add(iterationKey(one));
        const documents = documentsOf(writes);
        if (documents.length > 0)
          telemetry.record({
            sessions: [...new Set(documents.map(({ value }) => (value as Session).sessionId))],
            spans: (content) => spansOf(documents, content).filter((span) => isRecent(span.endedAt, now)),
          });
        return gaps.length === 0 ? result : { ok: true, versions: result.versions.slice(0, writes.length) };
      },
    },
    async finish() {
      const exporting = [...ended];
      const failed = await telemetry.flush();
      for (const sessionId of exporting) ended.delete(sessionId);
      const changes: Write[] = [
        ...[...failed].map((sessionId) => gapOf(sessionId, 'failed')),
        ...exporting
          .filter((sessionId) => !failed.has(sessionId))
          .map(
            (sessionId): Write => ({
              op: 'delete',
              path: paths.telemetryGap(sessionId, 'ended'),
              type: telemetryGapType as never,
              value: null,
            }),
          ),
      ];
      if (changes.length === 0) return;
      await store.commit(changes).catch((error: unknown) => {
        log.warn({ err: error }, `the gaps of telemetry were not stored: ${errorMessage(error)}`);
      });
    },
  };
}

const iterationKey = ({ sessionId, executionId, iteration }: Execution): string =>
  `${sessionId}/${executionId}/${iteration}`;

function valuesOf<T>(writes: readonly Write[], typeName: string): T[] {
  return writes.flatMap(({ op, type, value }) =>
    (op === 'create' || op === 'replace' || op === 'put') && type.name === typeName ? [value as T] : [],
  );
}

const isRecent = (endedAt: Date | null, now: number): boolean =>
  endedAt !== null && now - endedAt.getTime() < JUST_NOW_MS;
