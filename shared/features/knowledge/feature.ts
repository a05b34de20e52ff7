// The knowledge base: agents search it, and read the entries that their configuration names.

import type { ConversationMessage } from '../../core/contract/llm.ts';
import { readOrWarn, UNREADABLE } from '../../core/kernel/documents/reading.ts';
import { commitBatch } from '../../core/kernel/execution/commitBatch.ts';
import type { IterationContext } from '../../core/kernel/execution/context.ts';
import type { Feature } from '../../core/kernel/feature/feature.ts';
import { ACTION_TOOL, SEARCH_TOOL } from '../../core/prompts/builtInTools.ts';
import { paths, sessionType } from '../../core/schema/coreDocuments.ts';
import { readPart, withPart } from '../../core/schema/parts.ts';
import { textMessage } from '../../core/schema/textMessage.ts';
import { type BuiltInTool, withBuiltInTools } from '../../kits/agents/builtInTools.ts';
import { cleanText } from '../../masking/cleanText.ts';
import { resourcesMessage, type ShownResource } from '../../prompt/resources.ts';
import { type Knowledge, resourcesPart, toKnowledgeKey } from '../../search/knowledge.ts';
import { readEntry } from '../../search/readEntry.ts';
import { forPrompt, isConfirmed } from '../../search/trust.ts';
import { runAction } from './action.ts';

const MISSING = 'an entry that an agent names counts as missing';

/** Loaded on the first call: most iterations do not search. */
const runSearch: BuiltInTool['run'] = async (...called) => (await import('./search.ts')).runSearch(...called);

const TOOLS: readonly BuiltInTool[] = [
  { tool: SEARCH_TOOL, run: runSearch },
  { tool: ACTION_TOOL, run: runAction },
];

/** Adds the tools `search` and `action`, and a message with the entries that the agent names. */
export const KNOWLEDGE: Feature = {
  offerTools: (tools, context, { purpose }) =>
    purpose === 'ask' || purpose === 'run' ? withBuiltInTools(tools, context, TOOLS) : tools,
  async beforeAsking(context) {
    return { messages: await recordResources(context) };
  },
};

/**
 * Stores the message before the first request; does nothing for an agent without resources.
 * @returns the stored messages.
 * @throws LeaseLostError when another writer changed the execution; RetryableError when the store fails.
 */
async function recordResources(context: IterationContext): Promise<ConversationMessage[]> {
  const { held, agent, masker, dataNonce, deps } = context;
  const { sessionId, executionId } = held.current();
  const isShown = readPart(resourcesPart, held.current())?.resourcesRead;
  if (isShown || agent.resources === undefined) return [];
  const keys = [...new Set(agent.resources.map(toKnowledgeKey))].filter((key) => key !== '');
  const session = await deps.store.get(paths.session(sessionId), sessionType);
  const { tenantId = '', userId = null } = session?.value ?? {};
  const now = deps.clock.now();
  const read = await Promise.all(
    keys.map((key) =>
      tenantId === ''
        ? undefined
        : readOrWarn(readEntry(key, { tenantId, userId }, { store: deps.store, now }), MISSING, deps.log),
    ),
  );
  const clean = (text: string) => cleanText(masker, text).text;
  const entries = read.flatMap((value) =>
    value === undefined || value === UNREADABLE || !isConfirmed(value) ? [] : [shownResource(value, clean)],
  );
  const missing = keys.filter((key) => !entries.some((entry) => entry.key === key));
  if (missing.length > 0)
    deps.log.warn(
      { sessionId, executionId, missing },
      'resources of an agent are not in the knowledge base, or no person confirmed them',
    );
  const message = textMessage('user', resourcesMessage(entries, missing.map(clean), dataNonce));
  await commitBatch(held, deps, (current, batch) => {
    batch.appendMessage(message);
    const shown = [...current.reads.entries, ...entries.map(({ key }) => key)];
    const reads = { ...current.reads, entries: [...new Set(shown)] };
    return { ...withPart(resourcesPart, current, { resourcesRead: true }), ...batch.counters(), reads };
  });
  return [message];
}

function shownResource(entry: Knowledge, clean: (text: string) => string): ShownResource {
  const { key, title, text } = forPrompt(entry);
  return { key, title: clean(title), text: clean(text) };
}
