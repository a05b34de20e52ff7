// Live texts that no function writes, by feature.

import type { ThoughtReader } from '../contract/backgroundModel.ts';
import type { AlertDeps } from '../core/kernel/deps.ts';
import { followThoughts } from '../features/interactions/followThoughts.ts';
import type { LiveSource } from '../kits/live/liveSource.ts';

/** Follows the thoughts of models in the background. */
export const backgroundLive = (reader: ThoughtReader, maskerFor: AlertDeps['maskerFor']): LiveSource =>
  followThoughts(reader, maskerFor);
