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

/** The text of the first of `keys` whose text is not blank; a number counts as text. Undefined when there is none. */
export function firstText(map: Record<string, unknown>, ...keys: string[]): string | undefined {
  for (const key of keys) {
    const value = Object.hasOwn(map, key) ? map[key] : undefined;
    if (typeof value === 'string' && value.trim() !== '') return value;
    if (Number.isFinite(value)) return String(value);
  }
  return undefined;
}

const RUNBOOK_KEYS = ['runbook_url', 'runbookurl', 'runbook', 'runbook_link', 'playbook_url', 'playbook'];

/** The first web link to a runbook in some mappings, such as annotations; undefined when there is none. */
export function runbookIn(maps: readonly Record<string, unknown>[]): string | undefined {
  const texts = maps.flatMap((map) => RUNBOOK_KEYS.map((key) => firstText(map, key)));
  return texts.find((text) => text !== undefined && /^\s*https?:\/\//i.test(text));
}
