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

/** The text at the first of the paths that has one: a field that moved, in documents of each version. */
export function textIn(fields: RawMap, ...paths: string[][]): string | null {
  return paths.map((path) => textAt(fields, ...path)).find((text) => text !== null) ?? null;
}

/** Whether there is a map at one of the paths. */
export const hasMap = (fields: RawMap, ...paths: string[][]): boolean =>
  paths.some((path) => valueAt(fields, path) instanceof Map);

/** The alert of a session, without more of its fields than were read; empty without one. */
export function alertIn(fields: RawMap): RawMap {
  const alert = valueAt(fields, ['parts', 'alert']) ?? fields.get('alert');
  return alert instanceof Map ? alert : new Map();
}
/** The fields of the alert of a session, of this version and of release 0.2.0. */
export const alertFields = (...names: string[]): string[] =>
  names.flatMap((name) => [`parts.alert.${name}`, `alert.${name}`]);

/** The verdict of a session; null without one. Needs `VERDICT_FIELDS`. */
export const verdictIn = (fields: RawMap): string | null => textAt(fields, 'parts', 'verdict', 'value');
/** The fields with the verdict of a session. */
export const VERDICT_FIELDS = ['parts.verdict.value'];

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
