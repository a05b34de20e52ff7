// runbooks/{key}: a team's instructions for an alert.

import * as z from 'zod';
import { runbookKeySchema } from '../../alerts/schema/usedRunbook.ts';
import { defineCollection, WRITTEN_BY_PEOPLE } from '../../core/schema/defineCollection.ts';

/** A runbook as it is stored. People write runbooks, so they stay until people delete them. */
const runbookSchema = z.strictObject({
  key: runbookKeySchema,
  text: z.string().min(1),
  updatedBy: z.string().min(1),
  updatedAt: z.date(),
});
/** A stored runbook. */
export type Runbook = z.infer<typeof runbookSchema>;

export const runbookType = defineCollection({
  collection: 'runbooks',
  name: 'runbook',
  schema: runbookSchema,
  paths: { runbooks: 'runbooks', runbook: (key: string) => `runbooks/${key}` },
  ...WRITTEN_BY_PEOPLE,
});
