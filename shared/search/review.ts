// A rating of an analysis by a person.

import * as z from 'zod';

const text = z.string().min(1);

/** The cause that a reviewer knows. */
const causeSchema = z.strictObject({
  /** A workload, a host, a service: the thing that failed. */
  component: text.nullable(),
  /** How it failed: `memory`, `config`, `release` … */
  mechanism: text.nullable(),
  text: text.nullable(),
});

/** A rating of an analysis by a person. Of several by one person, the newest counts. */
export const reviewSchema = z.strictObject({
  rating: z.enum(['right', 'partly', 'wrong']),
  cause: causeSchema.nullable(),
  /** The action that helped. */
  action: text.nullable(),
  /** Facts that the analysis missed. */
  missed: text.nullable(),
});
/** A rating of an analysis by a person. */
export type Review = z.infer<typeof reviewSchema>;
