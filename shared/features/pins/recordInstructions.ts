// Stores the instructions of servers for their tools as a message of the conversation, once for each server,
// so that later requests repeat it in place. Changed instructions are reported like changed tools.

import type { Masker } from '../../core/contract/guard.ts';
import type { ConversationMessage } from '../../core/contract/llm.ts';
import { MAX_INSTRUCTIONS } from '../../core/contract/tools.ts';
import { commitBatch } from '../../core/kernel/execution/commitBatch.ts';
import type { IterationContext } from '../../core/kernel/execution/context.ts';
import type { AgentTools, RawInstructions, ServerScope } from '../../core/kernel/tools/agentTools.ts';
import { withPart } from '../../core/schema/parts.ts';
import { textMessage } from '../../core/schema/textMessage.ts';
import { pinsPart, readPinned } from '../../kits/agents/pins.ts';
import { cleanText } from '../../masking/cleanText.ts';
import {
  changedInstructionsEvent,
  changedInstructionsNotice,
  INSTRUCTIONS_TOO_LONG,
  instructionsMessage,
  type ServerInstructions,
  type ServerScopeText,
  scopeEvent,
  scopeMessage,
} from '../../prompt/serverInstructions.ts';

/**
 * Stores the instructions that the conversation lacks, and reports new changes. Does nothing if there are
 * none.
 * @returns the stored messages.
 * @throws LeaseLostError when another writer changed the execution.
 */
export async function recordInstructions(
  context: IterationContext,
  {
    instructions,
    changedServers,
    scopes = [],
  }: Pick<AgentTools, 'instructions' | 'changedServers' | 'scopes'>,
): Promise<ConversationMessage[]> {
  const { held, dataNonce, masker, deps } = context;
  const { sessionId, executionId } = held.current();
  const { introducedServers, changedServers: reported } = readPinned(held.current());
  const added = instructions.filter(({ server }) => !introducedServers.includes(server));
  const changed = changedServers.filter((server) => !reported.includes(server));
  const limited = scopes.filter(({ server }) => !introducedServers.includes(`${SCOPE}${server}`));
  if (added.length + changed.length + limited.length === 0) return [];
  const scoped = limited.map((scope) => scopeText(scope, masker));
  const shown = added.map((one) => cleanInstructions(one, masker));
  const outdated = changed.filter((server) => introducedServers.includes(server));
  const messages = [
    ...(scoped.length === 0 ? [] : [textMessage('user', scopeMessage(scoped, dataNonce))]),
    ...(shown.length === 0 ? [] : [textMessage('user', instructionsMessage(shown, dataNonce))]),
    ...(outdated.length === 0 ? [] : [textMessage('user', changedInstructionsNotice(outdated))]),
  ];
  for (const server of changed)
    deps.log.warn({ sessionId, executionId, server }, changedInstructionsEvent(server));
  await commitBatch(held, deps, (current, batch) => {
    for (const server of changed) {
      batch.appendEvent({
        eventType: 'notice',
        content: changedInstructionsEvent(server),
        metadata: { code: 'tool_changed', subject: server },
      });
    }
    for (const scope of scoped) {
      batch.appendEvent({
        eventType: 'notice',
        content: scopeEvent(scope),
        metadata: { code: 'tool_scope', subject: scope.server },
      });
    }
    for (const message of messages) batch.appendMessage(message);
    const pins = {
      ...readPinned(current),
      introducedServers: [
        ...introducedServers,
        ...added.map(({ server }) => server),
        ...limited.map(({ server }) => `${SCOPE}${server}`),
      ],
      changedServers: [...reported, ...changed],
    };
    return { ...withPart(pinsPart, current, pins), ...batch.counters() };
  });
  return messages;
}

/** Before the name of a server whose scope is part of the conversation. No name of a server has a colon. */
const SCOPE = 'scope:';

function scopeText({ server, values }: ServerScope, masker: Masker): ServerScopeText {
  const text = Object.entries(values)
    .map(([key, value]) => `${key}=${value}`)
    .join(', ');
  return { server, text: cleanText(masker, text).text };
}

/** Makes hidden characters visible after masking, which sees through them, not their replacements. */
function cleanInstructions({ server, text }: RawInstructions, masker: Masker): ServerInstructions {
  return {
    server,
    text: text.length > MAX_INSTRUCTIONS ? INSTRUCTIONS_TOO_LONG : cleanText(masker, text).text,
  };
}
