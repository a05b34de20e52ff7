// Checks and schedules in answers of the API.

import * as z from 'zod';
import { checkSchema, scheduleStateSchema } from '../../schema/features/check.ts';

/** A check with the state of its session. */
export const shownCheckSchema = checkSchema
  .omit({ expireAt: true, content: true, attempts: true, tenantId: true, userId: true, previousId: true })
  .extend({
    status: z.string().nullable().describe('Of its session'),
    result: z.enum(['healthy', 'attention']).nullable().describe('Null until it completes'),
  });

/** A schedule with its next time and its latest run. */
export const listedScheduleSchema = z.strictObject({
  name: z.string(),
  cron: z.string(),
  timezone: z.string(),
  onlyIf: z.string().describe('`changed`: only a change of the result is delivered'),
  chain: z.string().nullable().describe('Null for the default chain'),
  nextAt: z.date().nullable().describe('Null while it is paused'),
  state: scheduleStateSchema
    .omit({ name: true, tenantId: true, rhythm: true, expireAt: true })
    .nullable()
    .describe('Null before the sweep saw it'),
  check: shownCheckSchema.nullable().describe('The latest run'),
});
