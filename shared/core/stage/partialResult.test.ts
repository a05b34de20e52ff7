import { expect, it } from 'vitest';
import { sampleAgent, sampleExecution, samplePlan, sampleSession } from '../../../test/support/samples.ts';
import { depsOf } from '../../../test/support/stateRig.ts';
import { executionType, paths } from '../../lists/documents.ts';
import { createMemoryStore } from '../../store/memory/memoryStore.ts';
import { createDocument } from '../contract/store.ts';
import { plannedStages } from './earlierStages.ts';
import { withRecord } from './partialResult.ts';

it('the record of a session that ends early has its last agents, and the number of the others', async () => {
  const agents = Array.from({ length: 25 }, (_, index) => sampleAgent({ name: `agent-${index + 1}` }));
  const session = sampleSession({ chain: { name: 'default', stages: [samplePlan({ agents })] } });
  const store = createMemoryStore();
  const planned = plannedStages(session).flatMap((stage) => stage.agents);
  await store.commit(
    planned.map(({ executionId, agent: agentName }) =>
      createDocument(
        paths.execution(session.sessionId, executionId),
        executionType,
        sampleExecution({ executionId, agentName, lastEvent: 0, lastMessage: 0 }),
      ),
    ),
  );
  const end = {
    status: 'failed',
    failure: null,
    finalAnalysis: null,
    executiveSummary: null,
    caveats: [] as never[],
  } as const;
  const { partial } = await withRecord(
    session,
    { ...end, partial: { reason: 'SESSION_EXPIRED', text: 'It ended early.' } },
    depsOf(store),
  );
  const shown = partial?.text.match(/### agent-\d+/g) ?? [];
  expect(shown).toHaveLength(20);
  expect(shown.at(-1)).toBe('### agent-25');
  expect(partial?.text).toContain('5 earlier agents without an analysis are not shown');
});
