// The message of the topic `deliveries`: which messages of a session, or which group, are due at a
// destination, or which press or mention is to be handled.

import * as z from 'zod';
import type { Publisher } from '../../core/contract/publisher.ts';
import { TOPICS } from '../../core/contract/publisher.ts';
import { nameSchema } from '../../core/schema/common.ts';

/** The version of the message that this code publishes and accepts. */
const DELIVERY_MESSAGE_VERSION = 1;
const documentId = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_~.-]{0,299}$/, 'not the id of a document of ours');

/** A request to send the messages that are due. */
export const deliveryMessageSchema = z.union([
  z.strictObject({
    schemaVersion: z.literal(DELIVERY_MESSAGE_VERSION),
    sessionId: documentId,
    destination: nameSchema,
    /** A person asks: the destination is tried although it refused messages. Default: the pause holds. */
    isAsked: z.literal(true).optional(),
  }),
  z.strictObject({ schemaVersion: z.literal(DELIVERY_MESSAGE_VERSION), groupId: documentId }),
  z.strictObject({ schemaVersion: z.literal(DELIVERY_MESSAGE_VERSION), inboxId: documentId }),
]);
/** The messages of a session at a destination, the message of a group, or a press or mention. */
export type DueThread =
  | { sessionId: string; destination: string; isAsked?: true | undefined }
  | { groupId: string }
  | { inboxId: string };

/** Requests due messages, or handling of a press or mention. @throws RetryableError `PUBLISH_FAILED`. */
export async function publishDelivery(publisher: Publisher, due: DueThread): Promise<void> {
  await publisher.publish(TOPICS.deliveries, { schemaVersion: DELIVERY_MESSAGE_VERSION, ...due }, {});
}
