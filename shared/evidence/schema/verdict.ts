// The verdict on a session as it is stored.

import * as z from 'zod';
import { openSet } from '../../core/schema/common.ts';
import { definePart } from '../../core/schema/parts.ts';

/** The verdicts. `not_an_incident` stands apart from the order of the others. */
export const VERDICTS = ['confirmed', 'likely', 'inconclusive', 'blocked', 'not_an_incident'] as const;
/** A verdict. */
export type Verdict = (typeof VERDICTS)[number];

/** The absence of a verdict, as filters name it. */
export const NOT_CHECKED = 'not_checked';

/** The reason of a verdict, or why it is not better: the data of its sentence. */
const reasonSchema = z.strictObject({
  /** The object with the state: `Pod checkout-7d9c6bf8d4-x2kqp, container app`. Null without one. */
  object: z.string().nullable(),
  /** The state in words: `last state OOMKilled`. */
  says: z.string().nullable(),
  /** Of a change: the state that followed, `Pod checkout-x2kqp: last state OOMKilled`. Else null. */
  effect: z.string().nullable(),
  /** The starts of the state and of the alert. */
  at: z.date().nullable(),
  alertAt: z.date(),
  /** How it is known to differ: `moment`, `series`, `earlier`, `sibling`. Null where it is not. */
  by: z.string().nullable(),
  /** Healthy siblings without the state. */
  siblings: z.int().nonnegative(),
  /** Why nothing shows a difference: `no_sibling`, `not_asked`, `no_answer`, `no_change`, `usual`, `off`. */
  why: z.string().nullable(),
  /** The mechanism that the evidence shows, where it is not the named one. */
  shows: z.string().nullable(),
});

/** A question that the investigation left open. */
const openQuestionSchema = z.strictObject({
  /** `upstream`: the mechanism's origin; `contrast`: a call without answer; `server`: a missing one. */
  code: z.string().min(1),
  /** The mechanism, the call or the server. */
  subject: z.string(),
});

/** A verdict as its session stores it. */
export const verdictSchema = z.strictObject({
  /** Null: nothing was checked. */
  value: openSet<Verdict>().nullable(),
  /** The version of the table that decided. */
  table: z.int().positive(),
  /** The row of the table that decided: `contrasted`. */
  rule: z.string().min(1),
  /** Reasons for which it is not better, and why nothing was checked: `forced_conclusion`. */
  caps: z.array(z.string().min(1)),
  /** Whether the alert's condition was true and is not any more. */
  isRecovered: z.boolean(),
  /** The causes that the analysis names; null parts were not stated. */
  causes: z.array(z.strictObject({ component: z.string().nullable(), mechanism: z.string().nullable() })),
  /** Null where there is no cause, and for verdicts of version 1. */
  reason: reasonSchema.nullable(),
  open: z.array(openQuestionSchema),
});
/** A verdict as its session stores it. */
export type SessionVerdict = z.infer<typeof verdictSchema>;
/** The reason of a verdict. */
export type VerdictReason = z.infer<typeof reasonSchema>;

/** The verdict of the check of claims; a session without one was not checked. */
export const verdictPart = definePart('session', 'verdict', verdictSchema);
