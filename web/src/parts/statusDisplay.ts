// Every status as a word, a glyph and a tone. No two share a glyph, so that they differ without colours.

import type { IconName } from './Icon.tsx';

/** A colour of the style sheet. */
export type Tone = 'ok' | 'fail' | 'late' | 'run' | 'wait' | 'none';

/** How a status is shown. */
export interface Shown {
  word: string;
  icon: IconName;
  tone: Tone;
}

const STATUSES: Record<string, Shown> = {
  completed: { word: 'Completed', icon: 'done', tone: 'ok' },
  limited: { word: 'Completed, limited', icon: 'warning', tone: 'late' },
  failed: { word: 'Failed', icon: 'failed', tone: 'fail' },
  timed_out: { word: 'Timed out', icon: 'clock', tone: 'late' },
  cancelled: { word: 'Cancelled', icon: 'cancelled', tone: 'none' },
  cancelling: { word: 'Cancelling', icon: 'cancelling', tone: 'none' },
  in_progress: { word: 'Running', icon: 'ring', tone: 'run' },
  active: { word: 'Running', icon: 'ring', tone: 'run' },
  streaming: { word: 'Streaming', icon: 'pen', tone: 'run' },
  waits: { word: 'Needs approval', icon: 'hand', tone: 'wait' },
  waiting: { word: 'Waiting', icon: 'child', tone: 'none' },
  paused: { word: 'Paused', icon: 'hourglass', tone: 'late' },
  pending: { word: 'Not started', icon: 'dashed', tone: 'none' },
  // The results of checks.
  healthy: { word: 'Healthy', icon: 'heart', tone: 'ok' },
  attention: { word: 'Needs attention', icon: 'bell', tone: 'late' },
  deferred: { word: 'Deferred', icon: 'deferred', tone: 'none' },
};

/** All that are known. @internal */
export const STATUS_NAMES = Object.keys(STATUSES);

/** How a status is shown; one that is not known as itself. */
export function statusShown(status: string | null): Shown {
  if (status === null) return { word: 'Unknown', icon: 'question', tone: 'none' };
  return STATUSES[status] ?? { word: status.replaceAll('_', ' '), icon: 'question', tone: 'none' };
}
