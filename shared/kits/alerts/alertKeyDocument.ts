// alertKeys/{key}: the session that a message of the topic `alerts` opened. Created in the batch that creates
// the session, so that a redelivery opens no second session, even if the session would get another id by
// then.

import * as z from 'zod';
import { defineCollection } from '../../core/schema/defineCollection.ts';
import { documentTitle, documentTitleSchema } from '../../core/schema/documentTitle.ts';

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
  expireAt: z.date(),
  createdAt: z.date(),
});
/** The session that an alert opened. */
export type AlertKey = z.infer<typeof alertKeySchema>;

export const alertKeyType = defineCollection({
  collection: 'alertKeys',
  name: 'alertKey',
  version: 2,
  schema: alertKeySchema,
  oldest: 1,
  // Version 1 had no title, no body and no time.
  upcast: (key) => ({ ...key, title: documentTitle(`Alert of ${key.sessionId}`), joined: null, at: null }),
  paths: { alertKeys: 'alertKeys', alertKey: (key: string) => `alertKeys/${key}` },
  owner: 'session',
  erase: 'field',
  indexes: { fields: ['sessionId'] },
});
