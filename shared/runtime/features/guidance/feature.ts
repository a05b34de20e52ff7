// Guidance: people steer the agents of a running session.

import type { Feature } from '../../kernel/feature/feature.ts';
import { loadGuidance } from './loadGuidance.ts';

/** Adds the guidance that an execution has not taken yet to its next request. */
export const GUIDANCE: Feature = {
  readGuidance: loadGuidance,
};
