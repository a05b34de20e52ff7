// Loads the readable documents of a stage: a broken one must not block the others.

import type { Stored } from '../contract/store.ts';
import type { StateDeps } from '../kernel/deps.ts';
import { captureFailure } from '../kernel/documents/reading.ts';
import { listDescendants } from '../kernel/execution/descendants.ts';
import type { Failure } from '../schema/common.ts';
import { executionType, paths, stageType } from '../schema/coreDocuments.ts';
import type { Execution } from '../schema/execution.ts';
import type { Stage } from '../schema/stage.ts';

interface ReadableStage {
  /** Undefined when it is missing or cannot be read. */
  stage: Stage | undefined;
  /** Those that can be read, in the stage's order. */
  executions: Stored<Execution>[];
  /** All descendants, at any depth, including those of unreadable executions. */
  descendants: Stored<Execution>[];
  /** Why a document can never be read; undefined when none is broken. Missing documents are not broken. */
  broken: Failure | undefined;
}

/**
 * Loads the stage and its expected executions.
 * @throws RetryableError when the store fails, or for documents of newer code.
 */
export async function loadReadableStage(
  sessionId: string,
  stageId: string,
  { store }: Pick<StateDeps, 'store'>,
): Promise<ReadableStage> {
  const stage = await captureFailure(store.get(paths.stage(sessionId, stageId), stageType));
  const ids = stage.value?.value.expectedExecutions ?? [];
  const executions = await Promise.all(
    ids.map((id) => captureFailure(store.get(paths.execution(sessionId, id), executionType))),
  );
  const parents = ids.filter((_, index) => executions[index]?.value?.value.children !== 0);
  const below = await Promise.all(
    parents.map((executionId) => listDescendants({ sessionId, executionId }, { store })),
  );
  return {
    stage: stage.value?.value,
    executions: executions.flatMap(({ value }) => value ?? []),
    descendants: below.flat(),
    broken: [stage, ...executions].find(({ failure }) => failure !== undefined)?.failure,
  };
}
