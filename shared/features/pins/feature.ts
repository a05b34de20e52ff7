// Pinned tools: a session offers the tools of a server, and shows its instructions, as it first saw them.

import type { ConversationMessage } from '../../core/contract/llm.ts';
import type { ToolExecutor } from '../../core/contract/tools.ts';
import { commitBatch } from '../../core/kernel/execution/commitBatch.ts';
import type { IterationContext } from '../../core/kernel/execution/context.ts';
import type { Feature } from '../../core/kernel/feature/feature.ts';
import type { ToolChange } from '../../core/kernel/tools/agentTools.ts';
import { changedToolsEvent, changedToolsNotice } from '../../core/prompts/changedTools.ts';
import { withPart } from '../../core/schema/parts.ts';
import { textMessage } from '../../core/schema/textMessage.ts';
import type { EventDraft } from '../../core/schema/timelineEvent.ts';
import { pinsPart, readPinned } from '../../kits/agents/pins.ts';
import { quoteText } from '../../text/cut.ts';
import { pinTools } from './pinTools.ts';
import { recordInstructions } from './recordInstructions.ts';

/** Limits the growth of the execution if a server changes constantly: further changes are only logged. */
const MAX_REPORTED = 50;

/** Tools that an event names. */
const MAX_NAMED = 20;

/** Leaves out changed tools, and adds messages about changes and servers' instructions. */
export const PINS: Feature = {
  checkTools: (executor, context) => pinTools(context, executor),
  async beforeAsking(context, tools) {
    await recordMissingTools(context, tools);
    const changes = await recordToolChanges(context, tools.changes);
    return { messages: [...changes, ...(await recordInstructions(context, tools))] };
  },
};

/**
 * Records missing tools once for each agent: the caveat shows that they were recorded. A server that lists no
 * tool can still start, and is not checked.
 * @throws LeaseLostError when another writer changed the execution.
 */
async function recordMissingTools(
  { held, agent, deps }: IterationContext,
  { offered }: Pick<ToolExecutor, 'offered'>,
): Promise<void> {
  const { caveats, sessionId, executionId } = held.current();
  if (caveats.includes('TOOL_MISSING')) return;
  const events = offered.flatMap(({ source, tools, narrowed = [] }): EventDraft[] => {
    const known = new Set([...tools.map(({ name }) => name), ...narrowed]);
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

/**
 * Records changes that were not reported yet. Does nothing if there are none. A tool that changes again is
 * not reported again.
 * @returns the stored messages.
 * @throws LeaseLostError when another writer changed the execution.
 */
async function recordToolChanges(
  context: IterationContext,
  changes: readonly ToolChange[],
): Promise<ConversationMessage[]> {
  const { held, deps } = context;
  const { sessionId, executionId } = held.current();
  const { changedTools } = readPinned(held.current());
  const unknown = changes.filter(({ name }) => !changedTools.includes(name));
  const reported = unknown.slice(0, Math.max(0, MAX_REPORTED - changedTools.length));
  if (reported.length === 0) return [];
  const events = [...new Set(reported.map(({ server }) => server))].map((server) =>
    draftToolChangeEvent(server, reported, unknown),
  );
  for (const { content } of events) deps.log.warn({ sessionId, executionId }, content);
  const notice = changedToolsNotice(reported);
  const messages = notice === '' ? [] : [textMessage('user', notice)];
  await commitBatch(held, deps, (current, batch) => {
    for (const event of events) batch.appendEvent(event);
    for (const message of messages) batch.appendMessage(message);
    const names = reported.map(({ name }) => name);
    const before = readPinned(current);
    const pins = { ...before, changedTools: [...before.changedTools, ...names] };
    return { ...withPart(pinsPart, current, pins), ...batch.counters() };
  });
  return messages;
}

function draftToolChangeEvent(
  server: string,
  reported: readonly ToolChange[],
  all: readonly ToolChange[],
): EventDraft {
  const ofServer = (changes: readonly ToolChange[]) => changes.filter((change) => change.server === server);
  const more = ofServer(all).length - ofServer(reported).length;
  return {
    eventType: 'notice',
    content: changedToolsEvent(server, ofServer(reported), more),
    metadata: { code: 'tool_changed', subject: server },
  };
}
