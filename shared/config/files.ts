// The contents of the validated files, for what compares them with each other.

import type * as z from 'zod';
import type { Chains } from './readChains.ts';
import type { agentsFileSchema, modelsFileSchema, pricesFileSchema, systemFileSchema } from './schema.ts';

/** The contents of the validated files. */
export interface Files {
  models: z.output<ReturnType<typeof modelsFileSchema>>;
  agents: z.output<ReturnType<typeof agentsFileSchema>>;
  chains: Chains;
  system: z.output<ReturnType<typeof systemFileSchema>>;
  prices: z.output<typeof pricesFileSchema>;
}
