// Reads the structured answer of a child agent, of which the execution stores only the text.

import { paths, timelineEventType } from '../../schema/coreDocuments.ts';
import type { Execution } from '../../schema/execution.ts';
import type { StateDeps } from '../deps.ts';
import { captureFailure } from '../documents/reading.ts';
import type { StructuredAnswer } from '../state/childResult.ts';

/**
 * The structured answer of a child that has ended; undefined if it answered with text, or its events cannot
 * be read.
 * @throws RetryableError when the store fails, and for documents of newer code.
 */
export async function structuredAnswer(
  { sessionId, executionId, finalAnalysis, lastEvent }: Execution,
  { store }: Pick<StateDeps, 'store'>,
): Promise<StructuredAnswer | undefined> {
  if (finalAnalysis === null) return undefined;
  const readEvent = async (number: number) => {
    const path = paths.event(sessionId, executionId, number);
    return (await captureFailure(store.get(path, timelineEventType))).value?.value;
  };
  const last = await readEvent(lastEvent);
  if (last?.eventType !== 'final_analysis' || last.metadata.output === undefined) return undefined;
  const first = await readEvent(1);
  const question = first?.eventType === 'task_assigned' ? first.content : '';
  return { json: last.metadata.output, question };
}
