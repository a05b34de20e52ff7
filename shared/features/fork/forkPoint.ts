// The place in the conversation of an agent at which a session is forked.

import type { ConversationMessage } from '../../core/contract/llm.ts';
import { readMessages } from '../../core/kernel/conversation/conversation.ts';
import type { StateDeps } from '../../core/kernel/deps.ts';
import { isSettled } from '../../core/kernel/state/pendingCalls.ts';
import { type AgentSnapshot, isBuiltInStrategy } from '../../core/schema/agent.ts';
import {
  agentSnapshotType,
  executionType,
  paths,
  stageType,
  timelineEventType,
} from '../../core/schema/coreDocuments.ts';
import type { Execution } from '../../core/schema/execution.ts';
import type { Stage } from '../../core/schema/stage.ts';
import type { TimelineEvent } from '../../core/schema/timelineEvent.ts';

/** The place at which a session is forked. */
export interface ForkPoint {
  event: TimelineEvent;
  execution: Execution;
  agent: AgentSnapshot['agent'];
  stage: Stage;
  /** The messages up to the event, numbered from 1. */
  messages: readonly ConversationMessage[];
  /** The first iteration that the fork does not have. */
  iteration: number;
}

/** Events of results: a fork has them, with the other results of the same answer. */
const RESULTS: readonly string[] = ['tool_result', 'mcp_tool_summary'];

/** `EXECUTION.NUMBER`, as addresses of steps have it. */
const EVENT = /^#?(?:e-)?([A-Za-z0-9][\w.~-]*)\.(\d{1,9})$/;

/**
 * The place of an event. An event of a result stands for all results of its answer, any other event of an
 * agent for the request before that answer: the model answers again.
 * @returns a text without such a place: the reason, for people.
 * @throws RetryableError when the store fails; TerminalError for documents that cannot be read.
 */
export async function findForkPoint(
  sessionId: string,
  at: string,
  { store }: Pick<StateDeps, 'store'>,
): Promise<ForkPoint | string> {
  const [, executionId = '', number = ''] = EVENT.exec(at) ?? [];
  if (executionId === '') return 'it is no event: use EXECUTION.NUMBER, such as 01-lead.7';
  const [event, execution, snapshot] = await Promise.all([
    store.get(paths.event(sessionId, executionId, Number(number)), timelineEventType),
    store.get(paths.execution(sessionId, executionId), executionType),
    store.get(paths.agentSnapshot(sessionId, executionId), agentSnapshotType),
  ]);
  if (event === undefined) return `session ${sessionId} has no event ${at}`;
  const { iteration } = event.value;
  if (execution === undefined || snapshot === undefined || iteration === null)
    return `event ${at} is one of the session, and of no agent`;
  const { agent } = snapshot.value;
  if (isBuiltInStrategy(agent.strategy)) return `event ${at} is one of Inquest's own agent ${agent.name}`;
  const stage = await store.get(paths.stage(sessionId, execution.value.stageId), stageType);
  if (stage === undefined) return `the stage of event ${at} is not stored`;
  const isResult = RESULTS.includes(event.value.eventType);
  if (isResult && isOpen(execution.value, iteration))
    return 'other calls of the same answer have no result yet; try again when they have';
  const { value: stored, failure } = await readMessages(store, sessionId, executionId);
  if (failure !== undefined) return `the conversation of ${executionId} cannot be read: ${failure.message}`;
  const until = [...stored].filter(([, one]) => (one.iteration ?? 1) <= iteration);
  const answer = until.findLast(([, one]) => one.role === 'assistant' && one.iteration === iteration);
  const last = isResult || answer === undefined ? until.length : answer[0] - 1;
  const messages = until.slice(0, last).map(([, message]) => message);
  if (messages.length < last || last === 0) return `the conversation of ${executionId} has gaps`;
  return {
    event: event.value,
    execution: execution.value,
    agent,
    stage: stage.value,
    messages,
    iteration: isResult ? iteration + 1 : iteration,
  };
}

/** Whether calls of an iteration have no result yet. */
const isOpen = ({ iteration: current, pendingCalls }: Execution, iteration: number): boolean =>
  current === iteration && pendingCalls.some((call) => !isSettled(call));
