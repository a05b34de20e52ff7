// Live text: readers who watch a session see the answer of the model while it streams.

import type { Feature } from '../../core/kernel/feature/feature.ts';
import { LiveWriter } from './liveText.ts';

/** Writes the text of the answer to a document while it streams. */
export const LIVE: Feature = {
  showLive: (options, deps) => new LiveWriter(options, deps),
};
