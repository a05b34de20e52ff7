// A recording: all documents that the replay of a session needs, in a store in memory or as text.

import * as z from 'zod';
import { putDocument } from '../core/contract/store.ts';
import { TerminalError } from '../core/errors.ts';
import { rawDocumentType } from '../core/schema/documentType.ts';
import { decodeDate, encodeDates, type SessionDocument } from '../kits/views/documents/sessionDocuments.ts';
import { PARTS } from '../lists/parts.ts';
import { checkParts } from '../store/checkedParts.ts';
import { createMemoryStore, type MemoryStore } from '../store/memory/memoryStore.ts';
import { firstFault } from '../text/zodIssues.ts';

/** A recorded session. */
export interface Recording {
  sessionId: string;
  /** Its documents, as they were stored: reads upcast those of older versions. */
  store: MemoryStore;
}

/**
 * Copies the documents of a session.
 * @param documents of `sessionDocuments`, or of the API.
 * @param mask applied to every text. Default: the documents stay unchanged, except that keys of masking are
 * removed.
 * @returns undefined without documents: there is no such session.
 * @throws RetryableError when the store fails.
 */
export async function copySessionDocuments(
  sessionId: string,
  documents: AsyncIterable<SessionDocument>,
  mask: (text: string) => string = (text) => text,
): Promise<Recording | undefined> {
  const store = checkParts(createMemoryStore(), PARTS);
  for await (const { path, data } of documents)
    await store.commit([putDocument(path, rawDocumentType, masked(data, mask) as SessionDocument['data'])]);
  return store.documents().length === 0 ? undefined : { sessionId, store };
}

function masked(value: unknown, mask: (text: string) => string): unknown {
  if (typeof value === 'string') return mask(value);
  if (Array.isArray(value)) return value.map((one) => masked(one, mask));
  if (value === null || typeof value !== 'object' || value instanceof Date) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, masked(one, mask)]));
}

const fileSchema = z.strictObject({
  version: z.literal(1, 'must be 1; a newer Inquest writes other versions, upgrade to read them'),
  sessionId: z.string().min(1),
  documents: z.array(z.strictObject({ path: z.string().min(1), data: z.record(z.string(), z.unknown()) })),
});

/** The text of a recording: JSON, one document a line, sorted by path. */
export function writeRecording({ sessionId, store }: Recording): string {
  const documents = store
    .documents()
    .toSorted((a, b) => (a.path < b.path ? -1 : 1))
    .map((one) => JSON.stringify(encodeDates(one)));
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
    json = JSON.parse(text, (_, value: unknown) => decodeDate(value));
  } catch {
    throw new TerminalError('CASE_INVALID', `${where} is no JSON; record the session again`);
  }
  const read = fileSchema.safeParse(json);
  if (!read.success) {
    throw new TerminalError('CASE_INVALID', `${where}: ${firstFault(read.error, json)}`);
  }
  const store = checkParts(createMemoryStore(), PARTS);
  for (const { path, data } of read.data.documents)
    await store.commit([putDocument(path, rawDocumentType, data)]);
  return { sessionId: read.data.sessionId, store };
}
