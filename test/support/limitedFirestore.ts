// A Firestore with the limits of production for one test. Its waits pass virtual time only.

import { onTestFinished, vi } from 'vitest';
import indexes from '../../firestore.indexes.json' with { type: 'json' };
import { openDatabase } from '../../packages/local-cloud/src/database/database.ts';
import { createFirestoreService } from '../../packages/local-cloud/src/firestore/firestoreService.ts';
import { startGrpcServer } from '../../packages/local-cloud/src/server/grpcServer.ts';
import type { TestClock } from './testClock.ts';

/** A load of the report, as `docs/local-cloud.md` has it. */
interface LoadRow {
  name: string;
  greatestRate: number;
  operations: number;
  lateSeconds: number;
  aborted: number;
}

interface LoadRows {
  exceeded: LoadRow[];
  hottest: LoadRow[];
}

/** Reads of queries of one shape, or of documents by name. */
interface ReadRow {
  query: string;
  documents: number;
  indexEntries: number;
}

/** The answer to `GET /limits`. */
type LimitsReport = Record<'documents' | 'collections' | 'indexes', LoadRows> & { queries: ReadRow[] };

/** A Firestore that runs. */
interface LimitedFirestore {
  /** The clock that decides rates, which waits move forward. Set it before the first request. */
  clock: TestClock | undefined;
  report(): Promise<LimitsReport>;
}

/**
 * Starts it, and points `FIRESTORE_EMULATOR_HOST` at it until the end of the test.
 * @param writesPerSecond of one document.
 */
export async function startLimitedFirestore(writesPerSecond = 1): Promise<LimitedFirestore> {
  const waits: { due: number; action: () => void }[] = [];
  const firestore: Pick<LimitedFirestore, 'clock'> = { clock: undefined };
  const now = () => firestore.clock?.now() ?? new Date();
  /** Ends the wait that ends first. Requests that have arrived meanwhile come before the next one. */
  const endNextWait = () => {
    const next = waits.sort((one, other) => one.due - other.due).shift();
    if (next === undefined) return;
    firestore.clock?.advance(Math.max(0, next.due - now().getTime()));
    next.action();
  };
  const clock = {
    now,
    after(ms: number, action: () => void) {
      waits.push({ due: now().getTime() + ms, action });
      const timer = setTimeout(endNextWait, 1);
      return () => clearTimeout(timer);
    },
  };
  const database = openDatabase();
  const service = createFirestoreService(database, indexes as never, { writesPerSecond, clock });
  const server = await startGrpcServer([service]);
  vi.stubEnv('FIRESTORE_EMULATOR_HOST', server.host);
  onTestFinished(async () => {
    vi.unstubAllEnvs();
    service.close();
    await server.stop();
    database.close();
  });
  return Object.assign(firestore, {
    report: async () => (await (await fetch(`http://${server.host}/limits`)).json()) as LimitsReport,
  });
}
