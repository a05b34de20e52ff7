import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { exampleNames } from '../../local/examples.ts';
import { compareReplay } from '../../shared/cases/compareReplay.ts';
import { readRecordedSession } from '../../shared/cases/recordedSession.ts';
import { copyRecording, readRecording, writeRecording } from '../../shared/cases/recording.ts';
import { replayStored } from '../../shared/cases/replayStored.ts';
import { STRATEGIES } from '../../shared/controller/registry.ts';
import { createMemoryStore } from '../../shared/store/memory/memoryStore.ts';
import { callCommand } from '../support/callCommand.ts';
import { temporaryFolder } from '../support/ownConfig.ts';
import { runExample } from '../support/runExample.ts';

const replayedStrategies = new Set<string>();

it.each(exampleNames())(
  'the example %s is replayed from its recording to the same documents',
  async (name) => {
    const store = createMemoryStore();
    const { session } = await runExample(name, undefined, undefined, store);
    const copied = await copyRecording(session.sessionId, store);
    const recording = await readRecording(copied === undefined ? '' : writeRecording(copied), 'record.json');
    const replayed = await replayStored(recording);
    expect(replayed.leftOut).toEqual([]);
    const equal = replayed.store && (await compareReplay(session.sessionId, recording.store, replayed.store));
    expect([replayed.store === undefined, equal]).toEqual([false, undefined]);
    const { agents } = await readRecordedSession(recording);
    for (const { agent } of agents.values()) replayedStrategies.add(agent.strategy);
  },
);

it('the replayed examples have agents of every strategy', () => {
  expect(STRATEGIES.filter((strategy) => !replayedStrategies.has(strategy))).toEqual([]);
});

it('a session without lists of tools is read and shown, and not replayed: the reason is printed with exit code 3', async () => {
  const store = createMemoryStore();
  const { session } = await runExample('crashloop', undefined, undefined, store);
  for (const { path } of store.documents())
    if (path.includes('/toolLists/')) store.rewrite(path, () => undefined);
  const copied = await copyRecording(session.sessionId, store);
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'record.json'), copied === undefined ? '' : writeRecording(copied));
  const { code, stdout } = await callCommand(['replay', folder]);
  expect(code).toBe(3);
  expect(stdout).toEqual([
    expect.stringMatching(/: not replayed: tools not recorded: .* before 0\.3\. `inquest show`/),
  ]);
  const diff = await callCommand(['diff', folder, folder]);
  expect([diff.code, diff.stdout.some((line) => line.startsWith('*'))]).toEqual([0, false]);
});
