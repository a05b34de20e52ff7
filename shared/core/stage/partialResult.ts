// Records the work of a session that ends early: a text in `partial` and in the last event of the timeline,
// built without a model.

import type { Store } from '../contract/store.ts';
import { errorMessage } from '../errors.ts';
import type { StateDeps } from '../kernel/deps.ts';
import { captureFailure } from '../kernel/documents/reading.ts';
import { executionType, paths } from '../schema/coreDocuments.ts';
import type { Execution } from '../schema/execution.ts';
import type { Session } from '../schema/session.ts';
import type { AgentWork } from './agentWork.ts';
import type { SessionEnd } from './decideStage.ts';
import { type Attempt, describeAttempts } from './describeAttempts.ts';
import { plannedStages } from './earlierStages.ts';
import { readWork, readWorkOfUnknown } from './readWork.ts';

/** Executions that are read: the last ones, which the end stopped. The others are only counted. */
const MAX_ATTEMPTS = 20;
/** UTF-8 bytes of the whole record: the session's document holds its chain, alert and analysis as well. */
const MAX_RECORD_BYTES = 28_000;

/**
 * Adds the record of the agents' work to the `partial` of an end; a completed session needs none. Read
 * failures are noted in the record and do not prevent the end.
 */
export async function withRecord<E extends SessionEnd>(
  session: Session,
  end: E,
  deps: StateDeps,
): Promise<E> {
  if (end.partial === null) return end;
  const record = await readRecord(session, deps).catch((error: unknown) => {
    const { sessionId } = session;
    deps.log.warn({ sessionId, err: error }, 'a session ends without the record of the work of its agents');
    return `What was looked at could not be read: ${errorMessage(error).slice(0, 500)}`;
  });
  const text = record === '' ? end.partial.text : `${end.partial.text}\n\n${record}`;
  return { ...end, partial: { ...end.partial, text } };
}

async function readRecord(session: Session, { store }: StateDeps): Promise<string> {
  const planned = plannedStages(session).flatMap(({ agents }) => agents);
  const found = await Promise.all(
    planned.map(async (one) => {
      const path = paths.execution(session.sessionId, one.executionId);
      return { ...one, reading: await captureFailure(store.get(path, executionType)) };
    }),
  );
  // Executions that were never created did no work; those with an analysis need no record.
  const without = found.filter(
    ({ reading }) => reading.failure !== undefined || reading.value?.value.finalAnalysis === null,
  );
  const attempts = await Promise.all(
    without.slice(-MAX_ATTEMPTS).map(async ({ executionId, agent, reading }): Promise<Attempt> => {
      const execution = reading.value?.value;
      const work = await readWorkOrReason(session.sessionId, executionId, execution, store);
      const failure = reading.failure ?? execution?.failure ?? null;
      return { executionId, agent, status: execution?.status ?? 'failed', failure, ...work };
    }),
  );
  return describeAttempts(attempts, without.length - attempts.length, MAX_RECORD_BYTES);
}

/**
 * The work of an execution, or the reason why it cannot be read. One unreadable execution does not affect the
 * others.
 */
async function readWorkOrReason(
  sessionId: string,
  executionId: string,
  execution: Execution | undefined,
  store: Store,
): Promise<{ work: AgentWork | undefined; unread: string | null }> {
  try {
    const work = await (execution === undefined
      ? readWorkOfUnknown(sessionId, executionId, store)
      : readWork(execution, store));
    return { work, unread: null };
  } catch (error) {
    return { work: undefined, unread: errorMessage(error) };
  }
}
