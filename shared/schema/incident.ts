// incidents/{key}: the session that everything is about which a source tells of one problem, and whether the problem goes on.
// sessions/{sessionId}/alertCounts/all: how often the source reported it. Neither is written by what an investigation does.

import * as z from 'zod';
import { documentTitle, documentTitleSchema } from './documentTitle.ts';
import type { Upcaster } from './documentType.ts';

/** An incident as it is stored. */
export const incidentSchema = z.strictObject({
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
  /** Whether it fires, by the latest of what was reported, in the order in which it happened at the source. */
  firing: z.boolean(),
  /** The latest time of which it was reported as firing, and as resolved; null when it never was. */
  firingAt: z.date().nullable(),
  resolvedAt: z.date().nullable(),
  /** The latest time at which it fired when its session was opened; null for a session whose alert did not fire. */
  since: z.date().nullable(),
  /** How many sessions in a row were opened because the one before had ended without an analysis. */
  retries: z.int().nonnegative(),
  /** Whether the session was ended because the source resolved the incident. */
  stopped: z.boolean(),
  /** The delivery that is opening a session, by the key of its alert, and until when others leave that to it. */
  opening: z.strictObject({ key: z.string().min(1), until: z.date() }).nullable(),
  expireAt: z.date(),
  createdAt: z.date(),
});
/** What a source tells of one problem. */
export type Incident = z.infer<typeof incidentSchema>;

/** Upcasters of older incidents, by version. */
export const incidentUpcasters: Record<number, Upcaster> = {
  // Version 1 opened a new session after the cool-down, whether the problem had been resolved or not.
  1: (incident) => ({ ...incident, since: null, retries: 0 }),
  // Version 2 had no title.
  2: (incident) => ({ ...incident, title: documentTitle(`Alert ${String(incident.identity)}`) }),
};

/** The counts of a session as they are stored. */
export const alertCountsSchema = z.strictObject({
  /** Reports that it fires, with the one that opened the session. */
  firing: z.int().nonnegative(),
  resolved: z.int().nonnegative(),
  acknowledged: z.int().nonnegative(),
  /** Other alerts that a rule had join the session. */
  joined: z.int().nonnegative(),
  /** Number of events in the timeline about them; of many only some have one. */
  events: z.int().nonnegative(),
  /** When the latest of them was taken. */
  lastAt: z.date(),
  expireAt: z.date(),
});
/** How often the source of a session's alert reported it. */
export type AlertCounts = z.infer<typeof alertCountsSchema>;
