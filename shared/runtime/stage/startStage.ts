// Builds the documents of a new stage: the stage, its executions, and their first messages.

import { createDocument, type Write } from '../../contract/store.ts';
import { withChanges } from '../../prompt/changes.ts';
import {
  answerEvidencePrompt,
  chatContextPrompt,
  chatSystemPrompt,
  leftOutNote,
  questionPrompt,
} from '../../prompt/chat.ts';
import { checkPrompt } from '../../prompt/check.ts';
import { CLAIMS_SYSTEM_PROMPT, type ClaimsInput, claimsPrompt } from '../../prompt/claims.ts';
import { directPrompt, withUserContext } from '../../prompt/direct.ts';
import { summaryPrompt, summarySystemPrompt } from '../../prompt/executiveSummary.ts';
import type { Finding } from '../../prompt/findings.ts';
import { investigationPrompt, systemPrompt } from '../../prompt/investigation.ts';
import { synthesisPrompt, synthesisSystemPrompt } from '../../prompt/synthesis.ts';
import { userContext } from '../../prompt/userContext.ts';
import {
  type Agent,
  type AgentSnapshot,
  CLAIMS_STRATEGY,
  PARTIAL_SUMMARY_STRATEGY,
  type PlannedAgent,
  SUMMARY_STRATEGY,
} from '../../schema/agent.ts';
import {
  agentSnapshotType,
  composeExecutionId,
  composeStageId,
  executionType,
  paths,
  stageType,
} from '../../schema/documents.ts';
import type { Execution } from '../../schema/execution.ts';
import type { MessageDraft } from '../../schema/message.ts';
import type { Session } from '../../schema/session.ts';
import type { Stage } from '../../schema/stage.ts';
import { textMessage } from '../../schema/textMessage.ts';
import type { EventDraft } from '../../schema/timelineEvent.ts';
import { fillCollect } from '../claims/fillCollect.ts';
import { CHAT_STAGE, type ChatHistory } from '../kernel/conversation/chatStage.ts';
import { startBatch } from '../kernel/conversation/executionBatch.ts';
import { computeDueAt } from '../kernel/state/dueAt.ts';
import { newExecution } from '../kernel/state/newExecution.ts';
import { budgetNotice, isSessionUsedUp } from '../kernel/tokens/tokenBudget.ts';

/**
 * The stage to start: an investigation of the chain, its synthesis, the executive summary after the last
 * stage, or the answer to a question.
 */
export interface StageStart {
  /** Position in the chain, from 1. */
  index: number;
  /** Selects the agents of the plan and their prompts. */
  kind: Stage['kind'];
  /** Only for a check of claims: the data of its prompt. */
  claims?: ClaimsInput;
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
  /** Only for repeated calls: the agent, the latest end, and their purpose as stored JSON. */
  probe?: { agent: PlannedAgent; deadline: Date; purpose?: string };
}

/** A question in its storable form, with the data that its answer needs. */
interface Question {
  /** The question, masked. */
  text: string;
  /** The person or program that asks. */
  by: string;
  /** The user who asks, without secrets; null when the request names none. */
  userId: string | null;
  /** How many secrets were masked in the text. */
  masked: number;
  /** The earlier questions of the session. */
  history: ChatHistory;
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
export function startStage(session: Session, start: StageStart, now: Date): StartedStage {
  const { index, kind } = start;
  const { name, agents, timeoutMs } = planStageStart(session, start);
  const { sessionId, dataNonce, maskKey, expireAt } = session;
  const tokensBefore = session.tokens.total;
  const stageId = composeStageId(index, name);
  const deadline =
    start.question?.deadline ?? start.probe?.deadline ?? stageDeadline(session, timeoutMs, now);
  const writes: Write[] = [];

  const executions = agents.map(({ limits, ...planned }) => {
    // Repeated calls are sent as they were made.
    const isRepeat = start.probe !== undefined;
    const agent = isRepeat ? planned : { ...planned, collect: fillCollect(planned.collect, session, now) };
    // Unique, because the names of a stage's agents and replicas are. An answer always uses the name of the
    // chain's agent, even if the request selected another: later questions find it without reading the stage.
    const executionId = composeExecutionId(
      index,
      kind === 'chat' ? (session.chain.chat?.name ?? '') : agent.name,
    );
    const fresh = newExecution(
      {
        sessionId,
        stageId,
        executionId,
        agentName: agent.name,
        limits,
        collects: (kind === 'investigation' || start.probe !== undefined) && agent.collect.length > 0,
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
    const batch = startBatch(fresh, now);
    for (const message of firstMessages(agent, session, start, now)) batch.appendMessage(message);
    if (start.question !== undefined) batch.appendEvent(questionEvent(start.question));
    if (fresh.budgetReached !== null) batch.appendEvent(budgetNotice(fresh.budgetReached, limits));
    const execution: Execution = {
      ...fresh,
      ...batch.counters(),
      dueAt: computeDueAt(fresh, now),
    };
    const labels = agent.tools.length === 0 ? {} : (session.alert?.labels ?? {});
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
  { index, kind, endedEarly, question, probe }: StageStart,
): PlannedStart {
  const { chain } = session;
  if (probe !== undefined) return { name: probe.agent.name, agents: [probe.agent], timeoutMs: null };
  if (kind === 'claims') {
    if (chain.claims === undefined) throw new RangeError(`chain ${chain.name} keeps no ledger`);
    const name = CLAIMS_STRATEGY;
    const agents = [{ ...chain.claims, name, strategy: name }];
    return { name, agents, timeoutMs: SUMMARY_TIMEOUT_MS };
  }
  if (kind === 'exec_summary') {
    if (chain.summary === undefined) throw new RangeError(`chain ${chain.name} has no executive summary`);
    const base = endedEarly === undefined ? SUMMARY_STRATEGY : PARTIAL_SUMMARY_STRATEGY;
    const verdict = chain.claims === undefined ? undefined : (session.verdict?.value ?? 'not_checked');
    const strategy = verdict === undefined ? base : `${base}:${verdict}`;
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

function firstMessages(agent: Agent, session: Session, start: StageStart, now: Date): MessageDraft[] {
  const { alertText, dataNonce: nonce, runbook, alsoFiring, seenBefore, reinvestigates } = session;
  const { kind, findings, earlier = [], endedEarly, question } = start;
  const alert = withChanges(alertText, session.changes);
  const openingMessages = (system: string, user: string) => [
    textMessage('system', system),
    textMessage('user', user),
  ];
  const task = (user: string): string =>
    session.check === null ? user : `${user}\n\n${checkPrompt(session.check.question)}`;
  switch (kind) {
    case 'probe':
      return [];
    case 'investigation':
      return openingMessages(
        systemPrompt(agent),
        task(
          investigationPrompt({
            alert,
            findings,
            nonce,
            now,
            runbook,
            alsoFiring,
            seenBefore,
            reinvestigates,
          }),
        ),
      );
    case 'synthesis':
      return openingMessages(
        synthesisSystemPrompt(agent),
        task(synthesisPrompt({ alert, results: findings, earlier, nonce, now })),
      );
    case 'exec_summary':
      return openingMessages(
        summarySystemPrompt(agent.instructions),
        summaryPrompt({ alert, findings, nonce, endedEarly }),
      );
    case 'claims': {
      const { claims, probe } = start;
      if (probe !== undefined) return [textMessage('user', probe.purpose ?? '')];
      if (claims === undefined) throw new RangeError('a check of claims starts with their data');
      return openingMessages(CLAIMS_SYSTEM_PROMPT, claimsPrompt(claims));
    }
    case 'chat': {
      if (question === undefined) throw new RangeError('a chat starts with a question');
      const { exchanges, leftOut } = question.history;
      const user = userContext(now, question.userId);
      // A schema that is asked without an investigation gets no frame.
      const isDirect = session.kind === 'chat' && agent.isSchema === true;
      const about = isDirect
        ? [
            textMessage('system', directPrompt(agent, { userContext: user, nonce })),
            ...(leftOut > 0 ? [textMessage('user', leftOutNote(leftOut))] : []),
          ]
        : openingMessages(
            chatSystemPrompt(agent, withUserContext(agent.instructions, user)),
            chatContextPrompt({ alert: alertText, findings, nonce, leftOut, runbook, now }),
          );
      return [
        ...about,
        ...exchanges.flatMap((one) => [
          textMessage('user', questionPrompt(one.question)),
          ...(one.evidence === undefined
            ? []
            : [textMessage('user', answerEvidencePrompt(one.evidence, nonce))]),
          textMessage('assistant', one.answer),
        ]),
        textMessage('user', questionPrompt(question.text)),
      ];
    }
  }
}

function questionEvent({ text, by, masked }: Question): EventDraft {
  return {
    eventType: 'user_question',
    content: text,
    metadata: { askedBy: by, ...(masked > 0 && { masked }) },
  };
}
