// Prepares a result: short ones are stored as they are; of long ones people and model see a part.

import type { ToolCall, ToolResult } from '../../core/contract/tools.ts';
import type { IterationContext } from '../../core/kernel/execution/context.ts';
import type { PresentedResult } from '../../core/kernel/feature/feature.ts';
import type { ShownResult } from '../../core/kernel/state/callResult.ts';
import type { PendingCall } from '../../core/schema/execution.ts';
import { partNote, summaryNote } from '../../prompt/largeResult.ts';
import { runGradually } from '../../text/yieldingSteps.ts';
import { cutSteps } from './cutResult.ts';
import { prepareResult } from './storeResult.ts';
import { appendSummary, summarizeResult } from './summarizeResult.ts';

/**
 * Returns the result as shown. For a long one, the model reads head, first errors and tail, or a summary if
 * its server is configured for it and the summary succeeds; people always read the parts. Only results of
 * read-only calls are summarised: until the result is stored, the effect of any other call would be
 * uncertain.
 * @throws as `prepareResult`; the lease's reason when it is lost.
 */
export async function presentResult(
  context: IterationContext,
  pending: PendingCall,
  call: ToolCall,
  result: ToolResult,
): Promise<PresentedResult> {
  const { large, ...short } = result;
  if (large === undefined) return { result: short };
  const summary =
    large.summarizeWith === undefined || !pending.readOnly
      ? undefined
      : await summarizeResult(context, call, large, large.summarizeWith);
  const prepared = await prepareResult(context.held, pending, large, context.deps);
  const { stored } = prepared;
  const note = partNote(stored, large.bytes);
  const content = await runGradually(cutSteps(large.text, large.maxBytes, note));
  const shown: ShownResult = { ...short, content, stored };
  const append: PresentedResult['append'] = (current, batch) => {
    batch.writes.push(...prepared.writes(batch.now));
    return summary === undefined ? current : appendSummary(context, pending, summary, current, batch);
  };
  if (summary?.text === undefined) return { result: shown, append };
  const modelContent = `${summaryNote(stored, large.bytes, summary.model.model)}\n${summary.text}`;
  return { result: { ...shown, modelContent }, append };
}
