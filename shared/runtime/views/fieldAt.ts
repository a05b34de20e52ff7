// Reads fields of a stored document with unchecked contents.

import type { RawMap, RawValue } from '../../contract/rawDocuments.ts';

function valueAt(fields: RawMap, path: string[]): RawValue | undefined {
  let value: RawValue | undefined = fields;
  for (const name of path) value = value instanceof Map ? value.get(name) : undefined;
  return value;
}

/** The text at a path; null for anything else. */
export function textAt(fields: RawMap, ...path: string[]): string | null {
  const value = valueAt(fields, path);
  return typeof value === 'string' ? value : null;
}

/** The number at a path; null for anything else. */
export function numberAt(fields: RawMap, ...path: string[]): number | null {
  const value = valueAt(fields, path);
  return typeof value === 'number' || typeof value === 'bigint' ? Number(value) : null;
}

/** The texts of a map at a path, by name; empty for anything else. */
export function textsAt(fields: RawMap, ...path: string[]): Record<string, string> {
  const map = valueAt(fields, path);
  const pairs = map instanceof Map ? [...map].map(([name, value]) => [name, String(value)]) : [];
  return Object.fromEntries(pairs) as Record<string, string>;
}

/** The texts at a name in each map of a list at a path; empty for anything else. */
export function textsInList(fields: RawMap, path: string[], name: string): string[] {
  const list = valueAt(fields, path);
  const maps = Array.isArray(list) ? list.filter((one) => one instanceof Map) : [];
  return maps.flatMap((map) => textAt(map, name) ?? []);
}

/** The time in a field, in ISO 8601; null for anything else. */
export function timeAt(fields: RawMap, name: string): string | null {
  const value = fields.get(name);
  const isTime = typeof value === 'object' && value !== null && 'type' in value && value.type === 'timestamp';
  return isTime ? String((value as { text: string }).text) : null;
}
