import { expect, it } from 'vitest';
import { sampleExecution, sampleSession } from '../../test/support/samples.ts';
import { runbookPart } from '../alerts/schema/usedRunbook.ts';
import { createDocument, replaceDocument } from '../core/contract/store.ts';
import { listDescendants } from '../core/kernel/execution/descendants.ts';
import { rawDocumentType } from '../core/schema/documentType.ts';
import { NO_PARTS, readPart, withPart } from '../core/schema/parts.ts';
import { readableType } from '../core/schema/readable.ts';
import { executionType, paths, sessionType } from '../lists/documents.ts';
import { PARTS } from '../lists/parts.ts';
import { openCloud } from '../wiring/openCloud.ts';
import { checkParts } from './checkedParts.ts';
import { createMemoryStore } from './memory/memoryStore.ts';

const runbook = { name: 'oom', source: 'file', text: 'Look.', bytes: 5 } as const;
const invalid = sampleSession({ parts: { runbook: { ...runbook, bytes: -1 } } });
const PATH = paths.session(invalid.sessionId);
const FAULT = { code: 'DOCUMENT_INVALID', message: expect.stringContaining('parts.runbook.bytes: ') };

it('an invalid part is refused before anything is sent, by the store of every program', async () => {
  const env = { GOOGLE_CLOUD_PROJECT: 'demo-parts', FIRESTORE_EMULATOR_HOST: '127.0.0.1:1' };
  const { store, close } = openCloud(env);
  await expect(store.commit([createDocument(PATH, sessionType, invalid)])).rejects.toMatchObject(FAULT);
  await close();
});

it('an invalid part is reported with its path when it is read', async () => {
  const memory = createMemoryStore();
  const store = checkParts(memory, PARTS);
  await memory.commit([createDocument(PATH, sessionType, invalid)]);
  await expect(store.get(PATH, sessionType)).rejects.toMatchObject(FAULT);
  const read = await store.get(PATH, readableType(sessionType));
  expect(read?.value.unreadable).toMatchObject({ path: PATH, ...FAULT });
});

it('an invalid part hides its execution from a list that leaves out broken documents', async () => {
  const memory = createMemoryStore();
  const one = (executionId: string, parts: object) => {
    const execution = sampleExecution({ executionId, parts: { ...parts } });
    const path = paths.execution(execution.sessionId, executionId);
    return createDocument(path, executionType, execution);
  };
  await memory.commit([one('01-a~1', { pins: { changedTools: 5 } }), one('01-a~2', {})]);
  const store = checkParts(memory, PARTS);
  const parent = { sessionId: sampleExecution().sessionId, executionId: '01-a' };
  expect((await listDescendants(parent, { store })).map(({ id }) => id)).toEqual(['01-a~2']);
});

it('the part of an unknown feature is kept as it is when another part changes', async () => {
  const store = checkParts(createMemoryStore(), PARTS);
  const gone = { at: new Date(0), list: [{ a: null }] };
  await store.commit([createDocument(PATH, sessionType, sampleSession({ parts: { gone } }))]);
  const read = await store.get(PATH, sessionType);
  if (read === undefined) throw new Error('the session is missing');
  const changed = withPart(runbookPart, read.value, runbook);
  await store.commit([replaceDocument(PATH, sessionType, changed, read.version)]);
  const stored = await store.get(PATH, rawDocumentType);
  expect(stored?.value.parts).toEqual({ ...sampleSession().parts, gone, runbook });
  expect(readPart(runbookPart, withPart(runbookPart, changed, undefined))).toBeUndefined();
  expect(withPart(runbookPart, NO_PARTS, undefined)).toEqual(NO_PARTS);
});
