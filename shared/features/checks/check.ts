// Checks: sessions that a schedule or a program requests, and that end as `healthy` or `attention`.
// checks/{checkId} is one request; schedules/{name} is the state of a schedule of schedules.yaml.

import * as z from 'zod';
import { openSet } from '../../core/schema/common.ts';
import { defineCollection } from '../../core/schema/defineCollection.ts';

/** Why no session of a run was opened, or its state. */
type CheckState =
  /** The sweep publishes it when it is due. */
  | 'waiting'
  /** It has a session. */
  | 'opened'
  /** It has none, and gets none: see `reason`. */
  | 'refused';

/** A request of a check. */
export const checkSchema = z.strictObject({
  checkId: z.string().min(1),
  tenantId: z.string().min(1),
  userId: z.string().min(1).nullable(),
  /** The schedule whose content it has; null for a check with content of its own. */
  schedule: z.string().min(1).nullable(),
  /** The time for which it is requested. */
  slot: z.date(),
  /** Its content, without secrets; null for a run of a schedule, whose content is in the configuration. */
  content: z
    .strictObject({
      title: z.string().min(1),
      question: z.string().min(1),
      labels: z.record(z.string(), z.string()),
      chain: z.string().min(1).nullable(),
    })
    .nullable(),
  /** The schedule's run before; null without one. */
  previousId: z.string().min(1).nullable(),
  /** Who requested it; null for a schedule. */
  requestedBy: z.string().min(1).nullable(),
  state: openSet<CheckState>(),
  /** Null until it is opened. */
  sessionId: z.string().min(1).nullable(),
  /** Why it was refused; null if it was not. */
  reason: z.string().min(1).nullable(),
  /** How often its message was published. */
  attempts: z.int().nonnegative(),
  /** When its message is published, for the first time or again; null if nothing is left to do. */
  dueAt: z.date().nullable(),
  createdAt: z.date(),
  expireAt: z.date(),
});
/** A request of a check. */
export type Check = z.infer<typeof checkSchema>;

/** The outcome of a time of a schedule. */
type SlotOutcome =
  /** A check was requested. */
  | 'requested'
  /** Skipped, because the run before had not ended. */
  | 'overlap'
  /** Missed: the sweep did not run in time. */
  | 'missed';

/** The most times that a schedule keeps. */
export const MAX_RECENT_SLOTS = 20;

const slotSchema = z.strictObject({
  slot: z.date(),
  outcome: openSet<SlotOutcome>(),
  /** The check; null if none was requested. */
  checkId: z.string().min(1).nullable(),
  /** Who requested it; null for the schedule itself. */
  by: z.string().min(1).nullable(),
});

/** The state of a schedule. */
export const scheduleStateSchema = z.strictObject({
  name: z.string().min(1),
  tenantId: z.string().min(1),
  /** Cron expression and time zone that `handledUntil` belongs to. */
  rhythm: z.string().min(1),
  /** All times up to this one are handled. */
  handledUntil: z.date(),
  /** The check of the latest run; null if there was none. */
  checkId: z.string().min(1).nullable(),
  /** Who paused it, and when; null while it is not paused. */
  paused: z.strictObject({ by: z.string().min(1), at: z.date() }).nullable(),
  /** The latest times, the newest first. */
  recent: z.array(slotSchema).max(MAX_RECENT_SLOTS),
  /** Number of times that were missed or skipped. */
  missed: z.int().nonnegative(),
  overlaps: z.int().nonnegative(),
  expireAt: z.date(),
});
/** The state of a schedule. */
export type ScheduleState = z.infer<typeof scheduleStateSchema>;

export const checkType = defineCollection({
  collection: 'checks',
  name: 'check',
  schema: checkSchema,
  paths: { checks: 'checks', check: (checkId: string) => `checks/${checkId}` },
  owner: 'tenant',
  erase: 'field',
  indexes: { fields: ['tenantId', 'sessionId'], group: ['dueAt'] },
});

export const scheduleStateType = defineCollection({
  collection: 'schedules',
  name: 'scheduleState',
  schema: scheduleStateSchema,
  paths: { scheduleState: (name: string) => `schedules/${name}` },
  owner: 'tenant',
  erase: 'tenant',
});
