// Reads what creating children needs, before the batch that creates them is built.

import type { ToolCall } from '../../contract/tools.ts';
import { type AgentSnapshot, ASK_AGENT, type PlannedAgent, roleOf } from '../../schema/agent.ts';
import { descendantPrefix, paths, sessionType } from '../../schema/documents.ts';
import { rawDocumentType } from '../../schema/documentType.ts';
import type { Session } from '../../schema/session.ts';
import { parseCallArguments } from '../../text/callArguments.ts';
import type { IterationContext } from '../iteration/context.ts';

/** What the children of one execution are created from. */
export interface ChildPlan {
  /** The name of the asking agent in the configuration. */
  asker: string;
  /** Names of the agents it may ask. */
  asks: readonly string[];
  /** All agents as they are configured now, by name. */
  agents: Readonly<Record<string, PlannedAgent>>;
  /** Executions of the session that calls have created so far. */
  existing: number;
  alertText: Session['alertText'];
  labels: AgentSnapshot['labels'];
  dataNonce: string;
  maskKey: string;
}

/**
 * The plan for the calls of an answer; undefined when none of them asks an agent, or the session is gone.
 * @throws RetryableError when the store fails; TerminalError for a session that cannot be read.
 */
export async function planChildren(
  { held, agent, dataNonce, deps }: IterationContext,
  calls: readonly ToolCall[],
): Promise<ChildPlan | undefined> {
  const asking = calls.filter(({ name }) => name === ASK_AGENT);
  if (asking.length === 0) return undefined;
  const { sessionId, executionId } = held.current();
  if (asking.some((call) => 'user_id' in parseCallArguments(call.arguments)))
    deps.log.warn({ sessionId, executionId }, `${ASK_AGENT}: user_id is ignored; a model chooses no user`);
  const [session, executions] = await Promise.all([
    deps.store.get(paths.session(sessionId), sessionType),
    deps.store.list({ collection: paths.executions(sessionId) }, rawDocumentType),
  ]);
  if (session === undefined) return undefined;
  const { alert, alertText, maskKey } = session.value;
  return {
    asker: roleOf(agent),
    asks: (agent.asks ?? []).map(({ name }) => name),
    agents: deps.agents,
    existing: executions.filter(({ id }) => id.includes(descendantPrefix(''))).length,
    alertText,
    labels: alert?.labels ?? {},
    dataNonce,
    maskKey,
  };
}
