// Publishes executions that wait for a model that answers again, so that none waits out its pause.

import { deleteDocument, type Stored, type Version } from '../../core/contract/store.ts';
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
import { publishInTurn } from '../../core/rescue/publishInTurn.ts';
import { agentSnapshotType, executionType, paths } from '../../core/schema/coreDocuments.ts';
import type { Execution } from '../../core/schema/execution.ts';
import { type ModelOutage, modelLabel, modelOutageType } from '../../kits/agents/modelOutage.ts';
import { workInParallel } from '../../text/workInParallel.ts';

const CONCURRENT = 10;
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

/** Publishes all executions that wait for the models, in turn; then deletes the outages. */
async function releaseParked(over: readonly Stored<ModelOutage>[], deps: StateDeps): Promise<void> {
  const models = new Set(over.map(({ value }) => value.model));
  const now = deps.clock.now();
  const waiting = { from: now, to: new Date(now.getTime() + LONGEST_PAUSE_MS), limit: PAGE_SIZE };
  const parked: Stored<Execution>[] = [];
  for await (const page of findDueExecutions(waiting, deps.store)) {
    await workInParallel(page, CONCURRENT, async (path) => {
      const { value: stored } = await captureFailure(deps.store.get(path, executionType));
      if (stored !== undefined && (await isWaitingFor(models, stored.value, deps))) parked.push(stored);
    });
  }
  const versions = new Map(parked.map(({ value, version }) => [value, version]));
  await publishInTurn([...versions.keys()], deps, (execution) =>
    releaseOne(execution, versions.get(execution) as Version, deps),
  );
  await deps.store.commit(over.map(({ path }) => deleteDocument(path, modelOutageType)));
}

/** Ends the pause of an execution and publishes it, unless it was written meanwhile. */
async function releaseOne(execution: Execution, version: Version, deps: StateDeps): Promise<void> {
  const { outage } = execution;
  const released: Execution = {
    ...execution,
    notBefore: null,
    outage: outage && { ...outage, parked: false },
  };
  const due = withDue(released, deps.clock.now());
  // If its process dies before it publishes, the execution is late a minute later.
  if ((await replaceExecution(due, version, [], deps)).ok) await publishIteration(deps.publisher, due);
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
