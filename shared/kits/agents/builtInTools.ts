// Offers built-in tools in addition to an agent's other tools, and runs their calls.

import type { ExecuteOptions, ToolCall, ToolDefinition, ToolResult } from '../../core/contract/tools.ts';
import type { IterationContext } from '../../core/kernel/execution/context.ts';
import type { AgentTools } from '../../core/kernel/tools/agentTools.ts';
import { describedTools } from '../../core/kernel/tools/describedTools.ts';
import { makeVisible } from '../../text/hiddenCharacters.ts';
import { limitText } from '../../text/limitText.ts';
import type { BuiltInAnswer } from './builtInAnswer.ts';

/** A built-in tool. */
export interface BuiltInTool {
  /** As agents are offered it: always the same bytes. */
  tool: ToolDefinition;
  /** Runs a call. Throws only on an abort. */
  run: (call: ToolCall, context: IterationContext, signal: AbortSignal) => Promise<BuiltInAnswer>;
}

/** Adds those of `tools` that the agent has. */
export function withBuiltInTools(
  executor: AgentTools,
  context: IterationContext,
  tools: readonly BuiltInTool[],
): AgentTools {
  const own = tools.filter(({ tool }) => context.agent.tools.includes(tool.name));
  if (own.length === 0) return executor;
  const offered = describedTools(
    own.map(({ tool }) => tool),
    context.agent,
  );
  return {
    ...executor,
    list: () => [...executor.list(), ...offered],
    async execute(call, options) {
      const called = own.find(({ tool }) => tool.name === call.name);
      if (called === undefined) return executor.execute(call, options);
      options.signal.throwIfAborted();
      const startedAt = performance.now();
      const answer = await called.run(call, context, options.signal);
      return maskBuiltInResult(call, answer, Math.round(performance.now() - startedAt), options);
    },
  };
}

/** Treats the result as a server's: masked, made visible, and cut with the whole text stored. */
async function maskBuiltInResult(
  { callId, name }: ToolCall,
  { content, ...answer }: BuiltInAnswer,
  durationMs: number,
  { mask, maxResultBytes }: ExecuteOptions,
): Promise<ToolResult> {
  const masked = await mask(content);
  const text = makeVisible(masked.text);
  const limited = limitText(text, maxResultBytes);
  const bytes = Buffer.byteLength(text);
  return {
    callId,
    name,
    ...limited,
    ...answer,
    ...(limited.truncated && { large: { text, bytes, maxBytes: maxResultBytes } }),
    ...(masked.count > 0 && { masked: masked.count }),
    durationMs,
    timedOut: false,
    // Entries that hold text from outside are shown without it.
    yields: answer.yields ?? 'state',
  };
}
