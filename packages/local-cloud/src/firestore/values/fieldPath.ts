// Paths of fields: `a.b`, with back-ticks around names that are no identifiers: a.`b.c`.

import { invalid } from './errors.ts';
import { type Fields, map, type Value } from './value.ts';

/** The names on the way to a field, outermost first. */
export type FieldPath = readonly string[];

/** The path of a document's own name in queries. */
export const NAME_PATH = '__name__';

const PATTERN =
  /^(?:[a-zA-Z_][a-zA-Z_0-9]*|`(?:[^`\\]|\\.)+`)(?:\.(?:[a-zA-Z_][a-zA-Z_0-9]*|`(?:[^`\\]|\\.)+`))*$/s;
const SEGMENTS = /`((?:[^`\\]|\\.)+)`|[^.`]+/gs;

/** @throws StatusError INVALID_ARGUMENT when it is no field path. */
export function parseFieldPath(text: string | undefined): FieldPath {
  if (!text) throw invalid('Invalid empty property path string.');
  if (!PATTERN.test(text)) {
    throw invalid(
      `Invalid property path "${text}". Unquoted property paths must match regex ([a-zA-Z_][a-zA-Z_0-9]*), and quoted property paths must match regex (\`(?:[^\`\\\\]|(?:\\\\.))+\`)`,
    );
  }
  return [...text.matchAll(SEGMENTS)].map(([plain, quoted]) => quoted?.replace(/\\(.)/gs, '$1') ?? plain);
}

/**
 * The path of a field that is written: no reserved name is part of it.
 * @throws StatusError INVALID_ARGUMENT when it is no such path.
 */
export function parseWritablePath(text: string | undefined): FieldPath {
  const path = parseFieldPath(text);
  if (path.some((name) => /^__.*__$/s.test(name))) {
    throw invalid(`Invalid reserved name in field path ${text}`);
  }
  return path;
}

/** Whether `outer` is `inner` or leads to it. */
export const isWithin = (inner: FieldPath, outer: FieldPath): boolean =>
  outer.length <= inner.length && outer.every((name, index) => inner[index] === name);

/** The value at a path; undefined when there is none. */
export function valueAt(fields: Fields, path: FieldPath): Value | undefined {
  let within: Fields | undefined = fields;
  let value: Value | undefined;
  for (const name of path) {
    value = within !== undefined && Object.hasOwn(within, name) ? within[name] : undefined;
    if (value === undefined) return undefined;
    within = value.valueType === 'mapValue' ? (value.mapValue.fields ?? {}) : undefined;
  }
  return value;
}

/**
 * The fields with another value at a path, or without it when `value` is undefined. Where the path leads
 * through something that is no map, a map takes its place. The given fields stay as they are.
 */
export function withValueAt(fields: Fields, path: FieldPath, value: Value | undefined): Fields {
  const [name, ...rest] = path;
  if (name === undefined) return fields;
  const { [name]: old, ...others } = fields;
  if (rest.length === 0) return value === undefined ? others : { ...others, [name]: value };
  const inner = old?.valueType === 'mapValue' ? (old.mapValue.fields ?? {}) : undefined;
  // A value that is no map has no field to remove.
  if (inner === undefined && value === undefined) return fields;
  return { ...others, [name]: map(withValueAt(inner ?? {}, rest, value)) };
}

/** The fields of a document that a mask names. */
export function maskFields(fields: Fields, paths: FieldPath[]): Fields {
  return paths.reduce<Fields>((kept, path) => {
    const value = valueAt(fields, path);
    return value === undefined ? kept : withValueAt(kept, path, value);
  }, {});
}
