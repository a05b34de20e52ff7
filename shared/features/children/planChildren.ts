// Reads the data that the creation of children needs, before the batch that creates them is built.

import type { FeatureDeps } from '../../contract/featureDeps.ts';
import { KEEPS_LEDGER } from '../../core/contract/ledgerTool.ts';
import { isSkillTool } from '../../core/contract/skills.ts';
import type { ToolCall } from '../../core/contract/tools.ts';
import { TerminalError } from '../../core/errors.ts';
import type { RuntimeDeps } from '../../core/kernel/deps.ts';
import type { IterationContext } from '../../core/kernel/execution/context.ts';
import { describeInput } from '../../core/kernel/stageFeature.ts';
import type { Wording } from '../../core/prompts/wording.ts';
import {
  type Agent,
  type AgentSnapshot,
  ASK_AGENT,
  agentRole,
  BUILT_IN_TOOLS,
  type PlannedAgent,
} from '../../core/schema/agent.ts';
import { descendantPrefix, paths, sessionType, timelineEventType } from '../../core/schema/coreDocuments.ts';
import { rawDocumentType } from '../../core/schema/documentType.ts';
import type { Execution } from '../../core/schema/execution.ts';
import { readPart } from '../../core/schema/parts.ts';
import type { Session } from '../../core/schema/session.ts';
import { resolveAgent } from '../../kits/agents/resolveAgents.ts';
import { withTier } from '../../kits/agents/serviceTier.ts';
import { forkedAgent } from '../../kits/forks/forkedAgent.ts';
import { type KeyedExchange, loadExchanges } from '../../kits/views/chat/loadHistory.ts';
import { requestPart } from '../../kits/views/chat/requestContext.ts';
import { maskAgent } from '../../masking/maskInstructions.ts';
import { executionForkPart } from '../../schema/forkPart.ts';
import { parseCallArguments } from '../../text/callArguments.ts';
import { readAskArguments } from './askArguments.ts';

/** The chat in which an agent is asked. */
interface ChatPlan {
  /** The question in progress. */
  question: string;
  /** The earlier questions with their whole answers. */
  exchanges: readonly KeyedExchange[];
  /** The id of the user who asks; null if unknown. */
  userId: string | null;
  /** Whether the chat has no investigation. */
  isDirect: boolean;
}

/** The data from which the children of one execution are created. */
export interface ChildPlan {
  /** The name of the asking agent in the configuration. */
  asker: string;
  /** Names of the agents that it can ask. */
  asks: readonly string[];
  /** The agents that the calls name, with their current configuration, by name. */
  agents: Readonly<Record<string, PlannedAgent>>;
  /** Agents that a call overrides, by the id of the call. */
  overrides?: ReadonlyMap<string, PlannedAgent>;
  /** The history of the chat that the asking agent answers; absent in an investigation. */
  chat?: ChatPlan | undefined;
  /** Number of executions that calls of the session have created so far. */
  existing: number;
  /** The session's alert as agents are shown it; null in a chat without an alert. */
  alertText: Session['input'];
  /** Labels of the alert, for bound parameters of tools; empty without an alert. */
  labels: AgentSnapshot['labels'];
  /** The session's mark around untrusted text. */
  dataNonce: string;
  /** The texts of runs. */
  wording: Wording;
  /** The key of the session's masks, 32 hexadecimal digits. */
  maskKey: string;
}

/**
 * Returns the plan for the calls of an answer; undefined if none of them asks an agent, or the session was
 * deleted.
 * @throws RetryableError when the store fails; TerminalError for a session that cannot be read.
 */
export async function planChildren(
  { held, agent, dataNonce, deps }: IterationContext,
  calls: readonly ToolCall[],
): Promise<ChildPlan | undefined> {
  const asking = calls.filter(({ name }) => name === ASK_AGENT);
  if (asking.length === 0) return undefined;
  const { sessionId, executionId } = held.current();
  if (asking.some((call) => parseCallArguments(call.arguments).user_id != null))
    deps.log.warn({ sessionId, executionId }, `${ASK_AGENT}: user_id is ignored; a model chooses no user`);
  const [session, executions] = await Promise.all([
    deps.store.get(paths.session(sessionId), sessionType),
    deps.store.list({ collection: paths.executions(sessionId) }, rawDocumentType),
  ]);
  if (session === undefined) return undefined;
  const { maskKey } = session.value;
  const { severity: stated, labels } = describeInput(session.value, deps);
  const { byName, byCall } = await resolveAgents(asking, session.value, agent, deps);
  const chat = await readChat(session.value, held.current(), deps);
  const severity = chat === undefined ? (stated ?? 'warning') : null;
  const isCheck = chat === undefined && session.value.kind === 'check';
  const fork = readPart(executionForkPart, held.current());
  const keeps = (current: PlannedAgent) => {
    const planned = fork === undefined ? current : forkedAgent(current, fork);
    // Its own tier for all severities replaces those of the asking agent.
    const tiers = planned.tiers?.any === undefined ? { ...agent.tiers, ...planned.tiers } : planned.tiers;
    return withTier({ ...withLedger(planned, session.value), tiers }, severity, isCheck);
  };
  return {
    asker: agentRole(agent),
    asks: (agent.asks ?? []).map(({ name }) => name),
    agents: Object.fromEntries(Object.entries(byName).map(([name, planned]) => [name, keeps(planned)])),
    overrides: new Map([...byCall].map(([callId, planned]) => [callId, keeps(planned)])),
    chat,
    existing: executions.filter(({ id }) => id.includes(descendantPrefix(''))).length,
    alertText: deps.wording.showInput(session.value) || null,
    labels,
    dataNonce,
    wording: deps.wording,
    maskKey,
  };
}

/** An agent with tools of servers keeps a ledger where the chain does. */
function withLedger(planned: PlannedAgent, { chain }: Session): PlannedAgent {
  const { tools } = planned;
  const hasServer = tools.some((tool) => !BUILT_IN_TOOLS.includes(tool) && !isSkillTool(tool));
  if (chain.claims === undefined || !hasServer || tools.includes(KEEPS_LEDGER)) return planned;
  return { ...planned, tools: [...tools, KEEPS_LEDGER] };
}

/** Resolves the agents of calls from store or files. The file's version replaces an unfit agent. */
async function resolveAgents(
  calls: readonly ToolCall[],
  session: Session,
  { asks = [] }: Agent,
  deps: RuntimeDeps & FeatureDeps,
): Promise<{ byName: Record<string, PlannedAgent>; byCall: Map<string, PlannedAgent> }> {
  const byName = { ...deps.agents };
  const byCall = new Map<string, PlannedAgent>();
  const { catalog } = deps;
  if (catalog === undefined) return { byName, byCall };
  const model = readPart(requestPart, session)?.model ?? null;
  const masker = deps.maskerFor(session.maskKey);
  for (const call of calls) {
    const parsed = readAskArguments(call.arguments);
    if ('error' in parsed || !asks.some(({ name }) => name === parsed.name)) continue;
    const { name, structuredOutput } = parsed;
    const request = { structuredOutput, ...(model !== null && { model }) };
    const planned = await resolveAgent(name, request, { agents: catalog }, deps).catch((error: unknown) => {
      if (!(error instanceof TerminalError)) throw error;
      deps.log.error({ agent: name, code: error.code }, `a child agent cannot be used: ${error.message}`);
      return undefined;
    });
    if (planned !== undefined) byCall.set(call.callId, maskAgent(planned, masker));
  }
  return { byName, byCall };
}

/** The chat history that an execution or its ancestor answers; undefined in an investigation. */
async function readChat(
  session: Session,
  { sessionId, stageId, executionId }: Execution,
  deps: RuntimeDeps,
): Promise<ChatPlan | undefined> {
  if (session.openStage?.stageId !== stageId) return undefined;
  const [root = ''] = executionId.split(descendantPrefix(''));
  const event = await deps.store.get(paths.event(sessionId, root, 1), timelineEventType);
  if (event?.value.eventType !== 'user_question') return undefined;
  const before = { ...session, questions: session.questions - 1 };
  const { exchanges } = await loadExchanges(before, deps);
  const { content: question } = event.value;
  return { question, exchanges, userId: session.userId, isDirect: session.kind === 'chat' };
}
