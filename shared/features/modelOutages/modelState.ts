// Whether a model answers, as all instances know it: the first execution that waits long for a model stores
// its outage, and the first answer afterwards stores its end. Without an outage, nothing is written.

import { type Store, type Stored, saveDocument } from '../../core/contract/store.ts';
import { errorMessage } from '../../core/errors.ts';
import type { StateDeps } from '../../core/kernel/deps.ts';
import type { ModelSettings } from '../../core/schema/agent.ts';
import { type ModelOutage, modelLabel, modelOutageType } from '../../kits/agents/modelOutage.ts';

/** No execution waits longer for its model, except one that a person pauses. */
const KEEP_MS = 7 * 24 * 3_600_000;
/** Milliseconds between reads of a model's stored outage. An execution that waited reads it. */
const READ_INTERVAL_MS = 60_000;

/** When this process last read the outage of a model, by store and path. */
const READ_AT = new WeakMap<Store, Map<string, number>>();

/** Stores that executions wait for a model. A failure is logged: then each waits out its pause. */
export async function noteOutage(model: ModelSettings, deps: StateDeps): Promise<void> {
  await changeState(model, deps, (stored, now) =>
    stored === undefined || stored.value.answeredAt !== null
      ? { model: modelLabel(model), since: now, answeredAt: null, expireAt: expiry(now) }
      : undefined,
  );
}

/**
 * Stores that a model answers again, if its outage is stored. A failure is only logged.
 * @param hasWaited whether the execution has waited for the model: then the outage is read, else at most once
 * a minute.
 */
export async function noteAnswer(model: ModelSettings, hasWaited: boolean, deps: StateDeps): Promise<void> {
  const readAt = READ_AT.get(deps.store) ?? new Map<string, number>();
  READ_AT.set(deps.store, readAt);
  const now = deps.clock.now().getTime();
  const path = statePath(model);
  const last = readAt.get(path);
  if (!hasWaited && last !== undefined && now >= last && now - last < READ_INTERVAL_MS) return;
  readAt.set(path, now);
  await changeState(model, deps, (stored, answeredAt) =>
    stored?.value.answeredAt === null
      ? { ...stored.value, answeredAt, expireAt: expiry(answeredAt) }
      : undefined,
  );
}

async function changeState(
  model: ModelSettings,
  { store, clock, log }: StateDeps,
  change: (stored: Stored<ModelOutage> | undefined, now: Date) => ModelOutage | undefined,
): Promise<void> {
  const path = statePath(model);
  try {
    const stored = await store.get(path, modelOutageType);
    const value = change(stored, clock.now());
    if (value === undefined) return;
    const write = saveDocument(path, modelOutageType, value, stored?.version);
    // Refused if another process was faster; it stored the same state, or a later one.
    await store.commit([write]);
  } catch (error) {
    log.warn({ err: error }, `the outage of ${modelLabel(model)} was not stored: ${errorMessage(error)}`);
  }
}

/** The document of a model; ids contain no slash. */
function statePath({ provider, model }: ModelSettings): string {
  return modelOutageType.paths.modelOutage(`${provider}~${model.replace(/[^A-Za-z0-9.-]/g, '_')}`);
}

const expiry = (now: Date): Date => new Date(now.getTime() + KEEP_MS);
