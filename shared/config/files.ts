// The contents of the validated files, for checks across files.

import type * as z from 'zod';
import type { Agents } from './agentTypes.ts';
import type { Chains } from './readChains.ts';
import type { modelsFileSchema, pricesFileSchema, systemFileSchema } from './schema.ts';

/** The contents of the validated files. */
export interface Files {
  models: z.output<ReturnType<typeof modelsFileSchema>>;
  agents: Agents;
  chains: Chains;
  system: z.output<ReturnType<typeof systemFileSchema>>;
  prices: z.output<typeof pricesFileSchema>;
}
