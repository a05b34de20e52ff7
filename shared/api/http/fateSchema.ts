// The fate of an alert as the API returns it.

import * as z from 'zod';
import { alertFateSchema } from '../../schema/features/alertFate.ts';

/** The fate of an alert in a list. */
export const listedFateSchema = z.strictObject({
  ...alertFateSchema.omit({ expireAt: true, tenantId: true, problem: true }).shape,
  id: z.string(),
  fix: z.string().nullable().describe('How such alerts get a different fate; null if nothing is to be fixed'),
});
