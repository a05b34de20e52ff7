// Records tools that an agent lists and servers lack: an event per server, and a caveat.

import type { ToolExecutor } from '../../core/contract/tools.ts';
import { commitBatch } from '../../core/kernel/execution/commitBatch.ts';
import type { IterationContext } from '../../core/kernel/execution/context.ts';
import type { EventDraft } from '../../core/schema/timelineEvent.ts';
import { quoteText } from '../../text/cut.ts';

/** Tools that an event names. */
const MAX_NAMED = 20;

/**
 * Records missing tools once for each agent: the caveat shows that they were recorded. A server that lists no
 * tool can still start, and is not checked.
 * @throws LeaseLostError when another writer changed the execution.
 */
export async function recordMissingTools(
  { held, agent, deps }: IterationContext,
  { offered }: Pick<ToolExecutor, 'offered'>,
): Promise<void> {
  const { caveats, sessionId, executionId } = held.current();
  if (caveats.includes('TOOL_MISSING')) return;
  const events = offered.flatMap(({ source, tools }): EventDraft[] => {
    const known = new Set(tools.map(({ name }) => name));
    const missing = agent.tools.filter((name) => name.startsWith(`${source}.`) && !known.has(name));
    if (tools.length === 0 || missing.length === 0) return [];
    const names = missing.slice(0, MAX_NAMED).map((name) => quoteText(name, 100));
    const more = missing.length > MAX_NAMED ? ` and ${missing.length - MAX_NAMED} more` : '';
    const content = `The server ${source} does not have tools that ${agent.name} lists: ${names.join(', ')}${more}. The agent works without them.`;
    return [{ eventType: 'notice', content, metadata: { code: 'tool_missing', subject: source } }];
  });
  if (events.length === 0) return;
  for (const { content } of events) deps.log.warn({ sessionId, executionId }, content);
  await commitBatch(held, deps, (current, batch) => {
    for (const event of events) batch.appendEvent(event);
    return { ...current, ...batch.counters(), caveats: [...current.caveats, 'TOOL_MISSING' as const] };
  });
}
