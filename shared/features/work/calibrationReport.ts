// How often analyses were right by people's reviews and by outcomes, and the scores of judge models.

import * as z from 'zod';
import type { Store } from '../../core/contract/store.ts';
import { unreadableSchema } from '../../core/schema/readable.ts';
import {
  type CalibrationRow,
  computeCalibration,
  computeScoreTrend,
  MIN_LABELS,
  type ScoreTrend,
} from '../../evidence/calibration.ts';
import { readCounts } from '../../kits/counts/readCounts.ts';

const sessions = z.int().describe('Number of sessions');
const interval = z.strictObject({ value: z.number(), low: z.number(), high: z.number() }).nullable();

/** The report of some days. */
export const calibrationSchema = z.strictObject({
  calibration: z.array(
    z.strictObject({
      chain: z.string().nullable(),
      models: z.array(z.string()),
      verdict: z.string().nullable().describe('Verdict on the claims; null where they were not checked'),
      sessions: sessions.describe('Sessions with reviews'),
      right: sessions.describe('All reviewers rated them so'),
      partly: sessions,
      wrong: sessions,
      disputed: sessions.describe('Their reviewers differ'),
      share: interval.describe(`The right ones, 0 to 1, with an interval of 95 %; null below ${MIN_LABELS}`),
      outcomes: z
        .record(z.string(), z.int())
        .describe('Sessions of each outcome: `held`, `self_resolved`, …'),
      held: interval.describe('Of those that held, recurred or were overridden, the part that held'),
    }) satisfies z.ZodType<CalibrationRow>,
  ),
  scores: z.array(
    z.strictObject({
      week: z.string().describe('Its Monday (UTC)'),
      judge: z.string(),
      rubric: z.int().describe('The version of the criteria'),
      sessions,
      mean: z.number().describe('0 to 100'),
    }) satisfies z.ZodType<ScoreTrend>,
  ),
  since: z.date(),
  countedSince: z.date().nullable().describe('When the first of the sessions was counted; null without any'),
  unreadable: unreadableSchema,
});

/** The report of the sessions of a tenant that were opened in the last days. @throws as `readCounts`. */
export async function reportCalibration(
  period: { days: number; now: Date },
  tenantId: string,
  store: Pick<Store, 'list'>,
): Promise<z.infer<typeof calibrationSchema>> {
  const [reviewed, scored] = await Promise.all([
    readCounts({ ...period, by: 'review' }, tenantId, store),
    readCounts({ ...period, by: 'score' }, tenantId, store),
  ]);
  const counted = [reviewed, scored].flatMap(({ countedSince }) => countedSince ?? []).sort();
  return {
    calibration: computeCalibration(reviewed.rows),
    scores: computeScoreTrend(scored.rows),
    since: reviewed.since,
    countedSince: counted[0] ?? null,
    unreadable: [...reviewed.unreadable, ...scored.unreadable],
  };
}
