// Search of tools: agents with many tools get `find_tools` and `call_tool` instead of definitions.

import { KEEPS_LEDGER } from '../../core/contract/ledgerTool.ts';
import { isSkillTool } from '../../core/contract/skills.ts';
import type { ExecuteOptions, ToolCall, ToolDefinition, ToolResult } from '../../core/contract/tools.ts';
import type { Feature } from '../../core/kernel/feature/feature.ts';
import { failedResult } from '../../core/kernel/state/callResult.ts';
import type { AgentTools } from '../../core/kernel/tools/agentTools.ts';
import {
  FIND_TOOLS,
  FOUND_TOOLS,
  foundTools,
  MAX_LISTED_TOOLS,
  notATool,
  searchTools,
} from '../../core/prompts/toolSearch.ts';
import { BUILT_IN_TOOLS } from '../../core/schema/agent.ts';
import { rankTools } from '../../search/rankTools.ts';
import { parseCallArguments } from '../../text/callArguments.ts';
import { asText } from '../../text/json.ts';
import { limitText } from '../../text/limitText.ts';

/** Hides servers' tools above a number, and adds the two tools. Results are data of servers. */
export const TOOL_SEARCH: Feature = {
  offerTools(tools, { agent }, { purpose }) {
    const hidden = tools.list().filter(({ neutral }) => !neutral);
    const isUsed = purpose === 'ask' || purpose === 'run';
    return isUsed && hidden.length > MAX_LISTED_TOOLS
      ? withSearch(tools, hidden, listAllowedServers(agent.tools))
      : tools;
  },
};

/** Names of the servers of an agent, which lists servers or their tools. */
function listAllowedServers(allowed: readonly string[]): string[] {
  const servers = allowed
    .filter((name) => !BUILT_IN_TOOLS.includes(name) && !isSkillTool(name) && name !== KEEPS_LEDGER)
    .map((name) => name.split('.', 1)[0] ?? name);
  return [...new Set(servers)].sort();
}

function withSearch(
  executor: AgentTools,
  hidden: readonly ToolDefinition[],
  servers: readonly string[],
): AgentTools {
  const own = searchTools(servers);
  const listed = [...executor.list(), ...own];
  const names = new Set(listed.map(({ name }) => name));
  const isChanged = (name: string) => executor.changes.some((change) => change.name === name);
  const isMissing = (name: string) => executor.missing.some((server) => name.startsWith(`${server.name}.`));
  return {
    ...executor,
    hidden,
    list: () => listed,
    execute(call, options) {
      if (call.name === FIND_TOOLS) return findTools(call, hidden, options);
      // The text of a changed tool, and of an unreachable server, is that of the executor.
      if (names.has(call.name) || isChanged(call.name) || isMissing(call.name))
        return executor.execute(call, options);
      options.signal.throwIfAborted();
      return Promise.resolve({ ...failedResult(call, notATool(call.name)), unknownTool: true });
    },
  };
}

function findTools(
  call: ToolCall,
  tools: readonly ToolDefinition[],
  { signal, maxResultBytes }: ExecuteOptions,
): Promise<ToolResult> {
  signal.throwIfAborted();
  const startedAt = performance.now();
  const query = asText(parseCallArguments(call.arguments).query) ?? '';
  const found = rankTools(query, tools).slice(0, FOUND_TOOLS);
  // The definitions are masked, and made visible, like those of any list.
  const limited = limitText(foundTools(found, tools.length), maxResultBytes);
  return Promise.resolve({
    callId: call.callId,
    name: call.name,
    ...limited,
    isError: false,
    durationMs: Math.round(performance.now() - startedAt),
    timedOut: false,
    yields: 'state',
  });
}
