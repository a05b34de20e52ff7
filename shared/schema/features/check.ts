// Checks: sessions that a schedule or a program requests, and that end as `healthy` or `attention`.
// checks/{checkId} is one request; schedules/{name} is the state of a schedule of schedules.yaml.

import * as z from 'zod';
import { openSet, type TerminalStatus } from '../../core/schema/common.ts';
import { defineCollection } from '../../core/schema/defineCollection.ts';
import { definePart, readPart, type WithParts } from '../../core/schema/parts.ts';

/** The results of a check. */
const CHECK_RESULTS = ['healthy', 'attention'] as const;
type CheckResult = (typeof CHECK_RESULTS)[number];

/** When the end of a check is delivered: if it differs from the end of the run before, or always. */
export const CHECK_DELIVERIES = ['changed', 'always'] as const;

/** The ends of a check that are compared: its result, or `failed` if it has none. */
const endSchema = z.enum([...CHECK_RESULTS, 'failed']);

/** The check of a session of the kind `check`. */
const sessionCheckSchema = z.strictObject({
  checkId: z.string().min(1),
  /** The schedule; null for a check that a program requested. */
  schedule: z.string().min(1).nullable(),
  /** The time for which it was requested. */
  slot: z.date(),
  /** The question of its author, without secrets; null if its text is an alert. */
  question: z.string().min(1).nullable(),
  /** The end of the schedule's run before; null if there is none. */
  previous: endSchema.nullable(),
  delivers: z.enum(CHECK_DELIVERIES),
  /** Null until it completes, and if it ends otherwise. */
  result: z.enum(CHECK_RESULTS).nullable(),
});
/** The check of a session. */
export type SessionCheck = z.infer<typeof sessionCheckSchema>;

/** The check that a session of the kind `check` runs. */
export const checkPart = definePart('session', 'check', sessionCheckSchema);

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

/** A line of an analysis that states the result. Quotes, list marks and emphasis around it do not matter. */
const RESULT_LINE = /^[^\p{L}\n]*check[ _-]?result\P{L}+(healthy|attention)\P{L}*$/gimu;

/**
 * The result that an analysis states: `attention` if one of its lines does, and if none states a result,
 * because a check that cannot state that all is well needs a person.
 */
export function resultIn(analysis: string | null): CheckResult {
  const found = [...(analysis ?? '').matchAll(RESULT_LINE)].map(([, word = '']) => word.toLowerCase());
  return found.length > 0 && found.every((word) => word === 'healthy') ? 'healthy' : 'attention';
}

interface CheckedSession extends WithParts {
  status: string;
  finalAnalysis: string | null;
}

/** The check of a session, with its result if the session completed; undefined without a check. */
export function withCheckResult(session: CheckedSession): SessionCheck | undefined {
  const { status, finalAnalysis } = session;
  const check = readPart(checkPart, session);
  if (check === undefined || status !== 'completed') return check;
  return { ...check, result: resultIn(finalAnalysis) };
}

/** The end of a check's session, for the next run. A cancelled run keeps that of the run before. */
export function checkEnd(check: SessionCheck, status: TerminalStatus): SessionCheck['previous'] {
  if (status === 'cancelled') return check.previous;
  return status === 'completed' ? (check.result ?? 'attention') : 'failed';
}

/** Whether the end of a check is delivered. A first run that is healthy is no change. */
export function isCheckDelivered(check: SessionCheck, status: TerminalStatus): boolean {
  if (check.delivers === 'always') return true;
  return checkEnd(check, status) !== (check.previous ?? 'healthy');
}

export const checkType = defineCollection({
  collection: 'checks',
  name: 'check',
  schema: checkSchema,
  paths: { checks: 'checks', check: (checkId: string) => `checks/${checkId}` },
  owner: 'tenant',
  erase: 'field',
  indexes: { group: ['dueAt'] },
});

export const scheduleStateType = defineCollection({
  collection: 'schedules',
  name: 'scheduleState',
  schema: scheduleStateSchema,
  paths: { scheduleState: (name: string) => `schedules/${name}` },
  owner: 'tenant',
  erase: 'tenant',
});
