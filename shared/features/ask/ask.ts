// asks/{askId}: a question that a mention of the app asked in a thread of a chat, and the session that
// answers it. The message of the topic of alerts only names the document, so that its author cannot choose a
// thread.

import { createHash } from 'node:crypto';
import * as z from 'zod';
import { type Publisher, TOPICS } from '../../core/contract/publisher.ts';
import { nameSchema } from '../../core/schema/common.ts';
import { defineCollection } from '../../core/schema/defineCollection.ts';
import { buildTenantAttributes } from '../../kits/tenants/alertContext.ts';

/** The attribute of the message that names a question. */
export const ASK_ATTRIBUTE = 'inquestAsk';

const askSchema = z.strictObject({
  askId: z.string().min(1),
  tenantId: z.string().min(1),
  /** The confirmed address of the person. */
  by: z.string().min(1),
  destination: nameSchema,
  /** The kind of the destination, which is the source of the session's alert. */
  source: z.string().min(1),
  chain: nameSchema,
  /** The references of the first message of its thread, and of the mention. */
  thread: z.string().min(1),
  message: z.string().min(1),
  /** Without secrets; empty once the session is opened, which has it. */
  question: z.string(),
  /**
   * The question and its thread as the agents get them, without secrets; empty once the session is opened.
   */
  body: z.string(),
  /** Of the newest alert in the thread that fires; else of the newest one. */
  severity: z.string().min(1).nullable(),
  labels: z.record(z.string(), z.string()),
  /** The session; null before it is opened. */
  sessionId: z.string().min(1).nullable(),
  /** Why no session was opened; null if it was not refused. */
  reason: z.string().min(1).nullable(),
  createdAt: z.date(),
  expireAt: z.date(),
});
/** A question in a thread of a chat. */
export type Ask = z.infer<typeof askSchema>;

export const askType = defineCollection({
  collection: 'asks',
  name: 'ask',
  schema: askSchema,
  paths: { ask: (askId: string) => `asks/${askId}` },
  owner: 'tenant',
  erase: 'field',
  indexes: { fields: ['tenantId', 'sessionId'] },
});

/** The id of the question of a thread: a thread has one, and later mentions belong to its session. */
export const deriveAskId = (thread: string): string =>
  createHash('sha256').update(`ask ${thread}`).digest('hex').slice(0, 40);

/** The key of the question's alert, which lets only one session be opened. */
export const deriveAskKey = (askId: string): string =>
  createHash('sha256').update(`ask key ${askId}`).digest('hex');

/**
 * Requests the session of a question. Its text, person and tenant are only for the record of a refusal.
 * @throws RetryableError `PUBLISH_FAILED`.
 */
export async function publishAsk(
  publisher: Publisher,
  { askId, question, tenantId, by }: Ask,
): Promise<void> {
  const owner = buildTenantAttributes({ tenantId, userId: by });
  await publisher.publish(TOPICS.alerts, Buffer.from(question), { ...owner, [ASK_ATTRIBUTE]: askId });
}
