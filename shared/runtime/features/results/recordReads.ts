// Records in the execution the sources that it has read: the memory of its session depends on them.

import type { ToolResult } from '../../../contract/tools.ts';
import type { Execution, PendingCall } from '../../../schema/execution.ts';

const MAX_ITEMS = 100;

/** The execution with the sources of a result. A call without an answer has none. Pure. */
export function recordReads(
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
