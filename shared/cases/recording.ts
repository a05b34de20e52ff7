// A recording: all documents that the replay of a session needs, in a store in memory or as text.

import * as z from 'zod';
import { putDocument, type Store } from '../contract/store.ts';
import { TerminalError } from '../errors.ts';
import { agentSnapshotType, paths, sessionType, timelineEventType } from '../schema/documents.ts';
import { rawDocumentType } from '../schema/documentType.ts';
import { sessionEntryKey } from '../search/sessionEntry.ts';
import { createMemoryStore, type MemoryStore } from '../store/memory/memoryStore.ts';

/** The collections below a session that a replay reads. */
const BELOW = [
  ...['alertBody', 'stages', 'executions', 'agentSnapshots', 'timeline', 'messages', 'results'],
  ...['interactions', 'guidance', 'toolLists', 'work', 'feedback'],
];
const KEY_WITHOUT_SECRETS = '0'.repeat(32);

/** A recorded session. */
export interface Recording {
  sessionId: string;
  /** Its documents, as they were stored: reads upcast those of older versions. */
  store: MemoryStore;
}

/**
 * Copies the documents of a session.
 * @param mask applied to every text. Default: the documents stay unchanged, except that keys of masking are removed.
 * @returns undefined when there is no such session.
 * @throws RetryableError when the store fails.
 */
export async function copyRecording(
  sessionId: string,
  source: Store,
  mask: (text: string) => string = (text) => text,
): Promise<Recording | undefined> {
  const session = await source.get(paths.session(sessionId), sessionType);
  if (session === undefined) return undefined;
  const store = createMemoryStore();
  const copy = (path: string, data: Record<string, unknown>) =>
    store.commit([putDocument(path, rawDocumentType, cleanDocument(data, mask))]);
  const copyOne = async (path: string) => {
    const found = await source.get(path, rawDocumentType);
    if (found !== undefined) await copy(path, found.value);
  };
  const copyAll = async (collection: string) => {
    const found = await source.list({ collection }, rawDocumentType);
    for (const { path, value } of found) await copy(path, value);
    return found;
  };
  await copyOne(paths.session(sessionId));
  for (const name of BELOW) {
    const found = await copyAll(`${paths.session(sessionId)}/${name}`);
    if (name === 'messages') for (const { path } of found) await copyAll(`${path}/parts`);
  }
  const { tenantId } = session.value;
  const own = sessionEntryKey(sessionId);
  for (const key of [own, ...(await namedEntries(sessionId, source))])
    await copyOne(paths.knowledgeEntry(tenantId, key));
  for (const id of await approvalIds(sessionId, source)) await copyOne(paths.approval(id));
  return { sessionId, store };
}

/** The approvals that the timeline of a session names. */
async function approvalIds(sessionId: string, source: Store): Promise<string[]> {
  const events = await source.list({ collection: paths.timeline(sessionId) }, timelineEventType);
  const ids = events.flatMap(({ value }) =>
    value.eventType === 'notice' ? [value.metadata.approvalId] : [],
  );
  return [...new Set(ids.filter((id) => id !== undefined))];
}

/** The keys of the knowledge entries that the agents of a session name. */
async function namedEntries(sessionId: string, source: Store): Promise<string[]> {
  const collection = `${paths.session(sessionId)}/agentSnapshots`;
  const agents = await source.list({ collection }, agentSnapshotType);
  return [...new Set(agents.flatMap(({ value }) => value.agent.resources ?? []))];
}

/** The document without the key of masking, its texts masked. */
function cleanDocument(data: Record<string, unknown>, mask: (text: string) => string) {
  const clean = (value: unknown, key?: string): unknown => {
    if (key === 'maskKey') return KEY_WITHOUT_SECRETS;
    if (typeof value === 'string') return mask(value);
    if (Array.isArray(value)) return value.map((one) => clean(one));
    if (value === null || typeof value !== 'object' || value instanceof Date) return value;
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, clean(one, name)]));
  };
  return clean(data) as Record<string, unknown>;
}

const fileSchema = z.strictObject({
  version: z.literal(1),
  sessionId: z.string().min(1),
  documents: z.array(z.strictObject({ path: z.string().min(1), data: z.record(z.string(), z.unknown()) })),
});
const DATE = '$date';

/** The text of a recording: JSON, one document a line, sorted by path. */
export function writeRecording({ sessionId, store }: Recording): string {
  const documents = store
    .documents()
    .toSorted((a, b) => (a.path < b.path ? -1 : 1))
    .map((one) => JSON.stringify(withoutDates(one)));
  const head = `{"version":1,"sessionId":${JSON.stringify(sessionId)},"documents":[`;
  return `${head}\n${documents.join(',\n')}\n]}\n`;
}

/**
 * Reads the text of a recording.
 * @param where names the file in errors.
 * @throws TerminalError `CASE_INVALID` with the field.
 */
export async function readRecording(text: string, where: string): Promise<Recording> {
  let json: unknown;
  try {
    json = JSON.parse(text, (_, value: unknown) => dateOf(value) ?? value);
  } catch {
    throw new TerminalError('CASE_INVALID', `${where} is no JSON; record the session again`);
  }
  const read = fileSchema.safeParse(json);
  if (!read.success) {
    const [{ path, message } = { path: [], message: '' }] = read.error.issues;
    throw new TerminalError('CASE_INVALID', `${where}: ${path.join('.') || 'the file'}: ${message}`);
  }
  const store = createMemoryStore();
  for (const { path, data } of read.data.documents)
    await store.commit([putDocument(path, rawDocumentType, data)]);
  return { sessionId: read.data.sessionId, store };
}

function withoutDates(value: unknown): unknown {
  if (value instanceof Date) return { [DATE]: value.toISOString() };
  if (Array.isArray(value)) return value.map(withoutDates);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, withoutDates(one)]));
}

function dateOf(value: unknown): Date | undefined {
  if (value === null || typeof value !== 'object' || !(DATE in value)) return undefined;
  const { [DATE]: iso } = value;
  return typeof iso === 'string' && Object.keys(value).length === 1 ? new Date(iso) : undefined;
}
