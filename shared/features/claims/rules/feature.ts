// Rules over collected results: an agent gets their finding as a fact before its first answer.

import { KEEPS_LEDGER } from '../../../core/contract/ledgerTool.ts';
import type { ConversationMessage } from '../../../core/contract/llm.ts';
import { commitBatch } from '../../../core/kernel/execution/commitBatch.ts';
import type { IterationContext } from '../../../core/kernel/execution/context.ts';
import type { CommitCalls, Feature, Introduction } from '../../../core/kernel/feature/feature.ts';
import { DEFAULT_RULES } from '../../../core/schema/agent.ts';
import { paths, sessionType } from '../../../core/schema/coreDocuments.ts';
import { countedIterations } from '../../../core/schema/execution.ts';
import { textMessage } from '../../../core/schema/textMessage.ts';
import { contrastCalls } from '../../../evidence/contrast.ts';
import { stateText } from '../../../evidence/verdictWords.ts';
import { readClaims } from '../../../kits/claims/readClaims.ts';
import { isRuleFact, ruleFactPrompt } from '../../../prompt/ruleFact.ts';
import { statedContrasts } from '../../../prompt/statedContrasts.ts';
import type { ContrastCall } from '../../../schema/contrast.ts';
import { CONTRAST_MS, isSendable, MOST_CONTRASTS } from '../contrastProbe.ts';
import { findByRule } from '../findByRule.ts';
import { judgeByRule } from '../judgeByRule.ts';

interface Contrasts {
  /** Stores calls for contrast. Default: none are made. */
  commitContrasts?: (contrasts: readonly ContrastCall[]) => CommitCalls;
}

/** Runs the rules after the collected calls, with calls for contrast where these can decide. */
export const rulesFeature = (options: Contrasts): Feature => ({
  async beforeAsking(context, _tools, conversation) {
    const { held, agent } = context;
    const isDue = held.current().collects && agent.tools.includes(KEEPS_LEDGER) && !isDone(conversation);
    return isDue ? introduceFact(context, conversation, options) : { messages: [] };
  },
});

/** Whether the model has answered, or has the fact. */
const isDone = (conversation: readonly ConversationMessage[]): boolean =>
  conversation.some(
    ({ role, blocks: [block] }) =>
      role === 'assistant' ||
      (role === 'user' && block?.blockType === 'text' && isRuleFact(block.textContent)),
  );

async function introduceFact(
  { held, deps, dataNonce, masker }: IterationContext,
  conversation: readonly ConversationMessage[],
  { commitContrasts }: Contrasts,
): Promise<Introduction> {
  const { sessionId, executionId, siblings, limits } = held.current();
  const session = (await deps.store.get(paths.session(sessionId), sessionType))?.value;
  const { claims, contrast, rules = DEFAULT_RULES } = session?.chain ?? {};
  if (session === undefined || claims === undefined || rules === 'off') return { messages: [] };
  const read = await readClaims(session, deps.store, deps.clock.now());
  const own = read.executions.find(({ execution }) => execution.executionId === executionId);
  if (own === undefined) return { messages: [] };
  const reading = findByRule(session, { ...read, combined: own.citable });
  if (reading === undefined) return { messages: [] };
  const { finding, open, scope } = reading;
  // Agents side by side share a session's calls, which take an iteration that must not be the last.
  const isLast = countedIterations(held.current()) >= limits.maxIterations;
  const room = Math.floor((MOST_CONTRASTS - read.contrasts.length) / (siblings + 1));
  if (commitContrasts && contrast !== 'off' && statedContrasts(conversation) === undefined && !isLast) {
    const calls = contrastCalls(
      open.map((state) => ({ ...state, id: state.row.id })),
      scope,
    );
    const until = new Date(deps.clock.now().getTime() + CONTRAST_MS).toISOString();
    const contrasts = calls
      .filter(isSendable)
      .slice(0, Math.max(0, room))
      .map((call) => ({ ...call, until }));
    if (contrasts.length > 0) return { messages: [], commitCalls: commitContrasts(contrasts) };
  }
  if (finding === undefined) return { messages: [] };
  const { reason } = judgeByRule(session, { ...read, combined: own.citable }, finding);
  const { component, mechanism, source, lines } = finding;
  const fact = { component, mechanism, text: stateText(reason), result: source.id, lines };
  const message = textMessage('user', masker.mask(ruleFactPrompt(fact, dataNonce)).text);
  await commitBatch(held, deps, (current, batch) => {
    batch.appendMessage(message);
    return { ...current, ...batch.counters() };
  });
  return { messages: [message] };
}
