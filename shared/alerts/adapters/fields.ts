// Pieces adapters build their schemas of. At this border a field of a strange type is as good as absent:
// an alert is worth reading even if part of it is odd.

import * as z from 'zod';

/** Text, or a number or boolean as text; else undefined. */
export const looseText = z
  .union([z.string(), z.number(), z.boolean()])
  .transform(String)
  .optional()
  .catch(undefined);

/** A mapping with any values; else an empty one. */
export const looseMap = z.record(z.string(), z.unknown()).catch({});

/** The text under the first of `keys` that has one that is not blank. */
export function firstText(map: Record<string, unknown>, ...keys: string[]): string | undefined {
  for (const key of keys) {
    const value = Object.hasOwn(map, key) ? map[key] : undefined;
    if (typeof value === 'string' && value.trim() !== '') return value;
  }
  return undefined;
}
