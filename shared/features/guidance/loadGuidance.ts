// Loads the guidance that an execution has not read yet, as messages for its model.

import type { Stored } from '../../core/contract/store.ts';
import type { RuntimeDeps } from '../../core/kernel/deps.ts';
import { captureFailure, type Reading } from '../../core/kernel/documents/reading.ts';
import type { TakenGuidance } from '../../core/kernel/execution/context.ts';
import { captureNewer, NEWER_CODE_MS } from '../../core/kernel/execution/newerDocument.ts';
import type { Guided } from '../../core/kernel/feature/feature.ts';
import type { Work } from '../../core/kernel/state/decide.ts';
import { isBuiltInStrategy } from '../../core/schema/agent.ts';
import { toStoredFailure } from '../../core/schema/common.ts';
import type { Guidance } from '../../core/schema/control.ts';
import { guidanceType, paths } from '../../core/schema/coreDocuments.ts';
import { rawDocumentType } from '../../core/schema/documentType.ts';
import type { Execution } from '../../core/schema/execution.ts';
import { textMessage } from '../../core/schema/textMessage.ts';
import { guidancePrompt } from '../../prompt/guidance.ts';

/**
 * Returns the guidance with numbers above the execution's `guidanceTaken`, in order. Returns nothing if there
 * is none, if this iteration asks no model, or for the agent that only writes the executive summary. A broken
 * or deleted document is skipped and logged. A document of newer code, and all guidance after it, stays for a
 * later iteration; after `NEWER_CODE_MS` it is skipped, too.
 * @throws RetryableError when the store fails.
 */
export async function loadGuidance(
  { sessionId, executionId, guidanceTaken }: Execution,
  work: Work,
  { given, agent, dataNonce: nonce, maskKey }: Guided,
  deps: Pick<RuntimeDeps, 'store' | 'log' | 'maskerFor' | 'clock'>,
): Promise<TakenGuidance> {
  if (work.kind !== 'ask_model' || isBuiltInStrategy(agent.strategy) || given <= guidanceTaken)
    return { messages: [], taken: guidanceTaken };
  const numbers = Array.from({ length: given - guidanceTaken }, (_, index) => guidanceTaken + index + 1);
  const found = await Promise.all(numbers.map((number) => readGuidance(sessionId, number, deps)));
  const masker = deps.maskerFor(maskKey);
  const later = found.indexOf('later');
  const readable = later === -1 ? found : found.slice(0, later);
  const messages = readable.flatMap((reading, index) => {
    if (reading === 'later') return [];
    const { value: stored, failure } = reading;
    if (stored === undefined) {
      const why = failure?.message ?? 'it is gone';
      deps.log.error({ sessionId, executionId }, `guidance ${numbers[index]} cannot be read: ${why}`);
      return [];
    }
    // The process that stored it can know fewer secrets than this one.
    const { text, givenBy } = stored.value;
    return [textMessage('user', guidancePrompt({ text: masker.mask(text).text, by: givenBy, nonce }))];
  });
  if (later !== -1) return { messages, taken: guidanceTaken + later };
  return { messages, taken: given };
}

/** Reads one guidance; `later` while a process with newer code is expected to read it. */
async function readGuidance(
  sessionId: string,
  number: number,
  { store, clock }: Pick<RuntimeDeps, 'store' | 'clock'>,
): Promise<Reading<Stored<Guidance> | undefined> | 'later'> {
  const path = paths.guidance(sessionId, number);
  const read = await captureNewer(captureFailure(store.get(path, guidanceType)));
  if (read.newer === undefined) return read.value;
  // The document is written once, so its update time is the time of the guidance.
  const givenAt = (await store.get(path, rawDocumentType))?.updatedAt.getTime() ?? 0;
  return clock.now().getTime() - givenAt < NEWER_CODE_MS ? 'later' : { failure: toStoredFailure(read.newer) };
}
