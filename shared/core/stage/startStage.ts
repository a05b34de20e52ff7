// Builds the documents of a new stage: the stage, its executions, and their first messages.

import { createDocument, type Write } from '../contract/store.ts';
import { CHAT_STAGE } from '../kernel/conversation/chatStage.ts';
import { startBatch } from '../kernel/conversation/executionBatch.ts';
import type { StateDeps } from '../kernel/deps.ts';
import type { InsertedStage, OwnStage } from '../kernel/stageFeature.ts';
import { describeInput } from '../kernel/stageFeature.ts';
import { computeDue } from '../kernel/state/dueAt.ts';
import { newExecution } from '../kernel/state/newExecution.ts';
import { budgetNotice, isSessionUsedUp } from '../kernel/tokens/tokenBudget.ts';
import type { Finding } from '../prompts/findings.ts';
import type { AskedQuestion, Opening } from '../prompts/wording.ts';
import {
  type Agent,
  type AgentSnapshot,
  PARTIAL_SUMMARY_STRATEGY,
  type PlannedAgent,
  SUMMARY_STRATEGY,
} from '../schema/agent.ts';
import {
  agentSnapshotType,
  composeExecutionId,
  composeStageId,
  executionType,
  paths,
  stageType,
} from '../schema/coreDocuments.ts';
import type { Execution } from '../schema/execution.ts';
import type { MessageDraft } from '../schema/message.ts';
import type { Session } from '../schema/session.ts';
import type { Stage } from '../schema/stage.ts';
import { textMessage } from '../schema/textMessage.ts';
import type { EventDraft } from '../schema/timelineEvent.ts';

/**
 * The stage to start: an investigation of the chain, its synthesis, the executive summary after the last
 * stage, or the answer to a question.
 */
export interface StageStart {
  /** Position in the chain, from 1. */
  index: number;
  /** Selects the agents of the plan and their prompts. */
  kind: Stage['kind'];
  /**
   * Investigation: the findings of all earlier stages, oldest first. Synthesis: the results it combines.
   * Summary and question: the final findings of the session.
   */
  findings: Finding[];
  /** Only for a synthesis: the findings of the stages before its own. */
  earlier?: Finding[];
  /** Only for the summary of an investigation that ended early: the code of the cause. */
  endedEarly?: string;
  /** Only for a chat. */
  question?: Question;
  /** Only for a stage that a feature inserts; `own` follows from it before the commit. */
  inserted?: InsertedStage;
  /** Only for a stage that the chain does not have. */
  own?: OwnStage;
  /** Only for the agent of a fork: it continues a conversation. */
  continued?: Continued;
}

/**
 * A conversation that an execution continues. Its messages are stored with the numbers up to `lastMessage`.
 */
export interface Continued {
  /** The fields of the execution that follow from its conversation. */
  state: Pick<Execution, 'lastMessage' | 'signaturesRefusedUpTo' | 'reads' | 'parts'>;
  /** Behind it. */
  messages: MessageDraft[];
  events: EventDraft[];
}

/** A question in its storable form, with the data that its answer needs. */
interface Question extends AskedQuestion {
  /** The person or program that asks. */
  by: string;
  /** How many secrets were masked in the text. */
  masked: number;
  /** The latest time of the answer. */
  deadline: Date;
  /** The agent that the request selects. Default: the agent of the chain. */
  agent?: PlannedAgent | undefined;
}

/**
 * The longest time for which an executive summary can delay the end of its session, in milliseconds; the
 * session's deadline can be earlier.
 */
const SUMMARY_TIMEOUT_MS = 120_000;

/** The texts of the first messages, and the features that prepare agents. */
type StageDeps = Pick<StateDeps, 'wording' | 'stageFeatures'>;

/** A stage that is ready to be stored. */
export interface StartedStage {
  /** The document of the stage. */
  stage: Stage;
  /** The executions whose first iterations the caller publishes after the commit. */
  executions: Execution[];
  /** All documents of the stage; the caller commits them. */
  writes: Write[];
}

/**
 * Builds a stage of a session's chain. The caller commits the writes. If the session's tokens are used up,
 * agents conclude at once; a synthesis still makes one call.
 * @param session with the tokens of the stages before.
 * @throws RangeError when the chain has no such stage.
 */
export function startStage(session: Session, start: StageStart, now: Date, deps: StageDeps): StartedStage {
  const { index, kind, continued } = start;
  const { name, agents, timeoutMs } = planStageStart(session, start);
  const { sessionId, dataNonce, maskKey, expireAt } = session;
  const tokensBefore = session.tokens.total;
  const stageId = composeStageId(index, name);
  const deadline = start.question?.deadline ?? start.own?.deadline ?? stageDeadline(session, timeoutMs, now);
  const writes: Write[] = [];

  const executions = agents.map(({ limits, ...planned }) => {
    const isOwn = start.own !== undefined;
    const agent = isOwn ? planned : prepareAgent(planned, session, now, deps);
    // Unique, because the names of a stage's agents and replicas are. An answer always uses the name of the
    // chain's agent, even if the request selected another: later questions find it without reading the stage.
    const executionId = composeExecutionId(
      index,
      kind === 'chat' ? (session.chain.chat?.name ?? '') : agent.name,
    );
    const created = newExecution(
      {
        sessionId,
        stageId,
        executionId,
        agentName: agent.name,
        limits,
        collects: (kind === 'investigation' || isOwn) && agent.collect.length > 0 && !continued,
        parentExecutionId: null,
        ancestors: [],
        depth: 0,
        tokensBefore,
        // The agent that answers `ask` counts as a sibling before its first call.
        siblings: agents.length - 1 + (agent.asks === undefined ? 0 : 1),
        // Agents that answer questions do not get the guidance for the agents of the investigation.
        guidanceTaken: kind === 'chat' ? session.steering.guidance : 0,
        budgetReached:
          kind === 'investigation' && isSessionUsedUp(limits, tokensBefore) ? 'sessionTokens' : null,
        deadline,
        expireAt,
        traceparent: session.traceparent,
      },
      now,
    );
    const fresh = startExecution({ ...created, ...continued?.state }, session, deps);
    const batch = startBatch(fresh, now);
    for (const message of firstMessages(agent, session, start, now, deps)) batch.appendMessage(message);
    for (const event of continued?.events ?? []) batch.appendEvent(event);
    if (start.question !== undefined) batch.appendEvent(questionEvent(start.question));
    if (fresh.budgetReached !== null) batch.appendEvent(budgetNotice(fresh.budgetReached, limits));
    const execution: Execution = {
      ...fresh,
      ...batch.counters(),
      due: computeDue(fresh, now),
    };
    const labels = agent.tools.length === 0 ? {} : describeInput(session, deps).labels;
    const snapshot: AgentSnapshot = {
      sessionId,
      executionId,
      agent,
      dataNonce,
      labels,
      maskKey,
      expireAt,
      createdAt: now,
    };
    writes.push(
      createDocument(paths.execution(sessionId, executionId), executionType, execution),
      createDocument(paths.agentSnapshot(sessionId, executionId), agentSnapshotType, snapshot),
      ...batch.writes,
    );
    return execution;
  });

  const stage: Stage = {
    sessionId,
    stageId,
    index,
    name,
    kind,
    status: 'active',
    expectedExecutions: executions.map((execution) => execution.executionId),
    finishedExecutions: [],
    expireAt,
    createdAt: now,
    endedAt: null,
  };
  writes.push(createDocument(paths.stage(sessionId, stageId), stageType, stage));
  return { stage, executions, writes };
}

/** The agent as the features prepare it for its stage. */
const prepareAgent = (agent: Agent, session: Session, now: Date, { stageFeatures }: StageDeps): Agent =>
  stageFeatures.reduce((one, feature) => feature.prepareAgent?.(one, session, now) ?? one, agent);

/** The execution as the features change it at its start. */
const startExecution = (execution: Execution, session: Session, { stageFeatures }: StageDeps): Execution =>
  stageFeatures.reduce((one, feature) => feature.startExecution?.(one, session) ?? one, execution);

/** The deadline of a stage that has `timeoutMs` from now; null: that of its session. */
function stageDeadline({ deadline }: Session, timeoutMs: number | null, now: Date): Date {
  if (timeoutMs === null) return deadline;
  return new Date(Math.min(deadline.getTime(), now.getTime() + timeoutMs));
}

/** The plan of a new stage. */
interface PlannedStart {
  /** The stage's name, part of its id. */
  name: string;
  /** The agents in their order, replicas included. */
  agents: PlannedAgent[];
  /** Milliseconds from the start to the deadline; null for the session's own deadline. */
  timeoutMs: number | null;
}

function planStageStart(
  session: Session,
  { index, kind, endedEarly, question, own }: StageStart,
): PlannedStart {
  const { chain } = session;
  if (own !== undefined) return { name: own.agent.name, agents: [own.agent], timeoutMs: null };
  if (kind === 'exec_summary') {
    if (chain.summary === undefined) throw new RangeError(`chain ${chain.name} has no executive summary`);
    const strategy = endedEarly === undefined ? SUMMARY_STRATEGY : PARTIAL_SUMMARY_STRATEGY;
    const agents = [{ ...chain.summary, strategy }];
    return { name: chain.summary.name, agents, timeoutMs: SUMMARY_TIMEOUT_MS };
  }
  if (kind === 'chat') {
    if (chain.chat === undefined) throw new RangeError(`chain ${chain.name} answers no questions`);
    return { name: CHAT_STAGE, agents: [question?.agent ?? chain.chat], timeoutMs: null };
  }
  const plan = chain.stages[index - 1];
  if (plan === undefined) throw new RangeError(`chain ${chain.name} has no stage ${index}`);
  const { name, agents, synthesis, timeoutMs } = plan;
  if (kind === 'investigation') return { name, agents, timeoutMs };
  if (synthesis === null) throw new RangeError(`stage ${name} has no synthesis`);
  return { name: `${name}-synthesis`, agents: [synthesis], timeoutMs };
}

function firstMessages(
  agent: Agent,
  session: Session,
  { kind, findings, earlier = [], endedEarly, question, own, continued }: StageStart,
  now: Date,
  { wording }: StageDeps,
): MessageDraft[] {
  if (own !== undefined) return own.messages;
  if (continued !== undefined) return continued.messages;
  const run = { session, findings, now };
  const open = ({ system, user }: Opening) => [textMessage('system', system), textMessage('user', user)];
  switch (kind) {
    case 'investigation':
      return open(wording.investigate(agent, run));
    case 'synthesis':
      return open(wording.combine(agent, { ...run, earlier }));
    case 'exec_summary':
      return open(wording.summarize(agent, { ...run, endedEarly }));
    case 'chat':
      if (question === undefined) throw new RangeError('a chat starts with a question');
      return wording.answer(agent, { ...run, question });
    case 'claims':
    case 'probe':
      throw new RangeError(`a stage of kind ${kind} starts with its own agent`);
  }
}

function questionEvent({ text, by, masked }: Question): EventDraft {
  return {
    eventType: 'user_question',
    content: text,
    metadata: { askedBy: by, ...(masked > 0 && { masked }) },
  };
}
