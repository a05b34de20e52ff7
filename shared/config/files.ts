// The contents of the validated files, for checks across files.

import type * as z from 'zod';
import type { Agents } from './agentTypes.ts';
import type { Chains } from './readChains.ts';
import type { modelsFileSchema, pricesFileSchema, systemFileSchema } from './schema.ts';

/** The contents of the validated files. */
export interface Files {
  /** models.yaml. */
  models: z.output<ReturnType<typeof modelsFileSchema>>;
  /** The agents of agents.yaml and of the files in agents/. */
  agents: Agents;
  /** The chains of chains.yaml and of the files in chains/. */
  chains: Chains;
  /** system.yaml. */
  system: z.output<ReturnType<typeof systemFileSchema>>;
  /** prices.yaml. */
  prices: z.output<typeof pricesFileSchema>;
}
