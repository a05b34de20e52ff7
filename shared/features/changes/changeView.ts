// Changes as the API returns them.

import * as z from 'zod';
import { rateText } from '../../changes/block.ts';
import { CHANGE_KINDS, CHANGE_STATUSES, type Change } from '../../changes/change.ts';

/** A change for readers. */
export const changeSchema = z.strictObject({
  id: z.string(),
  title: z.string(),
  source: z.string(),
  kind: z.string().describe(`One of ${CHANGE_KINDS.join(', ')}`),
  status: z.string().describe(`One of ${CHANGE_STATUSES.join(', ')}; \`attempted\` failed`),
  resource: z.string().describe('Canonical name'),
  actor: z.string().nullable(),
  before: z.string().nullable(),
  after: z.string().nullable(),
  url: z.string().nullable(),
  at: z.date().describe('When it took effect'),
  receivedAt: z.date(),
  rate: z.string().describe('How often its resource changes'),
  count: z.int().describe('Changes that it stands for: more than 1 where an hour had too many'),
});

const nearSchema = changeSchema.extend({
  relation: z.string().describe('Its distance from the alert'),
  when: z.string().describe('Its distance in time from the alert'),
  late: z.boolean().describe('Whether it became known after the session was opened'),
});

/** A source of changes. */
export const sourceSchema = z.strictObject({
  source: z.string(),
  lastAt: z.date().describe('Its newest event'),
});

/** The changes near the alert of a session. */
export const sessionChangesSchema = z.strictObject({
  changes: z.array(nearSchema),
  others: z.int().describe('Changes that were found and are not shown'),
  isCut: z.boolean().describe('Whether more can exist that were not read'),
  resource: z.string().nullable().describe('The canonical resource of the alert'),
  service: z.string().nullable().describe('Its service in `resources.yaml`; null if it is not mapped'),
  start: z.date().nullable().describe('When the problem started; null without an alert'),
  sources: z.array(sourceSchema),
});

/** The view of a stored change. */
export function changeView(
  id: string,
  { tenantId: _, key: _key, scopes: _scopes, expireAt: _expire, rate, ...change }: Change,
): z.infer<typeof changeSchema> {
  return { id, ...change, rate: rateText(rate) };
}
