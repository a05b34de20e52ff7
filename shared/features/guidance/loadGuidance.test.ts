import { expect, it } from 'vitest';
import { SAMPLE_NONCE, sampleAgent, sampleExecution, sampleGuidance } from '../../../test/support/samples.ts';
import { createTestClock } from '../../../test/support/testClock.ts';
import { createDocument } from '../../core/contract/store.ts';
import type { Work } from '../../core/kernel/state/decide.ts';
import { SUMMARY_STRATEGY } from '../../core/schema/agent.ts';
import { guidanceType, paths } from '../../lists/documents.ts';
import { createLogger } from '../../log.ts';
import { createGuards } from '../../masking/guards.ts';
import { createMemoryStore } from '../../store/memory/memoryStore.ts';
import { loadGuidance } from './loadGuidance.ts';

const ASK: Work = { kind: 'ask_model', mode: 'investigate' };

/** The guidance that an execution gets which has taken one of three. `isGone`: the second one is gone. */
async function deliveredGuidance(work: Work = ASK, strategy = 'react', isGone = false) {
  const store = createMemoryStore();
  for (const number of isGone ? [1, 3] : [1, 2, 3]) {
    const guidance = sampleGuidance({ number, text: `word-${number}` });
    await store.commit([createDocument(paths.guidance(guidance.sessionId, number), guidanceType, guidance)]);
  }
  const { messages, taken } = await loadGuidance(
    sampleExecution({ guidanceTaken: 1 }),
    work,
    { agent: sampleAgent({ strategy }), dataNonce: SAMPLE_NONCE, maskKey: '0'.repeat(32), given: 3 },
    {
      store,
      log: createLogger({ LOG_LEVEL: 'silent' }),
      maskerFor: createGuards({}),
      clock: createTestClock(),
    },
  );
  return [taken, ...messages.map(({ blocks }) => JSON.stringify(blocks).match(/word-\d/)?.[0])];
}

it('an execution gets the guidance that it has not taken yet, in order, and has taken all then', async () => {
  expect(await deliveredGuidance()).toEqual([3, 'word-2', 'word-3']);
  expect(await deliveredGuidance({ kind: 'ask_model', mode: 'conclude' })).toEqual([3, 'word-2', 'word-3']);
});

it('guidance that is gone is left out, and the rest is delivered', async () => {
  expect(await deliveredGuidance(ASK, 'react', true)).toEqual([3, 'word-3']);
});

it('nothing is taken by an iteration that asks no model, nor by an executive summary', async () => {
  expect(await deliveredGuidance({ kind: 'run_tools' })).toEqual([1]);
  expect(await deliveredGuidance({ kind: 'collect' })).toEqual([1]);
  expect(await deliveredGuidance(ASK, SUMMARY_STRATEGY)).toEqual([1]);
});
