// Creates the execution that a call of `ask_agent` waits for, in the batch in which the call starts to wait.
// A call that is not allowed gets an error instead.

import { createDocument } from '../../core/contract/store.ts';
import type { ToolCall } from '../../core/contract/tools.ts';
import { type ExecutionBatch, startBatch } from '../../core/kernel/conversation/executionBatch.ts';
import { appendRefusal } from '../../core/kernel/state/childResult.ts';
import { computeDue } from '../../core/kernel/state/dueAt.ts';
import { deadlineBelow } from '../../core/kernel/state/extendExecution.ts';
import { newExecution } from '../../core/kernel/state/newExecution.ts';
import { settleCall } from '../../core/kernel/state/pendingCalls.ts';
import type { AgentSnapshot, Limits, PlannedAgent } from '../../core/schema/agent.ts';
import { agentSnapshotType, executionType, paths } from '../../core/schema/coreDocuments.ts';
import type { Execution, PendingCall } from '../../core/schema/execution.ts';
import type { MessageDraft } from '../../core/schema/message.ts';
import { textMessage } from '../../core/schema/textMessage.ts';
import { fitExchanges } from '../../kits/views/chat/loadHistory.ts';
import { copyForkPart } from '../../schema/forkPart.ts';
import { quoteText } from '../../text/cut.ts';
import { markLines } from '../../text/untrustedFrame.ts';
import { readAskArguments } from './askArguments.ts';
import type { ChildPlan } from './planChildren.ts';

/** Maximum number of ancestors of an execution. */
const MAX_DEPTH = 3;
/** Maximum number of open children of one execution. */
const MAX_OPEN = 8;
/**
 * Maximum number of children of a session, at any depth. Counted before the batch: a few more are possible.
 */
const MAX_OF_SESSION = 32;
/** With less time than this, the call fails without a question. */
const SHORTEST_WAIT_MS = 30_000;

/** Why a call was rejected, for the model. */
interface Refusal {
  /** The reason, in one sentence. */
  error: string;
  /** The remedy. Absent: none. */
  hint?: string;
}

interface Question {
  /** The agent that answers. */
  agent: PlannedAgent;
  /** The question with its data. */
  text: string;
  /** Milliseconds to wait for the answer. */
  timeoutMs: number;
}

/**
 * Returns the execution with the call waiting for its child, which the batch creates. If no child is allowed,
 * the call gets an error as its result.
 * @param call the call as stored with the answer.
 */
export function startChild(
  execution: Execution,
  pending: PendingCall,
  call: ToolCall,
  plan: ChildPlan,
  batch: ExecutionBatch,
): Execution {
  const question = readQuestion(execution, call, plan, batch.now);
  const { childExecutionId } = pending;
  if ('error' in question || childExecutionId === undefined) {
    const refusal = 'error' in question ? question : { error: 'The call has no number for its agent.' };
    appendRefusal(pending, refusal, batch);
    return settleCall(execution, pending.index, 'done');
  }
  const until = new Date(batch.now.getTime() + question.timeoutMs);
  appendChild(execution, childExecutionId, question, until, plan, batch);
  const waitsFor = { kind: 'child' as const, id: childExecutionId, until };
  return {
    ...execution,
    pendingCalls: execution.pendingCalls.map((one) =>
      one.index === pending.index ? { ...one, state: 'waiting' as const, waitsFor } : one,
    ),
  };
}

function readQuestion(execution: Execution, call: ToolCall, plan: ChildPlan, now: Date): Question | Refusal {
  const parsed = readAskArguments(call.arguments);
  const known = (refused?: string) => {
    const names = plan.asks.filter((one) => one !== refused);
    return `Agents that you can ask: ${names.join(', ') || 'none'}.`;
  };
  if ('error' in parsed) return { error: parsed.error, ...(parsed.isName && { hint: known() }) };
  const { name, text, seconds } = parsed;
  const configured = plan.overrides?.get(call.callId) ?? ownEntry(plan.agents, name);
  const agent = plan.asks.includes(name) ? configured : undefined;
  if (agent === undefined)
    return {
      error: `You cannot ask an agent "${quoteText(name, 60)}": it is not allowed or no longer configured.`,
      hint: known(name),
    };
  const limit = limitReached(execution, agent, plan);
  if (limit !== undefined) return { error: `${agent.name} was not asked: ${limit}.` };
  const left = deadlineBelow(execution.deadline).getTime() - now.getTime();
  const timeoutMs = Math.min(left, seconds * 1_000);
  if (timeoutMs < SHORTEST_WAIT_MS)
    return { error: `${agent.name} was not asked: too little time is left for an answer. Conclude.` };
  return { agent, text, timeoutMs };
}

/** Why one more child exceeds a limit; undefined if not. Earlier calls of the batch count as waiting. */
function limitReached(execution: Execution, agent: PlannedAgent, plan: ChildPlan): string | undefined {
  const { depth, ancestors, pendingCalls } = execution;
  if ([...ancestors, plan.asker].includes(agent.name))
    return 'it waits for your own answer, so asking it would never end';
  if (depth >= MAX_DEPTH)
    return `you were asked yourself through ${depth} agents, and no longer chain is allowed; find it out yourself`;
  const open = pendingCalls.filter(({ state, waits }) => state === 'waiting' && waits === 'child').length;
  if (open >= MAX_OPEN) return `${MAX_OPEN} agents work for you already; ask it when they have answered`;
  if (plan.existing + open >= MAX_OF_SESSION)
    return `this investigation has asked ${plan.existing + open} agents, and ${MAX_OF_SESSION} are allowed`;
  return undefined;
}

/** Number of unanswered calls of other agents: each of these agents concludes from the same budget. */
function openCalls({ pendingCalls }: Execution): number {
  return pendingCalls.filter(({ state, waits }) => waits === 'child' && state !== 'done').length;
}

function appendChild(
  parent: Execution,
  executionId: string,
  { agent: planned, text }: Question,
  deadline: Date,
  plan: ChildPlan,
  batch: ExecutionBatch,
): void {
  const { limits, ...agent } = planned;
  const { sessionId, expireAt } = parent;
  const { asker, alertText, dataNonce, maskKey, labels } = plan;
  const { now } = batch;
  const created = newExecution(
    {
      sessionId,
      stageId: parent.stageId,
      executionId,
      agentName: agent.name,
      limits: withBudgets(limits, parent.limits),
      collects: false,
      parentExecutionId: parent.executionId,
      ancestors: [...parent.ancestors, asker],
      depth: parent.depth + 1,
      guidanceTaken: 0,
      tokensBefore: parent.tokensBefore,
      siblings: Math.max(1, parent.siblings) + openCalls(parent) - 1,
      budgetReached: parent.budgetReached,
      deadline,
      expireAt,
      traceparent: parent.traceparent,
    },
    now,
  );
  const fresh = copyForkPart(created, parent);
  const own = startBatch(fresh, now);
  const { chat, wording } = plan;
  const request = { alert: alertText, question: text, asker, chat, nonce: dataNonce, now };
  const { system, user } = wording.assist(planned, request);
  own.appendMessage(textMessage('system', system));
  for (const message of chatMessages(planned, chat)) own.appendMessage(message);
  own.appendMessage(textMessage('user', user));
  own.appendEvent({
    eventType: 'task_assigned',
    content: text,
    metadata: { agentName: agent.name, childExecutionId: executionId },
  });
  const snapshot: AgentSnapshot = {
    sessionId,
    executionId,
    agent,
    dataNonce,
    labels: agent.tools.length === 0 ? {} : labels,
    maskKey,
    expireAt,
    createdAt: now,
  };
  const child = { ...fresh, ...own.counters(), due: computeDue(fresh, now) };
  batch.writes.push(
    createDocument(paths.execution(sessionId, executionId), executionType, child),
    createDocument(paths.agentSnapshot(sessionId, executionId), agentSnapshotType, snapshot),
    ...own.writes,
  );
}

function withBudgets(
  { sessionTokens: _, dailyTokens: _1, ...own }: Limits,
  { sessionTokens, dailyTokens }: Limits,
): Limits {
  return {
    ...own,
    ...(sessionTokens !== undefined && { sessionTokens }),
    ...(dailyTokens !== undefined && { dailyTokens }),
  };
}

function ownEntry<T>(entries: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(entries, name) ? entries[name] : undefined;
}

/** As much of a chat as fits, oldest first, with the question in progress. */
function chatMessages(agent: PlannedAgent, chat: ChildPlan['chat']): MessageDraft[] {
  if (chat === undefined) return [];
  return [
    ...fitExchanges(chat.exchanges, agent).flatMap(({ question, answer }) => [
      textMessage('user', markLines(question)),
      textMessage('assistant', answer),
    ]),
    textMessage('user', markLines(chat.question)),
  ];
}
