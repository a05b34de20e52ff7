// Outages of tool servers: the agent learns which of its servers cannot be reached.

import type { Feature } from '../../kernel/feature/feature.ts';
import { recordOutages } from './recordOutages.ts';

/** Adds messages about outages to the conversation, and makes an agent without any tool wait or conclude. */
export const SERVER_OUTAGES: Feature = {
  beforeAsking: recordOutages,
};
