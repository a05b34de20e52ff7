// alertKeys/{key}: the session that a message of the topic `alerts` opened or joined, and its fate. Created
// in the batch that creates or changes the session, so that a redelivery has no second effect, even if the
// session would get another id by then.

import * as z from 'zod';
import { type AlertFate, alertFateSchema } from '../../../alerts/schema/alertFate.ts';
import { defineCollection } from '../../../core/schema/defineCollection.ts';
import { documentTitle, documentTitleSchema } from '../../../core/schema/documentTitle.ts';

/** The session of an alert as it is stored. */
export const alertKeySchema = z.strictObject({
  /** The title of the alert, for people (documentTitle.ts). */
  title: documentTitleSchema,
  sessionId: z.string().min(1),
  /** What an own session needs of an alert that joined another. Null: it did not, or is too large. */
  joined: z
    .strictObject({
      /** Its body, masked. */
      body: z.string(),
      chain: z.string().nullable(),
      userId: z.string().nullable(),
      /** Whether a person took it out of that session. */
      split: z.boolean(),
    })
    .nullable(),
  /** Its message's publication, also in its fate's id; of copies the first handled. Null: older code. */
  at: z.date().nullable(),
  /** The place of its fate in lists (`fateId`). Null: it has none, or the one is a document of its own. */
  fateId: z.string().min(1).nullable(),
  tenantId: z.string().min(1).nullable(),
  messageId: z.string().min(1).nullable(),
  problem: z.string().min(1).nullable(),
  /** As which report of its session the key counts. Null: the counts of the session have it. */
  counted: z.enum(['firing', 'resolved', 'acknowledged', 'joined']).nullable(),
  /** The rest of its fate. */
  fate: alertFateSchema
    .pick({ source: true, severity: true, state: true, outcome: true, by: true, subject: true })
    .extend(alertFateSchema.pick({ place: true, reason: true }).shape)
    .nullable(),
  expireAt: z.date(),
  createdAt: z.date(),
});
/** The session that an alert opened. */
export type AlertKey = z.infer<typeof alertKeySchema>;

/** A key without a fate. */
export const NO_FATE = { fateId: null, tenantId: null, messageId: null, problem: null, fate: null };

export const alertKeyType = defineCollection({
  collection: 'alertKeys',
  name: 'alertKey',
  version: 4,
  schema: alertKeySchema,
  oldest: 1,
  // Version 1 had only the session. The fates of its alerts are not known.
  upcast: (key) => ({
    ...key,
    ...NO_FATE,
    counted: null,
    title: documentTitle(`Alert of ${key.sessionId}`),
    joined: null,
    at: null,
  }),
  paths: { alertKeys: 'alertKeys', alertKey: (key: string) => `alertKeys/${key}` },
  owner: 'session',
  erase: 'field',
  indexes: {
    fields: ['sessionId', 'fateId'],
    composites: [
      ['sessionId', 'fateId'],
      ['messageId', 'fateId'],
      ['problem', 'fateId'],
      ['fate.outcome', 'fateId'],
      ['fate.source', 'fateId'],
      ['fate.outcome', 'fate.source', 'fateId'],
      ['sessionId', 'counted'],
    ],
  },
});

/**
 * The fate of an alert; undefined if it is not part of its key. A person can have taken it out of its
 * session.
 */
export function readFate({ fateId, tenantId, messageId, fate, ...key }: AlertKey): AlertFate | undefined {
  if (fateId === null || tenantId === null || messageId === null || fate === null || key.at === null)
    return undefined;
  const { title, problem, at, expireAt } = key;
  const sessionId = fate.by === 'split' ? null : key.sessionId;
  return { ...fate, title, tenantId, messageId, problem, sessionId, at, expireAt };
}
