// sessions/{sessionId}/outcomes/{OUTCOME_ID}: whether a problem ended, by repeated read-only calls.

import * as z from 'zod';
import { BELOW_SESSION, defineCollection } from '../../core/schema/defineCollection.ts';

/** The execution id of the events of the checks whether the problem ended. */
export const OUTCOME_EVENTS = 'outcome';

/** The id of the one document of a session. */
const OUTCOME_ID = 'probes';
/** The most probes of a session. */
export const MAX_PROBES = 3;

/**
 * `held`: it changed as stated after an action that the analysis named. `self_resolved`: without a recorded
 * action. `overridden`: after other actions. `recurred`: it came back. `unknown`: not known, or still there.
 */
const OUTCOMES = ['held', 'self_resolved', 'overridden', 'recurred', 'unknown'] as const;
/** The outcome of a session. */
export type OutcomeValue = (typeof OUTCOMES)[number];

const text = z.string().min(1);

/** A call that an agent made, and the comparison that holds once its problem is over. */
const probeSchema = z.strictObject({
  /** `a.p1`: the agent's letter, and the id that it chose. */
  id: text,
  /** The execution whose agent made the call. */
  executionId: text,
  /** `server.tool` */
  tool: text,
  /** JSON text; `${now-15m}` is the time of the check, less 15 minutes. */
  arguments: text,
  /** A text or JSON pointer in the result. */
  find: text,
  is: z.enum(['present', 'absent', 'above', 'below', 'equals']),
  value: z.string().nullable(),
  /** The action that should end the problem, as the analysis proposes it. */
  action: z.string().nullable(),
});
/** A call that an agent made, and the comparison that holds once its problem is over. */
export type Probe = z.infer<typeof probeSchema>;

const checkSchema = z.strictObject({
  /** The stage that makes the calls; null where none could start. */
  stageId: text.nullable(),
  startedAt: z.date(),
  /** Null while it runs. */
  endedAt: z.date().nullable(),
  /** In the order of the probes; empty while it runs. `holds` is null where nothing could be compared. */
  results: z.array(z.strictObject({ holds: z.boolean().nullable(), why: z.string().nullable() })),
});
/** One repetition of the calls. */
export type OutcomeCheck = z.infer<typeof checkSchema>;

/** Whether a problem ended after its investigation. */
const outcomeSchema = z.strictObject({
  sessionId: text,
  probes: z.array(probeSchema).min(1).max(MAX_PROBES),
  checks: z.array(checkSchema),
  /** Null before the first check has ended. */
  value: z.enum(OUTCOMES).nullable(),
  /** Why, in one sentence; null before the first check has ended. */
  reason: text.nullable(),
  /** When the sweep has to act; null once all checks have ended. */
  dueAt: z.date().nullable(),
  expireAt: z.date(),
  createdAt: z.date(),
});
/** Whether a problem ended after its investigation. */
export type Outcome = z.infer<typeof outcomeSchema>;

export const outcomeType = defineCollection({
  collection: 'outcomes',
  name: 'outcome',
  schema: outcomeSchema,
  paths: { outcome: (sessionId: string) => `sessions/${sessionId}/outcomes/${OUTCOME_ID}` },
  ...BELOW_SESSION,
  indexes: { group: ['dueAt'] },
});

/** The times of the checks, in milliseconds after the claims of a session were checked. */
export const CHECKS_AFTER_MS: readonly number[] = [30 * 60_000, 24 * 3_600_000];
