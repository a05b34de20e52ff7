// The verdict on a session as it is stored, and the kinds of results that it depends on.

import * as z from 'zod';
import { openSet } from './common.ts';

/**
 * The kinds of results. `state`: fields that a control plane writes, and samples of metrics. `change`: rollouts, commits.
 * `text`: whatever a workload, a user or the author of an issue can write.
 */
export const YIELDS = ['state', 'text', 'change'] as const;
/** The kind of a tool's results. */
export type Yields = (typeof YIELDS)[number];

/** The verdicts. `not_an_incident` stands apart from the order of the others. */
export const VERDICTS = ['confirmed', 'likely', 'inconclusive', 'blocked', 'not_an_incident'] as const;
/** A verdict. */
export type Verdict = (typeof VERDICTS)[number];

/** The absence of a verdict, as filters name it. */
export const NOT_CHECKED = 'not_checked';

/** A verdict as its session stores it. */
export const verdictSchema = z.strictObject({
  /** Null: nothing was checked. */
  value: openSet<Verdict>().nullable(),
  /** The rule of the table that decided: `R7`. */
  rule: z.string().min(1),
  /** Reasons for which it is not better, and why nothing was checked: `text_only`. */
  caps: z.array(z.string().min(1)),
  /** Whether the alert's condition was true and is not any more. */
  isRecovered: z.boolean(),
  /** The causes that the analysis names; null parts were not stated. */
  causes: z.array(z.strictObject({ component: z.string().nullable(), mechanism: z.string().nullable() })),
});
/** A verdict as its session stores it. */
export type SessionVerdict = z.infer<typeof verdictSchema>;
