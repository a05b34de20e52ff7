// The fields for limits and budgets that several configuration files have.

import * as z from 'zod';
import { LIMIT_ROWS, type LIMITS, type LimitOptions } from '../agents/limits.ts';
import { incidentRulesSchema, limitsSchema } from '../core/schema/agent.ts';
import { LONGEST_DEADLINE_DAYS } from '../core/schema/session.ts';
import { duration, quantityField, schemaByValue, size, strictMapping } from './fields.ts';

/** Limits of an agent's run. Each is optional; an absent limit comes from the next level. */
export const limitFields = Object.fromEntries(
  LIMIT_ROWS.map(([name, { file, largest, inFiles }]): [string, unknown] => {
    const stored = largest === undefined ? limitsSchema.shape[name] : z.int().min(1).max(largest);
    return [file, (inFiles ? quantityField(...inFiles) : stored).optional()];
  }),
) as { [K in Name as (typeof LIMITS)[K]['file']]: z.ZodOptional<z.ZodType<NonNullable<LimitOptions[K]>>> };
type Name = keyof typeof LIMITS;

/** Limits as a file defines them. */
export type LimitEntries = z.output<z.ZodObject<typeof limitFields>>;

/** Limits of a file under the names that plans have. */
export function toLimits(entries: LimitEntries): LimitOptions {
  const given: Readonly<Record<string, unknown>> = entries;
  return Object.fromEntries(LIMIT_ROWS.map(([name, { file }]) => [name, given[file]]));
}

const quota = z.int().min(1).max(100_000_000).optional();

const oneLimit = (names: string) => ({ error: `must set at least one of ${names}` });

/** Limits of a model in each minute, for all instances together. */
export const modelQuotaField = strictMapping({ rpm: quota, tpm: quota })
  .refine(({ rpm, tpm }) => (rpm ?? tpm) !== undefined, oneLimit('rpm and tpm'))
  .optional();

/** Limits of an observed system, for all instances together. */
export const serverQuotaField = strictMapping({
  concurrency: quota,
  perMinute: quota,
  bytesPerHour: size('1TB').optional(),
})
  .refine(
    (limits) => Object.values(limits).some((limit) => limit !== undefined),
    oneLimit('concurrency, perMinute and bytesPerHour'),
  )
  .optional();

/** A number of tokens or sessions; `off` where there is to be no limit. */
const budget = z
  .union([z.int().min(1), z.literal('off')], { error: 'must be a whole number from 1, or off' })
  .optional();

/** Usage limits of sessions. */
export const budgetFields = {
  sessionTokens: budget,
  dailyTokens: budget,
  sessionsPerHour: budget,
  /** Percent of each budget of sessions and tokens. */
  reserveForCritical: z.int().min(0).max(90).optional(),
};

/** Time limit of a session, or of a part of it. */
export const sessionTime = duration(`${LONGEST_DEADLINE_DAYS}d`).optional();

/** The longest settle window: alerts that people are to hear of do not wait longer. */
const MAX_SETTLE = '30m';
/** The longest cool-down. A problem that is reported again on the next day is investigated again. */
const MAX_COOL_DOWN = '24h';

/** The longest time without a new investigation of a problem that keeps firing. */
const MAX_REINVESTIGATE = '30d';

/** A duration, read as milliseconds; `off` is none. */
function timeOrOff(max: string) {
  return schemaByValue<number>((value) =>
    value === 'off' ? z.literal('off').transform(() => 0) : duration(max),
  );
}

/** Handling of further alerts about the same problem. */
export const incidentFields = {
  settle: timeOrOff(MAX_SETTLE).optional(),
  onResolved: incidentRulesSchema.shape.onResolved.optional(),
  coolDown: timeOrOff(MAX_COOL_DOWN).optional(),
  reinvestigateAfter: duration(MAX_REINVESTIGATE).optional(),
};

/** A chain's unresolved settings for further alerts. */
export type IncidentEntries = z.output<z.ZodObject<typeof incidentFields>>;
