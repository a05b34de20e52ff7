// Reads what an iteration has to know of the control state of its session: whether it is paused, how much guidance there
// is, and until when it is watched. It is one document, read at the same time as the execution.

import type { Control } from '../../../schema/control.ts';
import { controlType, paths } from '../../../schema/documents.ts';
import type { StateDeps } from '../deps.ts';
import { captureFailure } from '../documents/reading.ts';

/** How long a watch lasts: one renewal may be late or fail. */
export const WATCH_MS = 45_000;

/** Until when a session is watched by a reader who begins to watch it now. */
export function watchedUntil(now: Date): Date {
  return new Date(now.getTime() + WATCH_MS);
}

/** The control state of a session that nobody has steered. */
const FREE: ControlState = { paused: false, guidance: 0, watchedUntil: null };

/** What an iteration reads of the control state. */
export type ControlState = Pick<Control, 'paused' | 'guidance' | 'watchedUntil'>;

/**
 * The control state of a session. A broken document must not stop an investigation: it counts as none, and is logged.
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
      `pauses, guidance and watchers are not seen: ${failure.message}`,
    );
  return stored?.value ?? FREE;
}
