// Large results: stored whole, shown in part or summarised, and read with `read_result`.

import type { ToolResult } from '../../core/contract/tools.ts';
import type { Feature } from '../../core/kernel/feature/feature.ts';
import type { Execution, PendingCall } from '../../core/schema/execution.ts';
import { presentResult } from './presentResult.ts';
import { withReadResult } from './readResult.ts';

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
