// The results of a check: the calls of its execution, compared with the probes.

import type { Store } from '../../core/contract/store.ts';
import { readMessages } from '../../core/kernel/conversation/conversation.ts';
import { PROBE_STRATEGY } from '../../core/schema/agent.ts';
import { composeExecutionId } from '../../core/schema/coreDocuments.ts';
import { compareText } from '../../evidence/probe.ts';
import { collectedId } from '../../evidence/schema/collected.ts';
import { buildStoredText } from '../../evidence/storedText.ts';
import type { OutcomeCheck, Probe } from '../../kits/alerts/outcome.ts';
import { readPieces } from '../../kits/views/readPieces.ts';
import { quoteText } from '../../text/cut.ts';

/** Characters of an error in a reason. */
const MAX_ERROR = 200;

/** The results of the probes, in their order. @throws RetryableError when the store fails. */
export async function readResults(
  sessionId: string,
  stageId: string,
  probes: readonly Probe[],
  store: Store,
): Promise<OutcomeCheck['results']> {
  const executionId = composeExecutionId(Number(stageId.split('-')[0]), PROBE_STRATEGY);
  const { value: messages, failure } = await readMessages(store, sessionId, executionId);
  if (failure !== undefined) return probes.map(() => ({ holds: null, why: failure.message }));
  const blocks = [...messages.values()].flatMap((message) => message.blocks);
  return Promise.all(
    probes.map(async (probe, index) => {
      const block = blocks.find(
        (one) => one.blockType === 'tool_result' && one.toolUseId === collectedId(index),
      );
      if (block?.blockType !== 'tool_result') return { holds: null, why: `${probe.id} was not called.` };
      const unanswered = { holds: null, why: `${probe.id}: ${quoteText(block.textContent, MAX_ERROR)}` };
      if (block.isError) return unanswered;
      const pieces = block.stored && (await readPieces({ sessionId, executionId }, block.stored, store));
      const text = buildStoredText(block, pieces);
      if (text === undefined) return unanswered;
      const holds = compareText({ ...probe, value: probe.value ?? undefined }, text) ?? null;
      return { holds, why: holds === null ? `${probe.id}: its result has nothing to compare.` : null };
    }),
  );
}
