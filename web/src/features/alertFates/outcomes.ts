// The outcomes of alerts as words and tones.

import type { IconName } from '../../parts/Icon.tsx';
import type { Tone } from '../../parts/statusDisplay.ts';

interface OutcomeShown {
  word: string;
  icon: IconName;
  tone: Tone;
}

/** All outcomes, in the order of the filter. */
export const OUTCOMES: Readonly<Record<string, OutcomeShown>> = {
  opened: { word: 'Opened', icon: 'done', tone: 'ok' },
  joined: { word: 'Joined', icon: 'child', tone: 'none' },
  recorded: { word: 'Recorded', icon: 'dashed', tone: 'none' },
  deferred: { word: 'Deferred', icon: 'deferred', tone: 'late' },
  dropped: { word: 'Dropped', icon: 'cancelled', tone: 'none' },
  rejected: { word: 'Rejected', icon: 'failed', tone: 'fail' },
  refused: { word: 'Rejected', icon: 'warning', tone: 'fail' },
};

/** How an outcome is shown; one of newer code as itself. */
export const outcomeShown = (outcome: string): OutcomeShown =>
  OUTCOMES[outcome] ?? { word: outcome, icon: 'question', tone: 'none' };
