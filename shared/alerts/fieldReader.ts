// Reads fields of a payload that may have any shape, and keeps which field of the alert came from where. A field of an
// unexpected type counts as absent, so that the rest of the alert is read.

import { asArray, asObject } from '../text/json.ts';
import type { AlertFacts } from './adapter.ts';
import { firstText } from './adapters/fields.ts';
import { looseDate } from './dates.ts';

/** A field of the alert that an adapter reads. */
export type FactName = keyof Omit<AlertFacts, 'counts'>;

/** The places that each field of the alert was read from, such as `incident.policy_name`; absent where it is unknown. */
export type FactPlaces = Partial<Record<FactName, string[]>>;

/** At most so many places are kept for a field: a group may have thousands of alerts. */
const MAX_PLACES = 4;

/** Reads a payload. Paths are names with dots between them, and positions in lists: `alerts.0.labels`. */
export interface FieldReader {
  /** The text of the first path that has one that is not blank; a number counts as text. Undefined when there is none. */
  text(field: FactName, ...paths: string[]): string | undefined;
  /** The first path that holds a moment, in any usual spelling; null when there is none. Noted as the start. */
  start(...paths: string[]): Date | null;
  /** The mapping at a path; an empty one for any other value. */
  map(field: FactName, path: string): Record<string, unknown>;
  /** The list at a path; an empty one for any other value. */
  list(path: string): unknown[];
  /** A text that is used for no field of the alert by itself. */
  peek(path: string): string | undefined;
  /** The value at a path, whatever it is; undefined when there is none. */
  raw(path: string): unknown;
  /** A reader of what is at a path. */
  within(path: string): FieldReader;
  /** Notes that a field came from `place`. */
  note(field: FactName, place: string): void;
  places: FactPlaces;
}

/** A reader of `root`. @param prefix the path of `root` in the payload. */
export function createFieldReader(root: unknown, places: FactPlaces = {}, prefix = ''): FieldReader {
  const note = (field: FactName, path: string) => {
    const known = places[field] ?? [];
    const place = `${prefix}${path}`;
    if (known.length < MAX_PLACES && !known.includes(place)) places[field] = [...known, place];
  };
  const peek = (path: string) => firstText({ value: valueAt(root, path) }, 'value');
  return {
    text(field, ...paths) {
      for (const path of paths) {
        const text = peek(path);
        if (text === undefined) continue;
        note(field, path);
        return text;
      }
      return undefined;
    },
    start(...paths) {
      for (const path of paths) {
        const date = looseDate(peek(path));
        if (date === null) continue;
        note('startedAt', path);
        return date;
      }
      return null;
    },
    map(field, path) {
      const map = asObject(valueAt(root, path));
      if (Object.keys(map).length > 0) note(field, path);
      return map;
    },
    list: (path) => asArray(valueAt(root, path)),
    peek,
    raw: (path) => valueAt(root, path),
    within: (path) => createFieldReader(valueAt(root, path), places, `${prefix}${path}.`),
    note,
    places,
  };
}

/** The value at a path; undefined where there is none. Only what the payload itself has is seen, never a prototype. */
export function valueAt(root: unknown, path: string): unknown {
  if (path === '') return root;
  let value: unknown = root;
  for (const key of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}

/** The text of the first of some paths of a payload; undefined when none has one. */
export function textAt(root: unknown, ...paths: string[]): string | undefined {
  for (const path of paths) {
    const text = firstText({ value: valueAt(root, path) }, 'value');
    if (text !== undefined) return text;
  }
  return undefined;
}
