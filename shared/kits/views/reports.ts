// Shows how often the source of a session's alert reported it.

import * as z from 'zod';
import { type AlertCounts, alertCountsType } from '../../alerts/schema/incident.ts';
import type { RawDocuments } from '../../contract/rawDocuments.ts';
import { numberAt } from './fieldAt.ts';

/** How often an alert was reported, including the report that opened its session. */
export const alertReportsSchema = z
  .strictObject({
    /** Reports that it fires. */
    firing: z.int(),
    /** Reports that it was resolved. */
    resolved: z.int(),
    /** Reports that a person acknowledged it. */
    acknowledged: z.int(),
    /** Other alerts that joined the session because of a rule. */
    joined: z.int(),
  })
  .describe('How often the alert was reported, with the report that opened the session');
type AlertReports = z.infer<typeof alertReportsSchema>;

/** The counts of an alert's reports, with the time of the latest. */
export const reportsViewSchema = alertReportsSchema.extend({ lastAt: z.date() });
type ReportsView = z.infer<typeof reportsViewSchema>;

/** The counts of reports; null without any: the alert has no identity, and no alert joined. */
export function reportsView(counts: AlertCounts | undefined): ReportsView | null {
  if (counts === undefined) return null;
  const { firing, resolved, acknowledged, joined, lastAt } = counts;
  return { firing, resolved, acknowledged, joined, lastAt };
}

/**
 * The reports of the sessions of a list, by their ids; null for those without reports. Reads one document per
 * session.
 */
export async function readReports(
  sessionIds: readonly string[],
  documents: RawDocuments,
): Promise<Map<string, AlertReports | null>> {
  const read = async (sessionId: string): Promise<[string, AlertReports | null]> => {
    const found = await documents.get(alertCountsType.paths.alertCounts(sessionId));
    const countOf = (field: keyof AlertReports) => (found && numberAt(found.fields, field)) ?? 0;
    if (found === undefined) return [sessionId, null];
    return [
      sessionId,
      {
        firing: countOf('firing'),
        resolved: countOf('resolved'),
        acknowledged: countOf('acknowledged'),
        joined: countOf('joined'),
      },
    ];
  };
  return new Map(await Promise.all(sessionIds.map(read)));
}
