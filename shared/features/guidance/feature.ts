// Guidance: people steer the agents of a running session.

import type { Feature } from '../../core/kernel/feature/feature.ts';
import { loadGuidance } from './loadGuidance.ts';

/** Adds new guidance to the next request of an execution. */
export const GUIDANCE: Feature = {
  readGuidance: loadGuidance,
};
