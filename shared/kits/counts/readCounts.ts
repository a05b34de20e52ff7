// Reads the counts of a tenant's sessions that were opened in some days: one document for each day.

import type { Store } from '../../core/contract/store.ts';
import { readableType, splitReadable, type Unreadable } from '../../core/schema/readable.ts';
import { addRows, type CountRow } from '../../evidence/countRow.ts';
import { utcDay } from '../../text/utcPeriod.ts';
import { type Counts, dayCountType } from './count.ts';

const DAY_MS = 24 * 3_600_000;
/** Sorts after every day. */
const LAST_DAY = '\uf8ff';

/** The sums of some days. */
interface ReadCounts {
  rows: CountRow[];
  /** The start of the first day. */
  since: Date;
  /** When the first of the sessions was counted; null without any. */
  countedSince: Date | null;
  unreadable: Unreadable[];
}

/** The counts of the last days. @throws RetryableError when the store fails. */
export async function readCounts(
  { by, days, now }: { by: keyof Counts; days: number; now: Date },
  tenantId: string,
  store: Pick<Store, 'list'>,
): Promise<ReadCounts> {
  const since = utcDay(new Date(now.getTime() - (days - 1) * DAY_MS));
  const prefix = `${tenantId}.${by}.`;
  const idRange = { from: prefix + since, to: prefix + LAST_DAY };
  const query = { collection: dayCountType.paths.dayCounts, idRange };
  const stored = await store.list(query, readableType(dayCountType));
  const { values, unreadable } = splitReadable(stored.map(({ value }) => value));
  const rows = values.reduce<CountRow[]>((sum, one) => addRows(sum, one.rows), []);
  const times = values.map(({ createdAt }) => createdAt.getTime());
  return {
    rows: rows.filter(({ sums }) => Object.values(sums).some((sum) => sum !== 0)),
    since: new Date(since),
    countedSince: times.length === 0 ? null : new Date(Math.min(...times)),
    unreadable,
  };
}
