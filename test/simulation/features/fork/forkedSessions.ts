// Which sessions of a run are forks, and the strategies of their agents.

import { readPart } from '../../../../shared/core/schema/parts.ts';
import { type Fork, forkPart } from '../../../../shared/schema/forkPart.ts';
import { executionKey, type Invocation, type RunRecord } from '../../record.ts';

/** The fork that a session is; undefined for others. */
export function forkOf(sessionId: string | undefined, { sessions }: RunRecord): Fork | undefined {
  const session = sessions.get(sessionId ?? '');
  return session && readPart(forkPart, session);
}

/** The strategy of an agent of a fork, whose stages have other numbers than those of the scenario. */
export function strategyInFork(by: Invocation, record: RunRecord): string | undefined {
  const session = record.sessions.get(by.sessionId ?? '');
  const execution = record.executions.get(executionKey(by))?.value;
  if (session === undefined || execution === undefined) return undefined;
  if (forkOf(by.sessionId, record) === undefined) return undefined;
  const stage = session.chain.stages[Number.parseInt(execution.stageId, 10) - 1];
  const agents = [...(stage?.agents ?? []), ...(stage?.synthesis ? [stage.synthesis] : [])];
  return agents.find(({ name }) => name === execution.agentName)?.strategy;
}
