// The calls that an execution makes before it asks its model: the agent's configured calls, filled with the
// labels of the alert. Pure: the same snapshot gives the same calls, so another process can resume them.

import type { ToolCall } from '../../core/contract/tools.ts';
import type { AgentSnapshot, CollectCall } from '../../core/schema/agent.ts';
import { collectedId, contrastId } from '../../schema/collected.ts';
import type { ContrastCall } from '../../schema/contrast.ts';
import { parseJson } from '../../text/json.ts';
import { fillLabelsIn } from '../../text/labelText.ts';

/** A call that is skipped, and the reason. */
interface LeftOut {
  /** `server.tool` */
  tool: string;
  /** Names the missing label. */
  reason: string;
}

/** The calls to make, and those that are skipped because a label is missing. */
export interface CollectPlan {
  /** A position is the index of the pending call. */
  calls: ToolCall[];
  /** The skipped calls, in the order of the configuration. */
  leftOut: LeftOut[];
  /** The calls for contrast that these are. Absent: they are those of the configuration. */
  contrasts?: readonly ContrastCall[];
}

/** The calls of an agent for the alert with these labels. */
export function planCollect({
  agent,
  labels,
}: {
  agent: { collect: readonly CollectCall[] };
  labels: AgentSnapshot['labels'];
}): CollectPlan {
  const plan: CollectPlan = { calls: [], leftOut: [] };
  for (const { tool, arguments: template } of agent.collect) {
    const filled = fillLabelsIn(parseJson(template), labels);
    if (!filled.ok) {
      plan.leftOut.push({ tool, reason: filled.reason });
      continue;
    }
    const callId = collectedId(plan.calls.length);
    plan.calls.push({ callId, name: tool, arguments: JSON.stringify(filled.value) });
  }
  return plan;
}

/** Calls for contrast, which are sent as they were chosen. */
export const planContrasts = (contrasts: readonly ContrastCall[]): CollectPlan => ({
  calls: contrasts.map(({ tool, arguments: args, until }, index) => ({
    callId: contrastId(index),
    name: tool,
    arguments: args,
    ...(until !== undefined && { until: new Date(until) }),
  })),
  leftOut: [],
  contrasts,
});
