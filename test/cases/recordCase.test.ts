import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { scriptOfCases } from '../../local/scriptedCases.ts';
import { startScriptedModel } from '../../local/scriptedModel/startScriptedModel.ts';
import { readCase } from '../../shared/cases/caseFile.ts';
import { diffSessions } from '../../shared/cases/diffSessions.ts';
import { evaluate } from '../../shared/cases/evaluate.ts';
import { copySessionDocuments } from '../../shared/cases/recording.ts';
import { makeCase } from '../../shared/cases/replay/makeCase.ts';
import { runCase } from '../../shared/cases/runCase.ts';
import { loadSessionConfig } from '../../shared/config/load.ts';
import { createDocument } from '../../shared/core/contract/store.ts';
import { readPart } from '../../shared/core/schema/parts.ts';
import { verdictPart } from '../../shared/evidence/schema/verdict.ts';
import { sessionDocuments } from '../../shared/kits/views/documents/sessionDocuments.ts';
import { paths, workType } from '../../shared/lists/documents.ts';
import { createLlmClient } from '../../shared/llm/chooseClient.ts';
import { EXTENSION_NAMES } from '../../shared/wiring/extensions.ts';

const CASES = 'examples/cases';
const MODEL = 'gemini-3.8-right';

it('a recorded session is a case: the truth is that of its review, and a model that answers the same is right', async () => {
  const gemini = await startScriptedModel({ script: scriptOfCases(CASES) });
  const root = mkdtempSync(join(tmpdir(), 'record-'));
  onTestFinished(async () => {
    await gemini.stop();
    rmSync(root, { recursive: true });
  });
  const env = { GOOGLE_GEMINI_BASE_URL: gemini.url, GEMINI_API_KEY: 'no-key-is-needed' };
  const llm = createLlmClient({ env, log: () => {} });
  const { signal } = new AbortController();
  const config = loadSessionConfig(join(CASES, 'config'), EXTENSION_NAMES);
  const memory = readCase(CASES, 'memory');
  const { session, store } = await runCase(memory, {
    config,
    model: MODEL,
    llm,
    tools: memory.tools,
    seed: 's',
    signal,
  });
  const { sessionId, expireAt } = session;
  const settings = { licence: 'private', tags: [], canary: 'canary-0', cause: undefined };
  const before = await copySessionDocuments(sessionId, sessionDocuments(sessionId, store));
  expect(before && (await makeCase(before, settings))?.truthYaml).toBeUndefined();
  const [known] = readPart(verdictPart, session)?.causes ?? [];
  const cause = { component: known?.component ?? '', mechanism: known?.mechanism ?? '', text: null };
  const load = { component: 'k8s:eu/shop/Deployment/mail', mechanism: 'load', text: null };
  const disk = { ...load, mechanism: 'disk' };
  for (const [index, [by, named]] of [
    ['second', disk],
    ['second', load],
    ['first', cause],
  ].entries() as ArrayIterator<[number, [string, typeof cause]]>)
    await store.commit([
      createDocument(`${paths.session(sessionId)}/work/${index + 1}`, workType, {
        sessionId,
        number: index + 1,
        kind: 'review',
        text: null,
        by,
        expireAt,
        createdAt: new Date(),
        review: { rating: 'right', cause: named, action: null, missed: null },
      }),
    ]);
  const recording = await copySessionDocuments(sessionId, sessionDocuments(sessionId, store));
  const diff = before && recording && (await diffSessions(before, recording));
  expect(diff?.evidence.map(({ side, call }) => [side, call.slice(0, 8)])).toEqual(
    Array(3).fill(['both', 'held for']),
  );
  const made = recording && (await makeCase(recording, settings));
  // Of each person the newest review counts, and that of another person is noted.
  expect(made?.others).toEqual(['k8s:eu/shop/Deployment/mail, load']);
  const folder = join(root, 'cases');
  mkdirSync(join(folder, 'one'), { recursive: true });
  writeFileSync(join(folder, 'one', 'case.yaml'), made?.caseYaml ?? '');
  writeFileSync(join(folder, 'one', 'truth.yaml'), made?.truthYaml ?? '');
  const { scores } = await evaluate({
    folder,
    out: join(root, 'out'),
    arms: ['base', 'withheld', 'planted'],
    repeats: 1,
    maxUsd: undefined,
    contestants: [{ name: 'same', config, model: MODEL }],
    llm,
    listPrices: () => undefined,
    signal,
  });
  // A recorded case has no planted text.
  expect(scores.map(({ arm }) => arm)).toEqual(['base', 'withheld']);
  expect(scores[0]).toMatchObject({
    right: true,
    grounded: true,
    unrecorded: 0,
    calls: 3,
    verdict: readPart(verdictPart, session)?.value,
  });
  expect(scores[1]).toMatchObject({ coverage: 0 });
  expect(scores[1]?.verdict).not.toBe('confirmed');
});
