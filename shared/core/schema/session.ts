// sessions/{sessionId}: one investigation of one alert.

import * as z from 'zod';
import { asObject } from '../../text/json.ts';
import { chainSnapshotSchema } from './agent.ts';
import {
  type CaveatCode,
  failureSchema,
  keySchema,
  nonceSchema,
  openSet,
  TERMINAL_STATUSES,
  tokenUsageSchema,
} from './common.ts';
import { costSchema } from './cost.ts';
import { defineCollection } from './defineCollection.ts';
import type { Upcaster } from './documentType.ts';
import { partsSchema } from './parts.ts';

/** The tenant of sessions without one. */
export const DEFAULT_TENANT = 'default';
/**
 * Names of tenants. They are part of document ids, in which a dot ends them: otherwise two tenants could
 * share an id.
 */
export const TENANT_ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/;

/** The most days that the configuration can give a session. */
export const LONGEST_DEADLINE_DAYS = 7;

/** The kinds of a session: of an alert, of a question, of a schedule, of the start of another session. */
export const SESSION_KINDS = ['investigation', 'chat', 'check', 'fork'] as const;
/** The statuses of a session. */
export const SESSION_STATUSES = ['deferred', 'in_progress', 'cancelling', ...TERMINAL_STATUSES] as const;

/** User input while the session ran. Iterations read the part they need in control/state. */
const steeringSchema = z.strictObject({
  /** Number of events of the session about it, including those about its runbook and earlier sessions. */
  events: z.int().nonnegative(),
  /** Number of guidance documents. */
  guidance: z.int().nonnegative(),
  /** Who paused it, and when; null while it is not paused. */
  paused: z.strictObject({ by: z.string().min(1), at: z.date() }).nullable(),
  /** When it was last resumed; null when it never was. */
  resumedAt: z.date().nullable(),
});
/** User input while the session ran. */
export type Steering = z.infer<typeof steeringSchema>;

/** The steering of a session without user input. */
export const NOT_STEERED: Steering = { events: 0, guidance: 0, paused: null, resumedAt: null };

/** A session as it is stored. */
export const sessionSchema = z.strictObject({
  sessionId: z.string().min(1),
  /** The tenant that owns it, with all documents below it; it never changes. */
  tenantId: z.string().min(1),
  /** The user who asked, or for whom an alert is investigated; null without one. */
  userId: z.string().min(1).nullable(),
  kind: z.enum(SESSION_KINDS),
  /** `deferred`: stored but not accepted yet, so nothing runs and the sweep ignores it. */
  status: z.enum(SESSION_STATUSES),
  /** The title that an agent gave it, for readers; null if the title is that of the alert. */
  title: z.string().min(1).nullable(),
  /** The input of the run as agents see it, cut at a limit and framed as data. Null without one. */
  input: z.string().min(1).nullable(),
  /**
   * The chain as it was configured when the session was opened. Later changes of the configuration do not
   * affect it.
   */
  chain: chainSnapshotSchema,
  currentStageId: z.string().min(1),
  /** A stage that answers a question, independently of the session's own status. */
  openStage: z
    .strictObject({ stageId: z.string().min(1), deadline: z.date(), cancelling: z.boolean() })
    .nullable(),
  /** Number of questions that were asked, each of which has a stage. */
  questions: z.int().nonnegative(),
  finalAnalysis: z.string().nullable(),
  /** One to four lines about the result; null without one. Equal to the event `executive_summary`. */
  executiveSummary: z.string().nullable(),
  /** How the session ends after its executive summary; null until only the summary is left. */
  conclusion: z
    .strictObject({ status: z.enum(TERMINAL_STATUSES), failure: failureSchema.nullable() })
    .nullable(),
  /**
   * Only for a session that did not complete: the code of the cause, and a text to show in addition to
   * `finalAnalysis` or instead of it, the record of agents without an analysis. At most 32 kB.
   */
  partial: z.strictObject({ reason: z.string().min(1), text: z.string() }).nullable(),
  /** Why analyses that `finalAnalysis` contains or is based on are limited; empty if they are not. */
  caveats: z.array(z.strictObject({ executionId: z.string().min(1), code: openSet<CaveatCode>() })),
  /** Totals of the executions that have ended. */
  tokens: tokenUsageSchema,
  /** Totals of the executions that have ended. */
  cost: costSchema,
  failure: failureSchema.nullable(),
  /** After this time the session is ended as `timed_out`. */
  deadline: z.date(),
  /** The time until which waits have extended its deadline, or that of its question; null for never. */
  waitedUntil: z.date().nullable(),
  /** Why the session was stored as `deferred`, and when a user started it; null if it never was. */
  deferral: z
    .strictObject({
      reason: z.string().min(1),
      startedAt: z.date().nullable(),
      /** When it starts automatically; null if only a user can start it. */
      until: z.date().nullable().default(null),
    })
    .nullable(),
  /** Who cancelled the session, why and when; null if it was not cancelled. */
  cancellation: z
    .strictObject({
      by: z.string().min(1),
      reason: z.string().min(1).nullable(),
      at: z.date(),
      /** The session that it was merged into. Default: it was not merged. */
      mergedInto: z.string().min(1).optional(),
    })
    .nullable(),
  /** Guidance and pauses; changed together with control/state. */
  steering: steeringSchema,
  /** From when the sweep checks the session itself. Null if nothing is due. See `sessionDueAt`. */
  dueAt: z.date().nullable(),
  /** Firestore's TTL policy deletes the session after this; documents below it have the same value. */
  expireAt: z.date(),
  /** Random per session, for the frame around data in prompts: authors of alerts cannot know it. */
  dataNonce: nonceSchema,
  /** Random per session: determines the digits of marks for secrets. Never shown to people. */
  maskKey: keySchema,
  /** W3C trace context of the alert's message, if it had one. */
  traceparent: z.string().nullable(),
  createdAt: z.date(),
  endedAt: z.date().nullable(),
  /** The data of features. */
  parts: partsSchema,
});
/** One investigation of one alert, or one chat. */
export type Session = z.infer<typeof sessionSchema>;

/**
 * When the sweep has to check a session. At its deadline if it is open or answers a question; at once,
 * whatever the clocks of other machines show, if it is being cancelled; at its automatic start if it is
 * deferred; never (null) if it has ended.
 */
export function sessionDueAt({
  status,
  openStage,
  deadline,
  createdAt,
  deferral,
}: Pick<Session, 'status' | 'openStage' | 'deadline' | 'createdAt' | 'deferral'>): Date | null {
  if (openStage !== null) return openStage.cancelling ? createdAt : openStage.deadline;
  if (status === 'in_progress') return deadline;
  if (status === 'deferred') return deferral?.until ?? null;
  return status === 'cancelling' ? createdAt : null;
}

/** Version 7 had the data of features in fields of its own, with null or an empty list for none. */
const upcastSession: Upcaster = ({ alertText, waited, deferral, ...session }) => {
  const { until = null, ...waits } = asObject(waited);
  const { budgets, ...kept } = asObject(deferral);
  const moved = { ...session, waits: waited === null ? null : waits, budgets };
  const rest = { input: alertText, waitedUntil: until, deferral: deferral === null ? null : kept };
  return { ...movedToParts(moved), ...rest };
};

/** The fields of version 7 that are a part, or a field of one, each with its place in `parts`. */
const MOVED: readonly (readonly [field: string, part: string, name?: string])[] = [
  ['alert', 'alert'],
  ['context', 'request'],
  ['trigrams', 'search', 'trigrams'],
  ['correlation', 'correlation', 'keys'],
  ['alsoFiring', 'correlation', 'alsoFiring'],
  ['runbook', 'runbook'],
  ['seenBefore', 'knowledge', 'seenBefore'],
  ['reinvestigates', 'reinvestigation'],
  ['routing', 'routing'],
  ['rerunOf', 'rerun', 'of'],
  ['waits', 'modelOutages'],
  ['budgets', 'budgets'],
];

function movedToParts(session: Record<string, unknown>): Record<string, unknown> {
  const kept = { ...session };
  const parts: Record<string, unknown> = {};
  for (const [field, part, name] of MOVED) {
    const value = kept[field];
    delete kept[field];
    if (value === null || value === undefined || (Array.isArray(value) && value.length === 0)) continue;
    parts[part] = name === undefined ? value : { ...asObject(parts[part]), [name]: value };
  }
  return { ...kept, parts };
}

export const sessionType = defineCollection({
  collection: 'sessions',
  name: 'session',
  version: 15,
  schema: sessionSchema,
  oldest: 7,
  upcast: upcastSession,
  paths: { sessions: 'sessions', session: (sessionId: string) => `sessions/${sessionId}` },
  owner: 'tenant',
  erase: 'below',
  indexes: {
    fields: ['status', 'tenantId', 'parts.runFilters'],
    group: ['dueAt'],
    composites: [
      ['tenantId', '-createdAt'],
      ['tenantId', 'parts.list.filters', '-createdAt'],
      ['tenantId', 'parts.search.trigrams', '-createdAt'],
      ['tenantId', 'status', 'parts.changes.scopes'],
    ],
  },
});
