// alertFates/{tenant}.{time}.{key}: an alert's outcome, and the rule. Ids sort newest first.

import * as z from 'zod';
import { openSet } from '../../core/schema/common.ts';
import { defineCollection } from '../../core/schema/defineCollection.ts';
import { documentTitleSchema } from '../../core/schema/documentTitle.ts';

/**
 * The outcomes of an alert. `recorded`: a session is stored and nothing starts it. `deferred`: a session
 * waits. `rejected`: its message could not be accepted. `refused`: the API did not publish it.
 */
export const FATES = ['opened', 'joined', 'recorded', 'deferred', 'dropped', 'rejected', 'refused'] as const;
type Fate = (typeof FATES)[number];

/** A line of a file of the configuration, as it was then. */
const rulePlaceSchema = z.strictObject({ file: z.string().min(1), line: z.int().positive() });
/** A line of a file of the configuration. */
export type RulePlace = z.infer<typeof rulePlaceSchema>;

/** The fate of an alert as it is stored. All texts are without secrets. */
export const alertFateSchema = z.strictObject({
  /** The title of the alert; of a message that is no alert, the start of its text. */
  title: documentTitleSchema,
  tenantId: z.string().min(1),
  messageId: z.string().min(1),
  /** The adapter that read it; null if none did. */
  source: z.string().nullable(),
  severity: z.string().nullable(),
  /** Of the alert: `firing`, `resolved` and so on; null if it was not read. */
  state: z.string().nullable(),
  outcome: openSet<Fate>(),
  /** The reason: a rule, a deferral, an incident, an error code. Texts for it are in `explainFate`. */
  by: z.string().min(1),
  /** The name of the rule, budget or service; null without one. */
  subject: z.string().nullable(),
  /** Where the configuration decides it; null if it does not. */
  place: rulePlaceSchema.nullable(),
  /** Why, for people. */
  reason: z.string().min(1),
  /** Identifies its problem at its source (`composeProblemKey`); null for an alert without an identity. */
  problem: z.string().min(1).nullable(),
  sessionId: z.string().min(1).nullable(),
  /** When its message was published. */
  at: z.date(),
  expireAt: z.date(),
});
/** The fate of an alert. */
export type AlertFate = z.infer<typeof alertFateSchema>;

export const alertFateType = defineCollection({
  collection: 'alertFates',
  name: 'alertFate',
  schema: alertFateSchema,
  paths: { alertFates: 'alertFates', alertFate: (id: string) => `alertFates/${id}` },
  owner: 'tenant',
  erase: 'field',
  indexes: {
    fields: ['messageId', 'sessionId', 'problem', 'outcome', 'source'],
    composites: [
      ['outcome', 'subject'],
      ['outcome', 'source'],
    ],
  },
});
