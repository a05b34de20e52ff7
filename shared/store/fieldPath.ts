// Fields of stored documents by their path: `count`, or `reserved.w7` for an entry of a map.

import { asObject } from '../text/json.ts';

/** The value at a path; undefined when there is none. */
export function valueAt(data: unknown, path: string): unknown {
  return path.split('.').reduce((value: unknown, name) => asObject(value)[name], data);
}

/** The field at the top of the document that the path leads to or into. */
export function topField(path: string): string {
  return path.split('.', 1)[0] ?? path;
}
