// Sessions that release 0.2.0 stored, with the lists of tools that later code stores.

import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { compareDecisions, isOlderRecording } from '../../shared/cases/compareDecisions.ts';
import { type Recording, readRecording } from '../../shared/cases/recording.ts';
import { replayStored } from '../../shared/cases/replayStored.ts';
import { putDocument } from '../../shared/core/contract/store.ts';
import { rawDocumentType } from '../../shared/core/schema/documentType.ts';
import { COLLECTIONS, paths, sessionType } from '../../shared/lists/documents.ts';
import { matchesShape } from '../schema/matchesShape.ts';
import { PINS, pinOf, type Shapes } from '../schema/shapes.ts';

const FOLDER = `${import.meta.dirname}/fixtures/recordings`;
const NAMES = readdirSync(FOLDER);

const read = (name: string): Promise<Recording> =>
  readRecording(readFileSync(`${FOLDER}/${name}`, 'utf8'), name);

/** The recording with other documents; null removes one. */
async function changed(
  name: string,
  change: (path: string, data: Record<string, unknown>) => Record<string, unknown> | null,
): Promise<Recording> {
  const { sessionId, store } = await read(name);
  for (const { path, data } of store.documents()) {
    const value = change(path, data);
    await store.commit([
      value === null
        ? { op: 'delete', path, type: rawDocumentType as never, value: null }
        : putDocument(path, rawDocumentType, value as typeof data),
    ]);
  }
  return { sessionId, store };
}

async function replay(recording: Recording) {
  const { sessionId, store, leftOut } = await replayStored(recording);
  return { leftOut, difference: await compareDecisions(sessionId, recording.store, store) };
}

const isExecution = (path: string): boolean => path.split('/').at(-2) === 'executions';

describe.each(NAMES)('the recording %s', (name) => {
  it('holds documents in pinned shapes', async () => {
    const pins: Shapes = parse(readFileSync(PINS, 'utf8'));
    const { store } = await read(name);
    const others = store.documents().filter(({ path, data: { schemaVersion, ...data } }) => {
      const collection = path.split('/').at(-2) as keyof typeof COLLECTIONS;
      const pin = pins[pinOf(COLLECTIONS[collection].name, Number(schemaVersion))];
      return pin === undefined || !matchesShape(data, pin);
    });
    expect(others.map(({ path }) => path)).toEqual([]);
  });

  it('is replayed to the same decisions', async () => {
    const recording = await read(name);
    expect(isOlderRecording(recording)).toBe(true);
    expect(await replay(recording)).toEqual({ leftOut: [], difference: undefined });
  });

  it('without lists of tools, as release 0.2.0 stored it, is read, and the missing part is named', async () => {
    const recording = await changed(name, (path, data) => (path.includes('/toolLists/') ? null : data));
    const session = await recording.store.get(paths.session(recording.sessionId), sessionType);
    expect(session?.value.finalAnalysis).not.toBeNull();
    expect((await replayStored(recording)).leftOut).toContain('tools not recorded');
  });

  it.each([
    ['another end of an execution', isExecution, { status: 'failed' }, 'executions/0/status'],
    ['another number of iterations', isExecution, { iteration: 40 }, 'executions/0/iteration'],
    [
      'another analysis',
      (path: string) => path.split('/').length === 2,
      { finalAnalysis: 'Other.' },
      'session/finalAnalysis',
    ],
  ])('differs with %s', async (_, isChanged, change, place) => {
    const recording = await read(name);
    const { sessionId, store } = await replayStored(recording);
    const other = await changed(name, (path, data) => (isChanged(path) ? { ...data, ...change } : data));
    const difference = await compareDecisions(sessionId, other.store, store);
    expect(difference?.place).toBe(`sessions/${sessionId}/${place}`);
  });
});
