// The stored documents of a session that a replay reads, in one order, from any of them on.

import * as z from 'zod';
import type { Store } from '../../../core/contract/store.ts';
import {
  agentSnapshotType,
  paths,
  sessionType,
  timelineEventType,
} from '../../../core/schema/coreDocuments.ts';
import { rawDocumentType } from '../../../core/schema/documentType.ts';
import { readableType } from '../../../core/schema/readable.ts';
import { knowledgeType } from '../../../search/knowledge.ts';
import { sessionEntryKey } from '../../../search/sessionEntry.ts';

/** The collections below a session that a replay reads, in the order of the walk. */
const BELOW = [
  'alertBody',
  'stages',
  'executions',
  'agentSnapshots',
  'timeline',
  'messages',
  'results',
  'interactions',
  'guidance',
  'toolLists',
  'work',
  'feedback',
];
const KEY_WITHOUT_SECRETS = '0'.repeat(32);
/** Documents of one read. A document has at most 1 MB. */
const READ_SIZE = 20;
const LAST_ID = '\uf8ff';
const DATE = '$date';

/** A page of stored documents. */
export const documentPageSchema = z.strictObject({
  documents: z.array(
    z.strictObject({
      path: z.string().describe('The place in the database'),
      data: z.record(z.string(), z.unknown()).describe('The fields; a time is `{"$date": "2026-…"}`'),
    }),
  ),
  next: z.string().nullable(),
});
/** A page of stored documents. */
export type DocumentPage = z.infer<typeof documentPageSchema>;
/** A stored document: its times are Date outside of a page, and the key of masking is replaced by zeros. */
export type SessionDocument = DocumentPage['documents'][number];

/**
 * The documents of a session: itself, those below it, its knowledge entry and those that its agents name, its
 * approvals. Yields nothing when there is no such session.
 * @param after the path of the last known document. Absent: from the session on.
 * @throws RangeError when `after` is no path of such a document; RetryableError when the store fails.
 */
export async function* sessionDocuments(
  sessionId: string,
  store: Store,
  after?: string,
): AsyncGenerator<SessionDocument> {
  const root = paths.session(sessionId);
  const session = await store.get(root, sessionType);
  if (session === undefined) return;
  const raw = await store.get(root, rawDocumentType);
  if (after === undefined && raw !== undefined) yield cleanDocument(root, raw.value);
  const others = () => otherPaths(sessionId, session.value.tenantId, store);
  if (after !== undefined && after !== root && !after.startsWith(`${root}/`)) {
    const left = await others();
    const index = left.indexOf(after);
    if (index < 0) throw new RangeError('must be `next` of the previous page');
    yield* each(left.slice(index + 1), store);
    return;
  }
  const [name = BELOW[0], id, parts, partId, ...more] =
    after === undefined || after === root ? [] : after.slice(root.length + 1).split('/');
  const first = BELOW.indexOf(name ?? '');
  if (first < 0 || more.length > 0 || (parts !== undefined && (name !== 'messages' || parts !== 'parts')))
    throw new RangeError('must be `next` of the previous page');
  if (name === 'messages' && id !== undefined)
    yield* collection(`${root}/messages/${id}/parts`, store, partId);
  for (const [index, below] of BELOW.slice(first).entries())
    for await (const one of collection(`${root}/${below}`, store, index === 0 ? id : undefined)) {
      yield one;
      if (below === 'messages') yield* collection(`${one.path}/parts`, store);
    }
  yield* each(await others(), store);
}

/** A page of a session's documents, which ends after exceeding `bytes`. Times are `{"$date":…}`. */
export async function readDocumentPage(
  { sessionId, after, bytes }: { sessionId: string; after?: string | undefined; bytes: number },
  store: Store,
): Promise<DocumentPage> {
  const documents: SessionDocument[] = [];
  let size = 0;
  for await (const { path, data } of sessionDocuments(sessionId, store, after)) {
    const encoded = encodeDates(data) as SessionDocument['data'];
    documents.push({ path, data: encoded });
    size += Buffer.byteLength(JSON.stringify(encoded));
    if (size > bytes) return { documents, next: path };
  }
  return { documents, next: null };
}

/** JSON in which a time is `{"$date":"2026-…"}`. */
export function encodeDates(value: unknown): unknown {
  if (value instanceof Date) return { [DATE]: value.toISOString() };
  if (Array.isArray(value)) return value.map(encodeDates);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, encodeDates(one)]));
}

/** A value of JSON of `encodeDates`, where it is a time; for `JSON.parse`. */
export function decodeDate(value: unknown): unknown {
  if (value === null || typeof value !== 'object' || !(DATE in value)) return value;
  const { [DATE]: iso } = value;
  return typeof iso === 'string' && Object.keys(value).length === 1 ? new Date(iso) : value;
}

/** The documents of a collection after an id, in id order. */
async function* collection(path: string, store: Store, after?: string): AsyncGenerator<SessionDocument> {
  for (let last = after; ; ) {
    const idRange = last === undefined ? {} : { idRange: { from: last, to: LAST_ID } };
    const found = await store.list({ collection: path, limit: READ_SIZE, ...idRange }, rawDocumentType);
    for (const one of found) if (one.path !== `${path}/${last}`) yield cleanDocument(one.path, one.value);
    if (found.length < READ_SIZE) return;
    last = found.at(-1)?.path.slice(path.length + 1);
  }
}

async function* each(found: readonly string[], store: Store): AsyncGenerator<SessionDocument> {
  for (const path of found) {
    const stored = await store.get(path, rawDocumentType);
    if (stored !== undefined) yield cleanDocument(path, stored.value);
  }
}

/** Paths of knowledge entries that the session wrote or agents name, and of its timeline's approvals. */
async function otherPaths(sessionId: string, tenantId: string, store: Store): Promise<string[]> {
  const agents = await store.list(
    { collection: `${paths.session(sessionId)}/agentSnapshots` },
    readableType(agentSnapshotType),
  );
  const keys = [
    sessionEntryKey(sessionId),
    ...agents.flatMap(({ value }) => value.value?.agent.resources ?? []),
  ];
  const events = await store.list({ collection: paths.timeline(sessionId) }, readableType(timelineEventType));
  const ids = events.flatMap(({ value: { value } }) =>
    value?.eventType === 'notice' ? (value.metadata.approvalId ?? []) : [],
  );
  return [
    ...new Set([
      ...keys.map((key) => knowledgeType.paths.knowledgeEntry(tenantId, key)),
      ...ids.map(paths.approval),
    ]),
  ];
}

/** The document without the key of masking, which is a field of sessions and of snapshots of agents. */
function cleanDocument(path: string, data: Record<string, unknown>): SessionDocument {
  return { path, data: 'maskKey' in data ? { ...data, maskKey: KEY_WITHOUT_SECRETS } : data };
}
