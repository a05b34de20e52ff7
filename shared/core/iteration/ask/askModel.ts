// The model call of an iteration: asks the model, interprets the answer and commits the result.

import { incrementalFold } from '../../../text/incrementalFold.ts';
import { memoized } from '../../../text/memo.ts';
import { frameRule } from '../../../text/untrustedFrame.ts';
import type { Interpretation, IterationInput } from '../../contract/controller.ts';
import type { Masker } from '../../contract/guard.ts';
import { KEEPS_LEDGER } from '../../contract/ledgerTool.ts';
import type { ConversationMessage, LlmRequest, LlmResponse } from '../../contract/llm.ts';
import type { ToolCall } from '../../contract/tools.ts';
import { requireLedger } from '../../controllers/requireLedger.ts';
import { CRASH_POINTS } from '../../kernel/crashPoints.ts';
import type { Affordable, Asking } from '../../kernel/feature/feature.ts';
import type { ModelCall } from '../../kernel/model/modelCall.ts';
import { showNativeTools } from '../../kernel/model/nativeToolRecord.ts';
import { failedResult } from '../../kernel/state/callResult.ts';
import { FREE_RESERVATION } from '../../kernel/tokens/tokenLedger.ts';
import { type AgentTools, promptTools } from '../../kernel/tools/agentTools.ts';
import { canaryRule } from '../../prompts/canary.ts';
import type { ConclusionReason } from '../../prompts/wording.ts';
import type { MessageDraft } from '../../schema/message.ts';
import { textMessage } from '../../schema/textMessage.ts';
import { commitAnswer } from '../answer/commitAnswer.ts';
import { failIteration } from '../answer/failIteration.ts';
import type { RunContext } from '../context/features.ts';
import { fitConversation } from './fitConversation.ts';
import { framedResults } from './framedResults.ts';
import { shownTexts } from './shownTexts.ts';

/**
 * Asks the model once and commits its answer, its final analysis, or the failure of the call.
 * @param conclusion why this is the forced conclusion; undefined for an ordinary request.
 * @returns the calls to run; none if the iteration has ended.
 * @throws LeaseLostError when another writer changed the execution; nothing was written.
 */
export async function askModel(
  context: RunContext,
  conversation: ConversationMessage[],
  executor: Pick<AgentTools, 'list' | 'changes' | 'hidden'>,
  conclusion: ConclusionReason | undefined,
): Promise<ToolCall[]> {
  const { held, masker, controller, live, features, deps } = context;
  const tools = executor.list();
  const build = (reason: ConclusionReason | undefined, maxBytes?: number) =>
    buildAsking(context, conversation, executor, reason, maxBytes);
  const affordable: Affordable<BuiltAsking> = features.think.question(held.current())?.isOpen
    ? { kind: 'granted', asking: build(conclusion), reservation: FREE_RESERVATION }
    : await features.budgets.affordCall(context, conclusion, build);
  if (affordable.kind === 'refused') {
    await failIteration(context, affordable.error);
    return [];
  }
  const { asking, reservation } = affordable;
  const { input, prelude } = asking;
  held.check();
  const execution = held.current();
  const lastMessage = execution.lastMessage + prelude.length;
  const options = { mode: input.mode, lastMessage, reservation, onProgress: live.listen() };
  const call = await features.think.call(context, asking, options);
  live.stop();
  if (call === undefined) return [];
  if (held.signal.aborted) throw held.signal.reason;
  await deps.failpoint?.(CRASH_POINTS.beforeCommitA);
  const isStored = features.think.question(held.current()) !== undefined;
  const unstored = isStored ? [] : prelude;
  if (!call.outcome.ok) {
    await failIteration(context, call.outcome.error, call, unstored);
    return [];
  }
  const answer = masker.cleanAnswer(call.outcome.response);
  const { response } = answer;
  const { iteration } = execution;
  const interpreted = controller.interpret(response, input);
  const interpretation = masker.refuseCalls(interpreted, answer, { iteration, conversation, failedResult });
  warnAboutNativeTools(context, response, interpretation);
  const answered: ModelCall = { ...call, outcome: { ok: true, response } };
  const checked = requireLedger(interpretation, {
    agent: input.agent,
    tools,
    mode: input.mode,
    conversation,
  });
  await commitAnswer(
    context,
    { interpretation: checked, call: answered },
    { prelude: unstored, conversation, tools },
  );
  await features.afterAnswer(context, execution);
  if (interpretation.next.kind === 'call_tools') await deps.failpoint?.(CRASH_POINTS.afterCommitA);
  return interpretation.next.kind === 'call_tools' ? interpretation.next.calls : [];
}

/** A request, with the data for interpreting its answer. */
interface BuiltAsking extends Asking {
  /** The state that the strategy built the request from. */
  input: IterationInput;
  /** Messages that are sent with the request and are not stored yet. */
  prelude: MessageDraft[];
}

function buildAsking(
  { held, agent, dataNonce, masker, controller, guidance, features, deps }: RunContext,
  conversation: ConversationMessage[],
  executor: Pick<AgentTools, 'list' | 'changes' | 'hidden'>,
  conclusion: ConclusionReason | undefined,
  maxBytes: number | undefined,
): BuiltAsking {
  const execution = held.current();
  const { limits, signaturesRefusedUpTo } = execution;
  const mode = conclusion === undefined ? 'investigate' : 'conclude';
  const tools = promptTools(executor);
  const input: IterationInput = {
    execution,
    agent,
    tools,
    ...(executor.hidden !== undefined && { hiddenTools: executor.hidden }),
    changedTools: executor.changes,
    // Read only for answers as text.
    get shown() {
      return shownTexts(conversation, tools);
    },
    dataNonce,
    mode,
  };
  const stored = features.think.question(execution);
  const concluding =
    conclusion === undefined || stored?.conclusion !== undefined
      ? []
      : [textMessage('user', deps.wording.conclude(conclusion, limits.maxIterations))];
  const prelude: MessageDraft[] = [...(stored === undefined ? guidance.messages : []), ...concluding];
  const repeated = fitConversation(conversation, maxBytes ?? limits.conversationBytes);
  const refused = withRefusals(repeated, signaturesRefusedUpTo);
  const history = framedResults(refused, dataNonce, features.collect, agent.tools.includes(KEEPS_LEDGER));
  const request = withCanary(controller.request([...history, ...prelude], input), masker, dataNonce);
  return { conclusion, input, prelude, request };
}

/**
 * Returns the conversation with marks on answers whose signatures are not sent: the first `count` messages,
 * because the provider refused them, and answers without their own form, because masking or a limit changed
 * the signed data.
 */
const withRefusals = incrementalFold(
  () => [] as ConversationMessage[],
  (messages, message: ConversationMessage, count: number) => {
    const isRefused =
      messages.length < count || (message.role === 'assistant' && message.replay === undefined);
    messages.push(isRefused ? withRefusal(message) : message);
  },
);

/** The same copy each time: what is known of a message is kept beside it. */
const withRefusal = memoized(
  (message: ConversationMessage): ConversationMessage => ({ ...message, signaturesRefused: true }),
);

/**
 * Adds the session's canary at the end of the system prompt, so that the text before it is the same in every
 * session. If the prompt starts with the session's own mark, whose end is the agent's text byte for byte, the
 * canary goes before it. The canary is derived for each request and never stored.
 */
function withCanary(request: LlmRequest, { canary }: Masker, nonce: string): LlmRequest {
  if (canary === undefined) return request;
  const [first] = request.messages;
  const messages =
    first?.role === 'system'
      ? request.messages.with(0, systemWithCanary(first)(canary, nonce))
      : [{ role: 'system' as const, blocks: [canaryBlock(canary)] }, ...request.messages];
  return { ...request, messages };
}

const canaryBlock = (canary: string) => ({ blockType: 'text' as const, textContent: canaryRule(canary) });

/** The same copy each time: what is known of a message is kept beside it. */
const systemWithCanary = memoized((first: ConversationMessage) => {
  let known: { canary: string; nonce: string; message: ConversationMessage } | undefined;
  return (canary: string, nonce: string): ConversationMessage => {
    if (known?.canary === canary && known.nonce === nonce) return known.message;
    const block = canaryBlock(canary);
    const blocks = isDirect(first, nonce) ? [block, ...first.blocks] : [...first.blocks, block];
    known = { canary, nonce, message: { ...first, blocks } };
    return known.message;
  };
});

/** Whether a system prompt belongs to an agent that is asked directly. */
function isDirect({ blocks: [first] }: ConversationMessage, nonce: string): boolean {
  return first?.blockType === 'text' && first.textContent.startsWith(frameRule(nonce));
}

/** Logs results of native tools without event; otherwise only the interaction has them. */
function warnAboutNativeTools(
  { held, agent, deps }: RunContext,
  { codeExecutions, groundings }: LlmResponse,
  { events }: Interpretation,
): void {
  if (codeExecutions.length + groundings.length === 0) return;
  if (showNativeTools(events)) return;
  const { sessionId, executionId, iteration } = held.current();
  const counts = { codeExecutions: codeExecutions.length, groundings: groundings.length };
  deps.log.warn(
    { sessionId, executionId, iteration, strategy: agent.strategy, ...counts },
    'an answer holds results of native tools that its strategy does not show; they are not in the timeline',
  );
}
