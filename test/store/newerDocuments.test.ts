import { randomUUID } from 'node:crypto';
import { expect, it, onTestFinished } from 'vitest';
import { putDocument } from '../../shared/core/contract/store.ts';
import { rawDocumentType } from '../../shared/core/schema/documentType.ts';
import { executionType, INDEXED_VERSIONS, sessionType } from '../../shared/lists/documents.ts';
import { createFirestoreStore } from '../../shared/store/firestore/firestoreStore.ts';
import { createOutdatedDocuments, PAGE_SIZE } from '../../shared/store/firestore/outdatedDocuments.ts';
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

it('documents of other versions are found in a collection without an index of versions, too', async () => {
  const projectId = `demo-${randomUUID().slice(0, 8)}`;
  const [store, outdated] = [
    createFirestoreStore({ projectId }),
    createOutdatedDocuments({ projectId, indexed: INDEXED_VERSIONS }),
  ];
  onTestFinished(async () => {
    await Promise.all([store.close(), outdated.close()]);
  });
  expect(INDEXED_VERSIONS).not.toContain('guidance');
  const versions = [...Array.from({ length: PAGE_SIZE + 10 }, () => 1), 2, 3, 'erasing', null];
  const write = (schemaVersion: unknown, index: number) =>
    putDocument(`sessions/s-${index % 7}/guidance/${index}`, rawDocumentType, { schemaVersion });
  await store.commit(versions.map(write));
  expect(await outdated.count('guidance', 2)).toBe(PAGE_SIZE + 10);
  expect(await outdated.countNewer('guidance', 2)).toBe(1);
  const pages: string[][] = [];
  for await (const page of outdated.pages('guidance', 2)) {
    pages.push(page);
    // A migrated document, and the one at which the next page starts.
    await store.commit(page.map((path) => putDocument(path, rawDocumentType, { schemaVersion: 2 })));
  }
  expect(pages.map((page) => page.length)).toEqual([PAGE_SIZE, 10]);
  expect(new Set(pages.flat()).size).toBe(PAGE_SIZE + 10);
  expect(await outdated.count('guidance', 2)).toBe(0);
});
