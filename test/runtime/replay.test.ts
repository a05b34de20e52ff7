import { expect, it } from 'vitest';
import { exampleNames } from '../../local/examples.ts';
import { compareReplay } from '../../shared/cases/compareReplay.ts';
import { readRecording, recordingOf, writeRecording } from '../../shared/cases/recording.ts';
import { replayStored } from '../../shared/cases/replayStored.ts';
import { sessionDocuments } from '../../shared/runtime/views/documents/sessionDocuments.ts';
import { createMemoryStore } from '../../shared/store/memory/memoryStore.ts';
import { runExample } from '../support/runExample.ts';

it.each(exampleNames())(
  'the example %s is replayed from its recording to the same documents',
  async (name) => {
    const store = createMemoryStore();
    const { session } = await runExample(name, undefined, undefined, store);
    const copied = await recordingOf(session.sessionId, sessionDocuments(session.sessionId, store));
    const recording = await readRecording(copied === undefined ? '' : writeRecording(copied), 'record.json');
    const replayed = await replayStored(recording);
    expect(replayed.leftOut).toEqual([]);
    expect(await compareReplay(session.sessionId, recording.store, replayed.store)).toBeUndefined();
  },
);
