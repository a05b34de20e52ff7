// The schemas of the results of the API's own tools in a turn of a script.

import * as z from 'zod';
import { strictMapping } from './strictMapping.ts';

/** Code that the model ran. */
export const codeExecutionSchema = strictMapping({
  code: z.string(),
  /** Its output. Without it, the answer has no part with the result. */
  result: z.string().optional(),
  /** OUTCOME_OK by default. */
  outcome: z.string().optional(),
});

/** Searches and pages that the model used. */
export const groundingSchema = strictMapping({
  /** Queries of Google Search. */
  queries: z.array(z.string()).min(1).optional(),
  sources: z.array(strictMapping({ uri: z.string(), title: z.string().optional() })).default([]),
  /** Which words of the text come from which sources (indices from 0). */
  supports: z
    .array(strictMapping({ text: z.string().min(1), sources: z.array(z.int().nonnegative()) }))
    .default([]),
  /** Pages that the model read. `status` is SUCCESS, ERROR, PAYWALL or UNSAFE. */
  urls: z.array(strictMapping({ url: z.string(), status: z.string().default('SUCCESS') })).default([]),
  /** HTML of the search suggestions. */
  renderedContent: z.string().optional(),
});
