// The session of a fork, and the state of its first agent. Pure.

import { alertPart, readSessionAlert } from '../../alerts/schema/alert.ts';
import { dependenciesPart } from '../../alerts/schema/dependencies.ts';
import { runbookPart } from '../../alerts/schema/usedRunbook.ts';
import { withLimits } from '../../config/budgets.ts';
import type { SessionConfig } from '../../config/config.ts';
import { mapAgents } from '../../config/mapAgents.ts';
import { chainLimits, limitsOfSession } from '../../config/sessionLimits.ts';
import type { Masker } from '../../core/contract/guard.ts';
import type { ConversationMessage } from '../../core/contract/llm.ts';
import { FRESH_SESSION } from '../../core/kernel/session/freshSession.ts';
import type { ChainSnapshot, PlannedAgent } from '../../core/schema/agent.ts';
import { type Block, isSigned } from '../../core/schema/block.ts';
import { composeStageId } from '../../core/schema/coreDocuments.ts';
import { type Part, readPart, type WithParts, withPart } from '../../core/schema/parts.ts';
import type { Session } from '../../core/schema/session.ts';
import { textMessage } from '../../core/schema/textMessage.ts';
import type { Continued } from '../../core/stage/startStage.ts';
import { pinsPart } from '../../kits/agents/pins.ts';
import { forkedAgent } from '../../kits/forks/forkedAgent.ts';
import { requestPart } from '../../kits/views/chat/requestContext.ts';
import { cleanText } from '../../masking/cleanText.ts';
import { maskInstructions } from '../../masking/maskInstructions.ts';
import { guidancePrompt } from '../../prompt/guidance.ts';
import { type FORK_TOOLS, type Fork, forkPart } from '../../schema/forkPart.ts';
import type { ForkPoint } from './forkPoint.ts';

/** How a fork differs from its source. */
export interface ForkChanges {
  tools: (typeof FORK_TOOLS)[number];
  /** The provider's id of the model of all agents. Absent: their own. */
  model?: string | undefined;
  /** The agent that continues, in place of its own. */
  agent?: PlannedAgent | undefined;
  /** The text that a person adds, not masked yet. Absent: none. */
  say?: string | undefined;
}

/** The parts that a fork keeps. Those of incidents, groups, messages and memory are not among them. */
const KEPT_PARTS: readonly Part[] = [dependenciesPart, runbookPart, requestPart];

/** The session of a fork, before its first stage. */
export function planSession(
  source: Session,
  point: ForkPoint,
  { tools, model, agent }: ForkChanges,
  own: { sessionId: string; userId: string | null; now: Date; config: SessionConfig; masker: Masker },
): Session {
  const { sessionId, userId, now, config, masker } = own;
  const { execution, event } = point;
  const { tenantId, title, input, dataNonce, maskKey, expireAt } = source;
  const fork: Fork = {
    of: source.sessionId,
    executionId: execution.executionId,
    iteration: point.iteration,
    event: `${execution.executionId}.${event.sequenceNumber}`,
    at: event.createdAt,
    tools,
    ...(model !== undefined && { model }),
    origins: [source.sessionId, ...(readPart(forkPart, source)?.origins ?? [])],
  };
  const alert = readSessionAlert(source);
  const kept = KEPT_PARTS.reduce<WithParts>(
    (document, part) => withPart(part, document, readPart(part, source)),
    { parts: {} },
  );
  const session: Session = {
    ...FRESH_SESSION,
    // Without an identity it is the report of no problem.
    ...withPart(
      alertPart,
      withPart(forkPart, kept, fork),
      alert === null ? undefined : { ...alert, identity: null },
    ),
    sessionId,
    tenantId,
    userId: userId === null ? null : cleanText(masker, userId).text,
    kind: 'fork',
    status: 'in_progress',
    title,
    input,
    // Its conversation has the frames and the marks of its source.
    dataNonce,
    maskKey,
    chain: maskInstructions(planChain(source.chain, point, agent), masker),
    currentStageId: composeStageId(1, point.stage.name),
    deadline: new Date(
      Math.min(now.getTime() + config.sessionDeadlineMs(source.chain.name), expireAt.getTime()),
    ),
    dueAt: null,
    expireAt,
    traceparent: null,
    createdAt: now,
  };
  const chain = mapAgents(session.chain, (one) =>
    withLimits(forkedAgent(one, fork), limitsOfSession(session, config), chainLimits(one, session, config)),
  );
  return { ...session, chain };
}

/** Whether the agent is one of a stage: a sub-agent, a synthesis and a chat are followed by no stage. */
export const isOfChain = ({ stage, execution }: ForkPoint): boolean =>
  stage.kind === 'investigation' && execution.parentExecutionId === null;

/** The agent of the event, and the stages after its own. */
function planChain(chain: ChainSnapshot, point: ForkPoint, changed: PlannedAgent | undefined): ChainSnapshot {
  const { agent, stage } = point;
  const { limits } = point.execution;
  const { name, replicaOf, ...rest } = agent;
  const own = { ...rest, limits, ...changed, name, ...(replicaOf && { replicaOf }) };
  const { timeoutMs = null } = chain.stages[stage.index - 1] ?? {};
  const first = {
    name: stage.name,
    successPolicy: 'any' as const,
    timeoutMs,
    agents: [own],
    synthesis: null,
  };
  if (isOfChain(point)) return { ...chain, stages: [first, ...chain.stages.slice(stage.index)] };
  const { summary: _, claims: __, ...others } = chain;
  return { ...others, stages: [first] };
}

/**
 * The messages of a fork: signatures are only for the model that wrote them. @param system replaces the first
 * one.
 */
export function planMessages(
  { messages }: ForkPoint,
  agent: Pick<PlannedAgent, 'model'>,
  system: string | undefined,
): ConversationMessage[] {
  return messages.map((message, index) => {
    if (index === 0 && message.role === 'system' && system !== undefined)
      return textMessage('system', system);
    if (!isOfOtherModel(message, agent)) return message;
    const { replay: _, blocks, ...rest } = message;
    return { ...rest, blocks: blocks.map(withoutSignature) };
  });
}

const isOfOtherModel = (
  { replay }: ConversationMessage,
  { model: { provider, model } }: Pick<PlannedAgent, 'model'>,
): boolean => replay !== undefined && (replay.provider !== provider || replay.model !== model);

function withoutSignature(block: Block): Block {
  if (!isSigned(block)) return block;
  const { providerData: _, ...rest } = block;
  return rest;
}

/** The state of the agent that continues, and the text of a person. */
export function planContinued(
  { execution, messages }: ForkPoint,
  agent: Pick<PlannedAgent, 'model'>,
  { say, by }: { say?: string | undefined; by: string },
  { dataNonce: nonce }: Pick<Session, 'dataNonce'>,
  masker: Masker,
): Continued {
  const { signaturesRefusedUpTo, reads } = execution;
  const pins = withPart(pinsPart, { parts: {} }, readPart(pinsPart, execution));
  const state = {
    lastMessage: messages.length,
    signaturesRefusedUpTo: Math.max(
      Math.min(signaturesRefusedUpTo, messages.length),
      messages.findLastIndex((message) => isOfOtherModel(message, agent)) + 1,
    ),
    reads,
    ...pins,
  };
  if (say === undefined) return { state, messages: [], events: [] };
  const { text, count } = cleanText(masker, say.trim());
  const givenBy = cleanText(masker, by).text;
  return {
    state,
    messages: [textMessage('user', guidancePrompt({ text, by: givenBy, nonce }))],
    events: [
      {
        eventType: 'user_guidance',
        content: text,
        metadata: { givenBy, ...(count > 0 && { masked: count }) },
      },
    ],
  };
}
