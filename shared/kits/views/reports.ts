// Shows how often the source of a session's alert reported it.

import * as z from 'zod';
import { type AlertCounts, alertCountsType } from '../../alerts/schema/incident.ts';
import type { RawDocuments, RawMap } from '../../contract/rawDocuments.ts';
import type { Store } from '../../core/contract/store.ts';
import type { ReadDocument } from '../../core/schema/readable.ts';
import { addKeys } from '../alerts/fates/reportCounts.ts';
import { numberAt } from './fieldAt.ts';
import { getReadable } from './readable.ts';

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

/**
 * The counts of a session's reports, with those that are counted by the keys of their alerts.
 * @throws RetryableError when the store fails.
 */
export async function readCounts(
  sessionId: string,
  store: Pick<Store, 'get' | 'count'>,
): Promise<ReadDocument<AlertCounts>> {
  const path = alertCountsType.paths.alertCounts(sessionId);
  const read = await getReadable(path, alertCountsType, store);
  return read.value === undefined ? read : { value: await addKeys(sessionId, read.value, store) };
}

/** The counts of reports; null without any: the alert has no identity, and no alert joined. */
export function reportsView(counts: AlertCounts | undefined): ReportsView | null {
  if (counts === undefined) return null;
  const { firing, resolved, acknowledged, joined, lastAt } = counts;
  return { firing, resolved, acknowledged, joined, lastAt };
}

/**
 * The reports of the sessions of a list, by their ids; null for those without reports. Reads one document per
 * session, and counts the keys of alerts for those in a storm.
 */
export async function readReports(
  sessionIds: readonly string[],
  documents: RawDocuments,
  store: Pick<Store, 'count'>,
): Promise<Map<string, AlertReports | null>> {
  const read = async (sessionId: string): Promise<[string, AlertReports | null]> => {
    const found = await documents.get(alertCountsType.paths.alertCounts(sessionId));
    if (found === undefined) return [sessionId, null];
    const base = found.fields.get('base');
    const counts = { ...countsIn(found.fields), base: base instanceof Map ? countsIn(base) : null };
    const { base: _, ...all } = await addKeys(sessionId, counts, store);
    return [sessionId, all];
  };
  return new Map(await Promise.all(sessionIds.map(read)));
}

function countsIn(fields: RawMap): AlertReports {
  const countAt = (field: keyof AlertReports) => numberAt(fields, field) ?? 0;
  return {
    firing: countAt('firing'),
    resolved: countAt('resolved'),
    acknowledged: countAt('acknowledged'),
    joined: countAt('joined'),
  };
}
