// enrichments/{table}.{digest of the key}: a row of a table that enrich.yaml looks up in Firestore.

import * as z from 'zod';
import { runbookKeySchema } from '../../alerts/schema/usedRunbook.ts';
import { defineCollection, WRITTEN_BY_PEOPLE } from '../../core/schema/defineCollection.ts';

/** A row as it is stored. People write rows, so they stay until people delete them. */
const enrichmentSchema = z.strictObject({
  table: runbookKeySchema,
  /** The values of the labels by which the row is found, in the order of enrich.yaml. */
  key: z.array(z.string().min(1)).min(1),
  /** The values by label. */
  values: z.record(z.string(), z.string()),
  updatedBy: z.string().min(1),
  updatedAt: z.date(),
});

export const enrichmentType = defineCollection({
  collection: 'enrichments',
  name: 'enrichment',
  schema: enrichmentSchema,
  paths: { enrichment: (id: string) => `enrichments/${id}` },
  ...WRITTEN_BY_PEOPLE,
});
