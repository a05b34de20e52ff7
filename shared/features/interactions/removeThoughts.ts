// Deletes questions at Google for which no execution waits any more: after an end, a pause, or an answer
// whose process died.

import type { BackgroundModel } from '../../contract/backgroundModel.ts';
import { deleteDocument, replaceDocument, type Stored } from '../../core/contract/store.ts';
import { errorMessage } from '../../core/errors.ts';
import { CRASH_POINTS } from '../../core/kernel/crashPoints.ts';
import type { StateDeps } from '../../core/kernel/deps.ts';
import type { SweepFailure, SweepFeature } from '../../core/kernel/feature/sweepFeature.ts';
import { isTerminal } from '../../core/schema/common.ts';
import { executionType, paths } from '../../core/schema/coreDocuments.ts';
import { sessionType } from '../../core/schema/session.ts';
import { REMOVE_MS, readQuestion, type Thought, thoughtType, WEBHOOKS_MS } from './thought.ts';

/** Deletes questions. */
type Remover = Pick<BackgroundModel, 'remove'>;

/** Questions that one run looks at, at most. */
const MAX_THOUGHTS = 100;
/** The longest time until a question is looked at again: one with an id, and one without. */
const LONGEST_MS = { known: 300_000, unknown: 3_600_000 };

/** The feature of the sweep. */
export function removeThoughts(background: Remover): SweepFeature {
  return {
    async run(deps) {
      const failures: SweepFailure[] = [];
      for (const path of await listDue(deps)) {
        await checkThought(path, background, deps).catch((error: unknown) => {
          failures.push({ sessionId: path, code: null, message: errorMessage(error) });
        });
      }
      return { started: 0, failures };
    },
  };
}

async function listDue({ store, clock }: StateDeps): Promise<string[]> {
  const query = {
    collectionId: thoughtType.collection,
    field: 'dueAt',
    to: clock.now(),
    limit: MAX_THOUGHTS,
  };
  for await (const page of store.findByTime(query)) return page;
  return [];
}

async function checkThought(path: string, background: Remover, deps: StateDeps): Promise<void> {
  const thought = await deps.store.get(path, thoughtType);
  if (thought === undefined) return;
  const { value, version } = thought;
  const { interactionId, createdAt } = value;
  const ageMs = deps.clock.now().getTime() - createdAt.getTime();
  const isKept = interactionId === null ? ageMs < WEBHOOKS_MS : await isAwaited(thought, deps);
  const isGone =
    !isKept &&
    (interactionId === null || (await background.remove(interactionId, AbortSignal.timeout(REMOVE_MS))));
  if (isGone) await deps.failpoint?.(CRASH_POINTS.duringRemoval);
  const longestMs = interactionId === null ? LONGEST_MS.unknown : LONGEST_MS.known;
  const laterMs = Math.min(longestMs, Math.max(ageMs, 60_000));
  const dueAt = new Date(deps.clock.now().getTime() + laterMs);
  // A refused write is one that lost to a webhook or a holder: the next run looks again.
  await deps.store.commit([
    isGone
      ? deleteDocument(path, thoughtType)
      : replaceDocument(path, thoughtType, { ...value, dueAt }, version),
  ]);
}

/** Whether the answer of a question will be read. A paused session asks again when it is resumed. */
async function isAwaited({ id, value }: Stored<Thought>, { store }: StateDeps): Promise<boolean> {
  const { sessionId, executionId } = value;
  const [execution, session] = await Promise.all([
    store.get(paths.execution(sessionId, executionId), executionType),
    store.get(paths.session(sessionId), sessionType),
  ]);
  if (execution === undefined || session === undefined || isTerminal(execution.value.status)) return false;
  const { openStage, steering } = session.value;
  const isPaused = openStage === null && steering.paused !== null;
  return !isPaused && readQuestion(execution.value)?.submissionId === id;
}
