// How a script writes what the API's own tools did in a turn.

import * as z from 'zod';
import { mapping } from '../../shared/config/fields.ts';

export const codeExecutionSchema = mapping({
  code: z.string(),
  /** What it printed. Without it the part with the result is missing. */
  result: z.string().optional(),
  /** OUTCOME_OK by default. */
  outcome: z.string().optional(),
});

export const groundingSchema = mapping({
  /** Of Google Search. */
  queries: z.array(z.string()).min(1).optional(),
  sources: z.array(mapping({ uri: z.string(), title: z.string().optional() })).default([]),
  /** Which words of the text come from which sources, counted from 0. */
  supports: z
    .array(mapping({ text: z.string().min(1), sources: z.array(z.int().nonnegative()) }))
    .default([]),
  /** Pages the model reads; SUCCESS by default, else ERROR, PAYWALL or UNSAFE. */
  urls: z.array(mapping({ url: z.string(), status: z.string().default('SUCCESS') })).default([]),
  /** HTML of the search suggestions. */
  renderedContent: z.string().optional(),
});
