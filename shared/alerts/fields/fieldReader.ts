// Reads fields of a payload of any shape, and keeps which field of the alert came from where. A field of an
// unexpected type counts as absent, so that the rest of the alert is read.

import { asArray, asObject } from '../../text/json.ts';
import type { FactName, FactPlaces, FieldReader } from './adapter.ts';
import { looseDate } from './dates.ts';
import { firstText } from './fields.ts';

/** Most places that are kept for a field: a group can have thousands of alerts. */
const MAX_PLACES = 4;

/** A reader of `root`. @param prefix the path of `root` in the payload. */
export function createFieldReader(root: unknown, places: FactPlaces = {}, prefix = ''): FieldReader {
  const note = (field: FactName, path: string) => {
    const known = places[field] ?? [];
    const place = `${prefix}${path}`;
    if (known.length < MAX_PLACES && !known.includes(place)) places[field] = [...known, place];
  };
  const peek = (path: string) => firstText({ value: readFieldValue(root, path) }, 'value');
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
      const map = asObject(readFieldValue(root, path));
      if (Object.keys(map).length > 0) note(field, path);
      return map;
    },
    list: (path) => asArray(readFieldValue(root, path)),
    peek,
    raw: (path) => readFieldValue(root, path),
    within: (path) => createFieldReader(readFieldValue(root, path), places, `${prefix}${path}.`),
    note,
    places,
  };
}

/** The value at a path; undefined where there is none. Only own properties are read, never a prototype's. */
function readFieldValue(root: unknown, path: string): unknown {
  if (path === '') return root;
  let value: unknown = root;
  for (const key of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}
