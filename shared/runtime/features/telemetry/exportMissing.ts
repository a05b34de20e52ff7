// The part of the sweep that exports the spans of sessions in which some can be missing.

import type { Store } from '../../../contract/store.ts';
import { errorMessage, InquestError } from '../../../errors.ts';
import { paths, sessionType, telemetryGapType } from '../../../schema/documents.ts';
import type { DocumentType } from '../../../schema/documentType.ts';
import type { StateDeps } from '../../kernel/deps.ts';
import type { FeatureReport, SweepFeature } from '../../kernel/feature/sweepFeature.ts';
import { type StoredDocument, spansOf, TRACED } from './spansOf.ts';

/** The most sessions of one run. The next run continues. */
const MAX_SESSIONS = 50;
const PAGE_SIZE = 100;
/** A gap whose export failed is tried again after this time. */
const AGAIN_MS = 300_000;

/** Exports the due gaps. Does nothing without telemetry. Each session is exported whole: its spans have the same ids again. */
export const EXPORT_MISSING: SweepFeature = {
  async run({ telemetry, store, clock, log }: StateDeps): Promise<FeatureReport> {
    const report: FeatureReport = { started: 0, failures: [] };
    if (telemetry === undefined) return report;
    try {
      const gaps = await dueGaps(store, clock.now());
      for (const [sessionId, gapPaths] of gaps) {
        const documents = await documentsOfSession(sessionId, store);
        telemetry.record({ sessions: [sessionId], spans: (content) => spansOf(documents, content) });
        const failed = await telemetry.flush();
        await store.commit(gapPaths.map((path) => settled(path, sessionId, failed, clock.now())));
      }
      if (gaps.size > 0) log.info({ sessions: gaps.size }, 'exported missing spans');
    } catch (error) {
      if (!(error instanceof InquestError)) throw error;
      log.warn({ err: error }, `missing spans were not exported: ${errorMessage(error)}`);
    }
    return report;
  },
};

async function dueGaps(store: Store, now: Date): Promise<Map<string, string[]>> {
  const gaps = new Map<string, string[]>();
  const query = { collectionId: 'telemetry', field: 'dueAt', to: now, limit: PAGE_SIZE };
  for await (const page of store.findByTime(query)) {
    for (const path of page) {
      const sessionId = path.split('/')[1] ?? '';
      gaps.set(sessionId, [...(gaps.get(sessionId) ?? []), path]);
    }
    if (gaps.size >= MAX_SESSIONS) break;
  }
  return new Map([...gaps].slice(0, MAX_SESSIONS));
}

function settled(path: string, sessionId: string, failed: ReadonlySet<string>, now: Date) {
  const type = telemetryGapType as never;
  if (!failed.has(sessionId)) return { op: 'delete', path, type, value: null } as const;
  const dueAt = new Date(now.getTime() + AGAIN_MS);
  const expireAt = new Date(now.getTime() + 7 * 24 * 3_600_000);
  const value = { sessionId, reason: path.split('/').at(-1), dueAt, createdAt: now, expireAt };
  return { op: 'put', path, type, value } as const;
}

/** The documents of a session that have spans. @throws as the store. */
export async function documentsOfSession(
  sessionId: string,
  store: Pick<Store, 'get' | 'list'>,
): Promise<StoredDocument[]> {
  const session = await store.get(paths.session(sessionId), sessionType);
  if (session === undefined) return [];
  const lists = await Promise.all(
    Object.entries(TRACED).map(async ([name, type]) => {
      const collection = `${paths.session(sessionId)}/${name}`;
      const found = await store.list<unknown>({ collection }, type as DocumentType<unknown>);
      return found.map(({ id, value }) => ({ type: type.name, id, value }));
    }),
  );
  return [{ type: sessionType.name, id: sessionId, value: session.value }, ...lists.flat()];
}
