// Records that tools differ from the session's pins: once for each tool, as an event, and as a message to an
// agent that had the tool.

import type { ConversationMessage } from '../../core/contract/llm.ts';
import { commitBatch } from '../../core/kernel/execution/commitBatch.ts';
import type { IterationContext } from '../../core/kernel/execution/context.ts';
import type { ToolChange } from '../../core/kernel/tools/agentTools.ts';
import { changedToolsEvent, changedToolsNotice } from '../../core/prompts/changedTools.ts';
import { withPart } from '../../core/schema/parts.ts';
import { textMessage } from '../../core/schema/textMessage.ts';
import type { EventDraft } from '../../core/schema/timelineEvent.ts';
import { pinsPart, readPinned } from '../../kits/agents/pins.ts';

/** Limits the growth of the execution if a server changes constantly: further changes are only logged. */
const MAX_REPORTED = 50;

/**
 * Records changes that were not reported yet. Does nothing if there are none. A tool that changes again is
 * not reported again.
 * @returns the stored messages.
 * @throws LeaseLostError when another writer changed the execution.
 */
export async function recordToolChanges(
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
