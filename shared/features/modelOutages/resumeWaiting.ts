// Publishes executions that wait for a model that answers again, so that none waits out its pause.

import { deleteDocument, type Stored } from '../../core/contract/store.ts';
import { errorMessage, InquestError } from '../../core/errors.ts';
import type { StateDeps } from '../../core/kernel/deps.ts';
import { captureFailure } from '../../core/kernel/documents/reading.ts';
import { findDueExecutions } from '../../core/kernel/execution/findDue.ts';
import { isForModel } from '../../core/kernel/execution/newerDocument.ts';
import type { FeatureReport, SweepFeature } from '../../core/kernel/feature/sweepFeature.ts';
import { agentInUse } from '../../core/kernel/state/agentInUse.ts';
import { isParked } from '../../core/kernel/state/decide.ts';
import { publishIteration } from '../../core/kernel/state/nextIteration.ts';
import { replaceExecution, withDue } from '../../core/kernel/state/replaceExecution.ts';
import { agentSnapshotType, executionType, paths } from '../../core/schema/coreDocuments.ts';
import type { Execution } from '../../core/schema/execution.ts';
import { type ModelOutage, modelLabel, modelOutageType } from '../../kits/agents/modelOutage.ts';

/**
 * The most executions that a run publishes before the end of their pause: a few continue at once, and most of
 * a thousand wait out their pauses, so that a model that has just recovered is not asked by all of them.
 */
const MAX_RELEASES = 60;
/** Documents of a page: only paths. */
const PAGE_SIZE = 300;
/** Longer pauses are those that a provider requested. In milliseconds. */
const LONGEST_PAUSE_MS = 3_600_000;

/** Ends the pauses of executions whose model answers again. The report contains the errors of the store. */
export const RECOVERED_MODELS: SweepFeature = {
  async run(deps) {
    const report: FeatureReport = { started: 0, failures: [] };
    try {
      const outages = await deps.store.list(
        { collection: modelOutageType.paths.modelOutages },
        modelOutageType,
      );
      const over = outages.filter(({ value }) => value.answeredAt !== null);
      if (over.length > 0) await releaseParked(over, deps);
    } catch (error) {
      if (!(error instanceof InquestError)) throw error;
      const message = errorMessage(error);
      report.failures.push({ sessionId: modelOutageType.paths.modelOutages, code: error.code, message });
      deps.log.error({ err: error }, `executions that wait for a model were not published: ${message}`);
    }
    return report;
  },
};

/** Publishes up to `MAX_RELEASES` executions by the end of their pause; deletes outages without rest. */
async function releaseParked(over: readonly Stored<ModelOutage>[], deps: StateDeps): Promise<void> {
  const models = new Set(over.map(({ value }) => value.model));
  const now = deps.clock.now();
  const waiting = { from: now, to: new Date(now.getTime() + LONGEST_PAUSE_MS), limit: PAGE_SIZE };
  let released = 0;
  for await (const page of findDueExecutions(waiting, deps.store)) {
    for (const path of page) {
      // The next run continues.
      if (released === MAX_RELEASES) return;
      if (await releaseOne(path, models, deps)) released += 1;
    }
  }
  await deps.store.commit(over.map(({ path }) => deleteDocument(path, modelOutageType)));
}

/** Ends the pause of an execution and publishes it, if it waits for one of the models. */
async function releaseOne(path: string, models: ReadonlySet<string>, deps: StateDeps): Promise<boolean> {
  const { value: stored } = await captureFailure(deps.store.get(path, executionType));
  if (stored === undefined || !(await isWaitingFor(models, stored.value, deps))) return false;
  const { outage } = stored.value;
  const released: Execution = {
    ...stored.value,
    notBefore: null,
    outage: outage && { ...outage, parked: false },
  };
  const due = withDue(released, deps.clock.now());
  // If its process dies before it publishes, the execution is late a minute later.
  if (!(await replaceExecution(due, stored.version, [], deps)).ok) return false;
  await publishIteration(deps.publisher, due);
  return true;
}

async function isWaitingFor(
  models: ReadonlySet<string>,
  execution: Execution,
  { store, clock }: StateDeps,
): Promise<boolean> {
  const { sessionId, executionId, outage, notBefore } = execution;
  if (!isParked(execution) || !isForModel(outage)) return false;
  if (execution.lease !== null || notBefore === null || notBefore <= clock.now()) return false;
  const path = paths.agentSnapshot(sessionId, executionId);
  const { value: snapshot } = await captureFailure(store.get(path, agentSnapshotType));
  const model = snapshot && agentInUse(snapshot.value.agent, execution)?.model;
  return model !== undefined && models.has(modelLabel(model));
}
