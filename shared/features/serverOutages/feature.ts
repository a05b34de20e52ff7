// Outages of tool servers: the agent learns which of its servers are unreachable.

import type { Feature } from '../../core/kernel/feature/feature.ts';
import { recordOutages } from './recordOutages.ts';

/** Adds messages about outages to the conversation. An agent without any tool waits or concludes. */
export const SERVER_OUTAGES: Feature = {
  beforeAsking: recordOutages,
};
