// A stage as far as it can be read: what is broken in one document must not keep the others from being looked after.

import type { Stored } from '../../contract/store.ts';
import { TerminalError } from '../../errors.ts';
import { executionType, paths, stageType } from '../../schema/documents.ts';
import type { Execution } from '../../schema/execution.ts';
import type { Stage } from '../../schema/stage.ts';
import type { StateDeps } from '../deps.ts';

export interface ReadableStage {
  stage: Stage | undefined;
  executions: Stored<Execution>[];
  /** Why something could not be read, and never will be; undefined when all could, or was not there. */
  broken: TerminalError | undefined;
}

/** @throws RetryableError when the store fails, or for documents of newer code. */
export async function loadReadableStage(
  sessionId: string,
  stageId: string,
  { store }: Pick<StateDeps, 'store'>,
): Promise<ReadableStage> {
  let broken: TerminalError | undefined;
  const unlessBroken = async <T>(reading: Promise<Stored<T> | undefined>): Promise<Stored<T> | undefined> => {
    try {
      return await reading;
    } catch (error) {
      if (!(error instanceof TerminalError)) throw error;
      broken ??= error;
      return undefined;
    }
  };
  const stage = await unlessBroken(store.get(paths.stage(sessionId, stageId), stageType));
  const ids = stage?.value.expectedExecutions ?? [];
  const executions = await Promise.all(
    ids.map((id) => unlessBroken(store.get(paths.execution(sessionId, id), executionType))),
  );
  return { stage: stage?.value, executions: executions.flatMap((execution) => execution ?? []), broken };
}
