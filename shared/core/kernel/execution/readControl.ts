// Reads the control state of a session for an iteration: whether it is paused, the number of guidance texts,
// and the end of its watch. It is one document, read at the same time as the execution.

import type { Control } from '../../schema/control.ts';
import { controlType, paths } from '../../schema/coreDocuments.ts';
import type { StateDeps } from '../deps.ts';
import { captureFailure } from '../documents/reading.ts';

/** How long a watch lasts: one renewal can be late or fail. */
export const WATCH_MS = 45_000;

/** The end of a watch that a reader starts or renews now. */
export function watchedUntil(now: Date): Date {
  return new Date(now.getTime() + WATCH_MS);
}

/** The control state of a session that was never steered. */
const FREE: ControlState = { paused: false, guidance: 0, watchedUntil: null };

/** The control state as an iteration reads it. */
export type ControlState = Pick<Control, 'paused' | 'guidance' | 'watchedUntil'>;

/**
 * Reads the control state of a session. A broken document is logged and ignored: it must not stop an
 * investigation.
 * @throws RetryableError when the store fails, or for a document of newer code.
 */
export async function readControl(
  sessionId: string,
  { store, log }: Pick<StateDeps, 'store' | 'log'>,
): Promise<ControlState> {
  const { value: stored, failure } = await captureFailure(store.get(paths.control(sessionId), controlType));
  if (failure !== undefined)
    log.error(
      { sessionId, code: failure.code },
      `pauses, guidance and watchers are ignored: ${failure.message}`,
    );
  return stored?.value ?? FREE;
}
