// Large results: stored whole, shown in part or summarised, and read with `read_result`.

import type { ToolCall, ToolResult } from '../../core/contract/tools.ts';
import type { IterationContext } from '../../core/kernel/execution/context.ts';
import type { Feature, PresentedResult } from '../../core/kernel/feature/feature.ts';
import type { ShownResult } from '../../core/kernel/state/callResult.ts';
import type { Execution, PendingCall } from '../../core/schema/execution.ts';
import { partNote, summaryNote } from '../../prompt/largeResult.ts';
import { runGradually } from '../../text/yieldingSteps.ts';
import { cutSteps } from './cutResult.ts';
import { withReadResult } from './readResult.ts';
import { prepareResult } from './storeResult.ts';
import { appendSummary, summarizeResult } from './summarizeResult.ts';

/** Stores large results, records read ranges, and adds `read_result` for agents with tools. */
export const RESULTS: Feature = {
  offerTools: (tools, { held, deps }, { conversation }) =>
    withReadResult(tools, conversation, held.current(), deps.store),
  async presentResult(context, pending, call, result) {
    const { append, ...presented } = await presentResult(context, pending, call, result);
    return {
      ...presented,
      append: (current, batch) => recordReads(append?.(current, batch) ?? current, pending, result),
    };
  },
};

const MAX_ITEMS = 100;

/** The execution with the sources of a result. A call without an answer has none. Pure. */
function recordReads(
  execution: Execution,
  { name }: Pick<PendingCall, 'name'>,
  { yields = 'text', entries = [], noAnswer, timedOut }: ToolResult,
): Execution {
  if (noAnswer || timedOut) return execution;
  const { text, ...reads } = execution.reads;
  const [server, ...tool] = name.split('.');
  const servers = tool.length === 0 || server === undefined ? [] : [server];
  return {
    ...execution,
    reads: {
      text: text || yields === 'text',
      servers: addItems(reads.servers, servers),
      entries: addItems(reads.entries, entries),
    },
  };
}

function addItems<T>(known: readonly T[], added: readonly T[]): T[] {
  return [...new Set([...known, ...added])].slice(0, MAX_ITEMS);
}

/**
 * Returns the result as shown. For a long one, the model reads head, first errors and tail, or a summary if
 * its server is configured for it and the summary succeeds; people always read the parts. Only results of
 * read-only calls are summarised: until the result is stored, the effect of any other call would be
 * uncertain.
 * @throws as `prepareResult`; the lease's reason when it is lost.
 */
async function presentResult(
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
