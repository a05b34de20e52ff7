import { expect, it, onTestFinished } from 'vitest';
import { putDocument } from '../../shared/contract/store.ts';
import { executionType, sessionType } from '../../shared/schema/documents.ts';
import { rawDocumentType } from '../../shared/schema/documentType.ts';
import { createFirestoreStore } from '../../shared/store/firestore/firestoreStore.ts';
import { callCommand } from '../support/callCommand.ts';
import { startBench } from '../support/harness.ts';

it('migrate --check lists the documents that this release cannot read, at any depth', async () => {
  const { projectId } = await startBench({
    script: { conversations: [{ turns: [{ text: 'Done.' }] }] },
    inMemory: false,
  });
  const store = createFirestoreStore({ projectId, timeoutMs: 60_000 });
  onTestFinished(() => store.close());
  const write = (path: string, schemaVersion: number) =>
    store.commit([putDocument(path, rawDocumentType, { schemaVersion })]);
  const check = () => callCommand(['migrate', '--check'], { GOOGLE_CLOUD_PROJECT: projectId });
  await write('sessions/s-1', sessionType.version);
  await write('sessions/s-2', 1);
  await write('things/of-other-code', 99);
  const fine = await check();
  expect(fine.code).toBe(0);
  expect(fine.stdout).toEqual([expect.stringContaining('this release can read every document of')]);
  await write('sessions/s-1/executions/e-1', executionType.version + 1);
  await write('sessions/s-1/executions/e-2', executionType.version + 2);
  const newer = await check();
  expect(newer.code).toBe(1);
  expect(newer.stdout).toEqual([`executions: 2 newer than version ${executionType.version}`]);
});
