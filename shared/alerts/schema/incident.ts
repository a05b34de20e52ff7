// incidents/{key}: the session of all reports of one problem by one source, and whether the problem is open.
// sessions/{sessionId}/alertCounts/all: how often the source reported it. Investigations write neither.

import * as z from 'zod';
import { BELOW_SESSION, defineCollection } from '../../core/schema/defineCollection.ts';
import { documentTitle, documentTitleSchema } from '../../core/schema/documentTitle.ts';

/** An incident as it is stored. */
const incidentSchema = z.strictObject({
  /** The title of the alert that opened its latest session, for people (documentTitle.ts). */
  title: documentTitleSchema,
  /** The adapter of its alerts. */
  source: z.string().min(1),
  /** The alert's identity at its source. */
  identity: z.string().min(1),
  /** The attribute `chain` of its messages; null without one. */
  chain: z.string().nullable(),
  /** The latest session; null while the first one is being opened. */
  sessionId: z.string().min(1).nullable(),
  /** Whether it fires, according to the latest report in the order of the source's times. */
  firing: z.boolean(),
  /** The latest reported times of firing and of resolution; null if never reported. */
  firingAt: z.date().nullable(),
  resolvedAt: z.date().nullable(),
  /** When it first fired since the last resolution. Not firing: before that. Null: never. */
  firesSince: z.date().nullable(),
  /** When it last fired at its session's opening; null if the session's alert did not fire. */
  since: z.date().nullable(),
  /** Number of sessions in a row that followed a session without an analysis. */
  retries: z.int().nonnegative(),
  /** Whether the session was ended because the source resolved the incident. */
  stopped: z.boolean(),
  /**
   * The delivery that is opening a session, by the key of its alert, and the time until which other
   * deliveries wait for it.
   */
  opening: z.strictObject({ key: z.string().min(1), until: z.date() }).nullable(),
  /** Whether a person merged its session into that of another problem, which takes its reports. */
  merged: z.boolean(),
  /** Whether a person took it out of its group: its alerts join no session of related ones. */
  alone: z.boolean(),
  expireAt: z.date(),
  createdAt: z.date(),
});
/** The reports of one problem by one source. */
export type Incident = z.infer<typeof incidentSchema>;

/** The counts of the reports of a session. */
const reportCountsSchema = z.strictObject({
  /** Reports that it fires, including the report that opened the session. */
  firing: z.int().nonnegative(),
  resolved: z.int().nonnegative(),
  acknowledged: z.int().nonnegative(),
  /** Other alerts that joined the session because of a rule. */
  joined: z.int().nonnegative(),
});

/** The counts of a session as they are stored. */
const alertCountsSchema = reportCountsSchema.extend({
  /**
   * Null: the counts above are all. Else reports come faster than the document can be written: those of
   * before, to which the keys of later alerts are added. The counts above are those of the latest write.
   */
  base: reportCountsSchema.nullable(),
  /** Number of their events in the timeline; of many reports only some have one. */
  events: z.int().nonnegative(),
  /** When the latest report was handled. */
  lastAt: z.date(),
  expireAt: z.date(),
});
/** How often the source of a session's alert reported it. */
export type AlertCounts = z.infer<typeof alertCountsSchema>;

export const incidentType = defineCollection({
  collection: 'incidents',
  name: 'incident',
  version: 4,
  schema: incidentSchema,
  oldest: 2,
  // Version 2 had no title, and people could not correct the grouping. It had the latest time only, which
  // each report of a source without start times moves.
  upcast: (incident) => ({
    ...incident,
    title: documentTitle(`Alert ${String(incident.identity)}`),
    merged: false,
    alone: false,
    firesSince: incident.since ?? incident.firingAt,
  }),
  paths: { incidents: 'incidents', incident: (key: string) => `incidents/${key}` },
  // A document whose first session is being opened has no owner.
  owner: 'session',
  erase: 'field',
  indexes: { fields: ['sessionId'] },
});

export const alertCountsType = defineCollection({
  collection: 'alertCounts',
  name: 'alertCounts',
  version: 2,
  schema: alertCountsSchema,
  oldest: 1,
  // Version 1 counted each report here.
  upcast: (counts) => ({ ...counts, base: null }),
  paths: { alertCounts: (sessionId: string) => `sessions/${sessionId}/alertCounts/all` },
  ...BELOW_SESSION,
});
