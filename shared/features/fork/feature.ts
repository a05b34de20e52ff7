// The calls of a fork: stored results answer them, or servers answer those that only read. A call that can
// change something waits for a new approval, and never reaches a server.

import type {
  ConnectTools,
  ExecuteOptions,
  ToolCall,
  ToolDefinition,
  ToolExecutor,
  ToolResult,
  ToolSource,
} from '../../core/contract/tools.ts';
import type { Feature } from '../../core/kernel/feature/feature.ts';
import { SEARCH, SEARCH_CHANGES } from '../../core/schema/agent.ts';
import { readPart } from '../../core/schema/parts.ts';
import { recordedSources } from '../../kits/forks/recordedSources.ts';
import { executionForkPart } from '../../schema/forkPart.ts';
import { limitText } from '../../text/limitText.ts';
import { type RecordedCalls, readRecordedCalls, readToolLists } from './recordedCalls.ts';

/** Searches of data that changes: a fork with recorded tools has their recorded results. */
const SEARCHES: readonly string[] = [SEARCH, SEARCH_CHANGES];

/** @param connector connects sources of tools. */
export function forkFeature({
  connector,
}: {
  connector(sources: readonly ToolSource[]): ConnectTools;
}): Feature {
  return {
    connectTools(execution, deps) {
      const fork = readPart(executionForkPart, execution);
      if (fork === undefined) return undefined;
      const calls = readRecordedCalls(fork, deps.store);
      if (fork.tools === 'live')
        return async (allowed, options) => withoutWrites(await deps.connectTools(allowed, options), calls);
      return async (allowed, options) => {
        const lists = await readToolLists(fork, deps.store);
        const named = allowed.map((tool) => tool.split('.', 1)[0] ?? '');
        const moment = () => ({ at: new Date(8.64e15), missing: [] });
        const sources = recordedSources(lists, named, moment, (call) => calls.answer(call));
        return withoutWrites(await connector(sources)(allowed, options), calls);
      };
    },
    offerTools(tools, { held, deps }) {
      const fork = readPart(executionForkPart, held.current());
      if (fork?.tools !== 'recorded') return tools;
      const calls = readRecordedCalls(fork, deps.store);
      return {
        ...tools,
        list: () => tools.list(),
        execute: (call, options) =>
          SEARCHES.includes(call.name) ? answerCall(call, calls, options) : tools.execute(call, options),
      };
    },
  };
}

/** The tools, of which those that can change something ask a person again and have recorded results only. */
function withoutWrites(executor: ToolExecutor, calls: RecordedCalls): ToolExecutor {
  const asking = new Map<ToolDefinition, ToolDefinition>();
  const ask = (tool: ToolDefinition): ToolDefinition => {
    if (tool.readOnly) return tool;
    const known = asking.get(tool) ?? { ...tool, waits: 'person', recovery: 'repeat' };
    asking.set(tool, known);
    return known;
  };
  return {
    ...executor,
    list: () => executor.list().map(ask),
    execute: (call, options) =>
      executor.list().some(({ name, readOnly }) => name === call.name && !readOnly)
        ? answerCall(call, calls, options)
        : executor.execute(call, options),
  };
}

async function answerCall(
  call: ToolCall,
  calls: RecordedCalls,
  { maxResultBytes }: ExecuteOptions,
): Promise<ToolResult> {
  const { content, ...outcome } = await calls.answer(call);
  const { callId, name } = call;
  return { callId, name, ...outcome, ...limitText(content, maxResultBytes), durationMs: 0 };
}
