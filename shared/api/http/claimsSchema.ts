// The claims of a session, as the API returns them.

import * as z from 'zod';
import { unreadableSchema } from './schemas.ts';

const text = z.string().nullable();

/** The claims of a session. Missing values are null. */
export const claimsSchema = z.strictObject({
  verdict: z
    .string()
    .nullable()
    .describe('`confirmed`, `likely`, `inconclusive`, `blocked` or `not_an_incident`; null: not checked'),
  rule: z.string().describe('The rule that decided: docs/trust.md'),
  caps: z.array(z.string()).describe('Reasons for which the verdict is not better'),
  isRecovered: z.boolean().describe("Whether the alert's condition was true and is not any more"),
  hypotheses: z
    .array(
      z.strictObject({
        id: z.string(),
        text,
        component: text,
        mechanism: text,
        effectOf: text,
        cause: z.boolean().describe('Whether the analysis concludes it'),
      }),
    )
    .describe('Of all agents; those with the same component and mechanism are one'),
  evidence: z.array(
    z.strictObject({
      id: z.string(),
      hypothesis: z.string(),
      side: z.enum(['for', 'against']),
      quote: text,
      pointer: text,
      value: text,
      state: z.string().describe('Only `held` counts'),
      yields: z.string().describe('The kind of its result: `state`, `text`, `change`, `alert` or `error`'),
      executionId: text.describe('The execution whose result has it'),
      result: text.describe('The id of that result'),
      callId: text.describe('The call that returned it'),
      line: z.int().nullable(),
      found: text.describe('The text that stands there instead'),
    }),
  ),
  tests: z.array(
    z.strictObject({
      id: z.string(),
      hypothesis: z.string(),
      against: z.string(),
      outcome: z.enum(['passed', 'failed', 'void', 'unanswered']),
      why: text.describe('Why a void test does not count'),
    }),
  ),
  links: z
    .array(z.strictObject({ text: z.string(), evidence: z.array(z.string()) }))
    .describe('Sentences of the analysis, with the ids of their evidence'),
  values: z
    .array(
      z.strictObject({
        text: z.string(),
        kind: z.enum(['number', 'time', 'name']),
        state: z.enum(['held', 'alert', 'derived', 'unchecked']),
        executionId: text,
        result: text,
      }),
    )
    .describe('Of the analysis of the session'),
  unreadable: unreadableSchema,
});
