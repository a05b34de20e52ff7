// Schemas that the adapters share. A field of an unexpected type counts as absent, so that the rest of the alert is read.

import * as z from 'zod';

/** Text, or a number or boolean as text; undefined for any other value. */
export const looseText = z
  .union([z.string(), z.number(), z.boolean()])
  .transform(String)
  .optional()
  .catch(undefined);

/** A mapping with any values; an empty one for any other value. */
export const looseMap = z.record(z.string(), z.unknown()).catch({});

/** The text of the first of `keys` whose text is not blank; undefined when there is none. */
export function firstText(map: Record<string, unknown>, ...keys: string[]): string | undefined {
  for (const key of keys) {
    const value = Object.hasOwn(map, key) ? map[key] : undefined;
    if (typeof value === 'string' && value.trim() !== '') return value;
  }
  return undefined;
}
