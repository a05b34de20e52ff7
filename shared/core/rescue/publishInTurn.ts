// Publishes the iterations that an outage or a pause has left, so that they come back in turn.

import { workInParallel } from '../../text/workInParallel.ts';
import type { StateDeps } from '../kernel/deps.ts';
import { captureFailure } from '../kernel/documents/reading.ts';
import { describeInput } from '../kernel/stageFeature.ts';
import { publishIteration } from '../kernel/state/nextIteration.ts';
import { paths, sessionType } from '../schema/coreDocuments.ts';
import type { Execution } from '../schema/execution.ts';

/** So many are published at once. */
const AT_ONCE = 20;
/** More are spread over this time, in milliseconds: they start more slowly than they went on before. */
const SPREAD_MS = 30_000;
const CONCURRENT = 10;

/**
 * Publishes iterations. Many are spread over half a minute: those of critical sessions first, then by age.
 * @param publish called instead of the publication.
 * @throws the first error; the others continue.
 */
export async function publishInTurn(
  executions: readonly Execution[],
  deps: StateDeps,
  publish: (execution: Execution) => Promise<void> = (one) => publishIteration(deps.publisher, one),
): Promise<void> {
  if (executions.length <= AT_ONCE) return workInParallel(executions, CONCURRENT, publish);
  const ordered = await orderByUrgency(executions, deps);
  const startedAt = deps.clock.now().getTime();
  await workInParallel(ordered.entries(), CONCURRENT, async ([index, execution]) => {
    const waitMs = startedAt + (index * SPREAD_MS) / ordered.length - deps.clock.now().getTime();
    if (waitMs > 0) await new Promise<void>((resolve) => void deps.clock.after(waitMs, resolve));
    await publish(execution);
  });
}

/** Those of critical sessions first, then the earliest sessions. An unreadable session is not critical. */
async function orderByUrgency(executions: readonly Execution[], deps: StateDeps): Promise<Execution[]> {
  const ranks = new Map<string, number>();
  await workInParallel(new Set(executions.map(({ sessionId }) => sessionId)), CONCURRENT, async (id) => {
    const { value: session } = await captureFailure(deps.store.get(paths.session(id), sessionType));
    const { isCritical = false } = session === undefined ? {} : describeInput(session.value, deps);
    ranks.set(id, (isCritical ? 0 : 1e15) + (session?.value.createdAt.getTime() ?? 0));
  });
  const rank = ({ sessionId }: Execution): number => ranks.get(sessionId) ?? 0;
  return executions.toSorted((one, other) => rank(one) - rank(other));
}
