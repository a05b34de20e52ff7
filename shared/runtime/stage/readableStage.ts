// A stage as far as it can be read: a broken document must not keep the others from being looked after.

import type { Stored } from '../../contract/store.ts';
import type { Failure } from '../../schema/common.ts';
import { executionType, paths, stageType } from '../../schema/documents.ts';
import type { Execution } from '../../schema/execution.ts';
import type { Stage } from '../../schema/stage.ts';
import type { StateDeps } from '../deps.ts';
import { readable } from '../readable.ts';

/** What could be read of a stage. */
export interface ReadableStage {
  stage: Stage | undefined;
  executions: Stored<Execution>[];
  /** Why something could not be read, and never will be; undefined when all could, or was not there. */
  broken: Failure | undefined;
}

/** @throws RetryableError when the store fails, or for documents of newer code. */
export async function loadReadableStage(
  sessionId: string,
  stageId: string,
  { store }: Pick<StateDeps, 'store'>,
): Promise<ReadableStage> {
  const stage = await readable(store.get(paths.stage(sessionId, stageId), stageType));
  const ids = stage.value?.value.expectedExecutions ?? [];
  const executions = await Promise.all(
    ids.map((id) => readable(store.get(paths.execution(sessionId, id), executionType))),
  );
  return {
    stage: stage.value?.value,
    executions: executions.flatMap(({ value }) => value ?? []),
    broken: [stage, ...executions].find(({ failure }) => failure !== undefined)?.failure,
  };
}
