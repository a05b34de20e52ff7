// Deliveries: messages about sessions to destinations. Causes write them once, `deliver` changes them.

import * as z from 'zod';
import { nameSchema } from '../../core/schema/common.ts';
import { BELOW_SESSION, defineCollection } from '../../core/schema/defineCollection.ts';

/**
 * `pending`: to be sent. `sending`: stored before the request. `sent`: accepted. `unknown`: accepted or not,
 * and no program sends it again. `failed`: refused. `skipped`: a later message covers it, or its destination
 * does not show it. `awaited`: an answer that an agent still writes.
 */
const DELIVERY_STATES = ['pending', 'sending', 'sent', 'unknown', 'failed', 'skipped', 'awaited'] as const;

/** The progress of one message. */
const progressFields = {
  state: z.enum(DELIVERY_STATES),
  /** When `deliver` has to act; null if nothing is due. The sweep publishes late messages. */
  dueAt: z.date().nullable(),
  attempts: z.int().nonnegative(),
  /** The start of the first attempt, and of the latest one; null before it. */
  firstSentAt: z.date().nullable(),
  sendingAt: z.date().nullable(),
  /** Whether the answer to an attempt was lost, and neither a probe nor a repetition has decided since. */
  isDoubtful: z.boolean(),
  /** Probes in a row that did not find the message, and the time of the latest one. */
  probes: z.int().nonnegative(),
  probedAt: z.date().nullable(),
  /** The reference at the destination; null without one. */
  ref: z.string().min(1).nullable(),
  /** Why the latest attempt failed; null without a failure. */
  failure: z.strictObject({ code: z.string().min(1), message: z.string().min(1) }).nullable(),
  sentAt: z.date().nullable(),
};

/** sessions/{sessionId}/deliveries/{destination}.{event}.{key} */
export const deliverySchema = z.strictObject({
  sessionId: z.string().min(1),
  destination: nameSchema,
  event: z.string().min(1),
  /** The approval, the stage or the number of the event. */
  key: z.string().min(1),
  /** Whether the first message of its session can be there already, because one is unknown. */
  isRepeated: z.boolean(),
  ...progressFields,
  expireAt: z.date(),
  createdAt: z.date(),
});
/** One message about a session. */
export type Delivery = z.infer<typeof deliverySchema>;
/** The progress of one message. */
export type MessageProgress = Pick<Delivery, keyof typeof progressFields>;

/** The progress of a message that was not sent yet. @param dueAt when it is to be sent. */
export function unsentProgress(dueAt: Date): MessageProgress {
  const none = { firstSentAt: null, sendingAt: null, probedAt: null, ref: null, failure: null, sentAt: null };
  return { state: 'pending', dueAt, attempts: 0, isDoubtful: false, probes: 0, ...none };
}

/** sessions/{sessionId}/threads/{destination}: a session's messages there. Only the holder sends. */
const threadSchema = z.strictObject({
  sessionId: z.string().min(1),
  destination: nameSchema,
  /** The process that sends its messages, and until when no other one does; null while none does. */
  holder: z.string().min(1).nullable(),
  heldUntil: z.date().nullable(),
  /** The place within the destination. */
  place: z.string().min(1).nullable(),
  /**
   * The first message. `gone`: people deleted it, or it is that of the session that this one repeats.
   * `grouped`: a count stands for it. `digest`: a digest lists it.
   */
  root: z.enum(['none', 'sent', 'unknown', 'gone', 'grouped', 'digest']),
  /** The reference of the first message, and when it was last changed. */
  rootRef: z.string().min(1).nullable(),
  editedAt: z.date().nullable(),
  /** No edit is sent before it: a lost one can still arrive, and would replace a later one. */
  quietUntil: z.date().nullable(),
  expireAt: z.date(),
  createdAt: z.date(),
});
/** The messages of a session at a destination. */
export type Thread = z.infer<typeof threadSchema>;

/** deliveryGroups/{destination}.{period}: a message for many sessions, or alerts without session. */
const deliveryGroupSchema = z.strictObject({
  destination: nameSchema,
  kind: z.enum(['storm', 'digest', 'rejected']),
  /** The first of its sessions; the page lists the others. */
  sessionIds: z.array(z.string().min(1)),
  /**
   * Of rejected alerts: all of them. Of sessions: those that the last request counted, and one more once
   * others join after it, so that a count above `shown` is counted again.
   */
  count: z.int().nonnegative(),
  /** Of rejected alerts: the first error codes, and their tenant. Absent: it stands for sessions. */
  codes: z.array(z.string().min(1)).optional(),
  tenantId: z.string().min(1).optional(),
  /** Of a refused question: the first message of its thread. Absent: a message of the channel. */
  thread: z.string().min(1).optional(),
  /** The count that its message shows. */
  shown: z.int().nonnegative(),
  /** As of a thread. */
  holder: z.string().min(1).nullable(),
  heldUntil: z.date().nullable(),
  ...progressFields,
  expireAt: z.date(),
  createdAt: z.date(),
});
/** One message that stands for many sessions or rejected alerts. */
export type DeliveryGroup = z.infer<typeof deliveryGroupSchema>;

/** groupMembers/{groupId}.{sessionId}: a session that the message of a group counts. */
const groupMemberSchema = z.strictObject({
  sessionId: z.string().min(1),
  expireAt: z.date(),
  createdAt: z.date(),
});

/** destinations/{name}: whether it accepts messages, and how many sessions it showed this hour. */
const destinationStateSchema = z.strictObject({
  destination: nameSchema,
  /** Messages in a row that it refused. */
  refusals: z.int().nonnegative(),
  /** No message is sent before it; null while messages are sent. */
  closedUntil: z.date().nullable(),
  /** The latest refusal; null without one. */
  failure: z.strictObject({ code: z.string().min(1), message: z.string().min(1) }).nullable(),
  /** `2026-11-26T21`, and the first messages of sessions in it. */
  hour: z.string(),
  roots: z.int().nonnegative(),
  expireAt: z.date(),
});
/** Whether a destination accepts messages. */
export type DestinationState = z.infer<typeof destinationStateSchema>;

/**
 * inbox/{digest of the request}: a press of a button, or a mention of the app in a thread, until `deliver`
 * has handled it. The API stores it before it answers, so that it is handled once although its process dies.
 */
const inboxEntrySchema = z.strictObject({
  /** The destinations whose app sent it, by the secret that signed the request. */
  destinations: z.array(nameSchema).min(1),
  content: z.discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('press'),
      verdict: z.enum(['approved', 'denied']),
      /** The value of the button, which names the destination and the call. */
      value: z.string().min(1),
    }),
    z.strictObject({
      kind: z.literal('mention'),
      /** The text without secrets; empty once it was handled. */
      text: z.string(),
      /** The reference of the first message of its thread. */
      thread: z.string().min(1),
    }),
  ]),
  /** The account and the workspace that the service names. */
  userId: z.string().min(1),
  team: z.string(),
  /** The reference of the message that was pressed, or that mentions the app. */
  message: z.string().min(1),
  /** Of a press, by the service that verified its request; null for a mention. */
  signature: z.string().min(1).nullable(),
  state: z.enum(['pending', 'done']),
  /** The result, as a code; null before it. */
  outcome: z.string().min(1).nullable(),
  /** When the sweep requests it again; null once it was handled. */
  dueAt: z.date().nullable(),
  expireAt: z.date(),
  createdAt: z.date(),
});
/** A press or a mention. */
export type InboxEntry = z.infer<typeof inboxEntrySchema>;

export const deliveryType = defineCollection({
  collection: 'deliveries',
  name: 'delivery',
  schema: deliverySchema,
  paths: {
    deliveries: (sessionId: string) => `sessions/${sessionId}/deliveries`,
    delivery: (sessionId: string, destination: string, event: string, key: string) =>
      `sessions/${sessionId}/deliveries/${destination}.${event}.${key}`,
  },
  ...BELOW_SESSION,
  indexes: { group: ['dueAt'] },
});

export const threadType = defineCollection({
  collection: 'threads',
  name: 'thread',
  schema: threadSchema,
  paths: {
    thread: (sessionId: string, destination: string) => `sessions/${sessionId}/threads/${destination}`,
  },
  ...BELOW_SESSION,
});

export const deliveryGroupType = defineCollection({
  collection: 'deliveryGroups',
  name: 'deliveryGroup',
  version: 2,
  schema: deliveryGroupSchema,
  paths: { deliveryGroup: (groupId: string) => `deliveryGroups/${groupId}` },
  // Messages for sessions of several tenants: counts and ids, which expire within days.
  owner: 'operators',
  erase: 'tenant',
  indexes: { group: ['dueAt'] },
});

export const groupMemberType = defineCollection({
  collection: 'groupMembers',
  name: 'groupMember',
  schema: groupMemberSchema,
  paths: {
    groupMembers: 'groupMembers',
    groupMember: (groupId: string, sessionId: string) => `groupMembers/${groupId}.${sessionId}`,
  },
  // `deliver` counts sessions of all tenants.
  owner: 'operators',
  erase: 'field',
  indexes: { fields: ['sessionId'] },
});

export const inboxEntryType = defineCollection({
  collection: 'inbox',
  name: 'inboxEntry',
  version: 2,
  schema: inboxEntrySchema,
  paths: { inboxEntry: (digest: string) => `inbox/${digest}` },
  // The session of a press is known only after its check.
  owner: 'operators',
  erase: {
    none: 'presses of buttons and ids of accounts; texts are removed when they are handled, the rest within a day',
  },
  indexes: { group: ['dueAt'] },
});

export const destinationStateType = defineCollection({
  collection: 'destinations',
  name: 'destinationState',
  schema: destinationStateSchema,
  paths: { destinations: 'destinations', destination: (name: string) => `destinations/${name}` },
  owner: 'operators',
  erase: { none: 'the state of destinations' },
});
