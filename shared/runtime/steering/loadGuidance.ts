// Loads the guidance that an execution has not taken yet, as the messages that tell its model.

import { guidancePrompt } from '../../prompt/guidance.ts';
import { type AgentSnapshot, isSummaryStrategy } from '../../schema/agent.ts';
import { guidanceType, paths } from '../../schema/documents.ts';
import type { Execution } from '../../schema/execution.ts';
import type { MessageDraft } from '../../schema/message.ts';
import { textMessage } from '../../schema/textMessage.ts';
import type { RuntimeDeps } from '../deps.ts';
import type { Work } from '../iteration/decide.ts';
import { captureFailure } from '../reading.ts';

/** The agent that is told, and the number of guidance documents of its session. */
type Guided = Pick<AgentSnapshot, 'agent' | 'dataNonce' | 'maskKey'> & { given: number };

/** Guidance for the next request of an execution. It is stored in the batch that ends the call of the model. */
export interface TakenGuidance {
  messages: MessageDraft[];
  /** Number of the last guidance among them, or of the last one before. */
  taken: number;
}

/**
 * The guidance with numbers above the execution's `guidanceTaken`, in order. Nothing is read where there is none, where this
 * iteration asks no model, or for who writes the executive summary and investigates nothing. A document that is broken or
 * gone is left out, and logged.
 * @throws RetryableError when the store fails, or for a document of newer code.
 */
export async function loadGuidance(
  { sessionId, executionId, guidanceTaken }: Execution,
  work: Work,
  { given, agent, dataNonce: nonce, maskKey }: Guided,
  { store, log, maskerFor }: Pick<RuntimeDeps, 'store' | 'log' | 'maskerFor'>,
): Promise<TakenGuidance> {
  if (work.kind !== 'ask_model' || isSummaryStrategy(agent.strategy) || given <= guidanceTaken)
    return { messages: [], taken: guidanceTaken };
  const numbers = Array.from({ length: given - guidanceTaken }, (_, index) => guidanceTaken + index + 1);
  const found = await Promise.all(
    numbers.map((number) => captureFailure(store.get(paths.guidance(sessionId, number), guidanceType))),
  );
  const masker = maskerFor(maskKey);
  const messages = found.flatMap(({ value: stored, failure }, index) => {
    if (stored === undefined) {
      const why = failure?.message ?? 'it is gone';
      log.error({ sessionId, executionId }, `guidance ${numbers[index]} cannot be read: ${why}`);
      return [];
    }
    // Who stored it may know fewer secrets than this process.
    const { text, givenBy } = stored.value;
    return [textMessage('user', guidancePrompt({ text: masker.mask(text).text, by: givenBy, nonce }))];
  });
  return { messages, taken: given };
}
