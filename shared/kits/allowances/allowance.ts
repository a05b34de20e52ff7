// allowances/{name}.{window}.{shard}: how much of a limit is used in a window of time, and how much processes
// hold for running calls. Written by increments; limits of few units with a precondition.

import * as z from 'zod';
import { COUNTS_ONLY, defineCollection } from '../../core/schema/defineCollection.ts';
import { endOfPeriod, utcDay, utcHour, utcMonth } from '../../text/utcPeriod.ts';

/** Numbers by slot: `w` and the number of the slot since the epoch. */
const bySlot = z.record(z.string(), z.int());

const allowanceSchema = z.strictObject({
  /** Units that were used. */
  used: z.int(),
  /** Units that processes hold, by the slot in which they did. Those of past slots do not count. */
  held: bySlot,
  /** Processes that wrote in a slot. */
  seen: bySlot,
  /**
   * Of a minute: units by rank and tenant, `c_shop` for critical alerts of the tenant `shop`, else `n_shop`.
   */
  by: z.record(z.string(), z.int()).optional(),
  /** Of a minute: refusals of the provider. After the first, half of the limit counts. */
  slowed: z.int().optional(),
  expireAt: z.date(),
});

/** The use of a limit in a window. */
export type AllowanceCount = z.infer<typeof allowanceSchema>;

export const allowanceType = defineCollection({
  collection: 'allowances',
  name: 'allowance',
  schema: allowanceSchema,
  paths: {
    allowances: 'allowances',
    allowance: (name: string, window: string, shard: number) => `allowances/${name}.${window}.${shard}`,
  },
  owner: 'operators',
  erase: COUNTS_ONLY,
});

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** The windows of limits. */
const WINDOWS = {
  // No time of the id has a dot or a colon.
  minute: {
    id: (at: Date) => at.toISOString().slice(0, 16).replace(':', ''),
    slotMs: MINUTE_MS,
    keepMs: HOUR_MS,
  },
  // Units held in an hour never come back: an hour grants its limit exactly.
  hour: { id: utcHour, slotMs: HOUR_MS, keepMs: 30 * DAY_MS },
  // Longer than any iteration runs (`MAX_ITERATION`).
  day: { id: utcDay, slotMs: HOUR_MS / 3, keepMs: 30 * DAY_MS },
  month: { id: utcMonth, slotMs: HOUR_MS, keepMs: 60 * DAY_MS },
};

/** A limit of a window of time, as documents count it. */
export interface Allowance {
  /** The counted units: `tokens~shop`. A part of ids, without dots. */
  name: string;
  /** The period after which counting starts again. */
  window: keyof typeof WINDOWS;
  /** The count of the window before it had this document, which the document then starts with. */
  before?: ((at: Date) => string) | undefined;
}

/** The parts of a name, which dots would end. */
export const formatAllowanceName = (...parts: readonly string[]): string =>
  parts.map((part) => part.replace(/[^A-Za-z0-9_-]/g, '_')).join('~');

/** A document that counts an allowance at a time. */
export const allowancePath = ({ name, window }: Allowance, at: Date, shard = 0): string =>
  allowanceType.paths.allowance(name, WINDOWS[window].id(at), shard);

/**
 * When the database deletes the document of a time: counts of a month are kept for two, of a minute for an
 * hour, others for a month.
 */
export const allowanceExpiry = ({ window }: Allowance, at: Date): Date =>
  new Date(at.getTime() + WINDOWS[window].keepMs);

/** The length of a slot, after which units of dead processes come back. */
export const slotMs = ({ window }: Allowance): number => WINDOWS[window].slotMs;

/** The start of the next window. */
export function endOfWindow({ window }: Allowance, at: Date): Date {
  if (window === 'day' || window === 'month') return endOfPeriod(window, at);
  const { slotMs: length } = WINDOWS[window];
  return new Date((Math.floor(at.getTime() / length) + 1) * length);
}
