// Live texts that no function writes: the port of those who have them, for streams of sessions.

import type { StateDeps } from '../../core/kernel/deps.ts';
import type { LiveText } from './liveText.ts';

/** A change of the output that an execution streams. */
export interface LiveChange {
  /** The current output. */
  live: LiveText;
  /** Whether the output is over: it was stored or discarded. */
  ended: boolean;
}

/** Follows the live texts of a session until the returned function is called. Never throws. */
export type LiveSource = (
  sessionId: string,
  onChange: (change: LiveChange) => void,
  deps: Pick<StateDeps, 'store' | 'clock' | 'log'>,
) => () => void;
