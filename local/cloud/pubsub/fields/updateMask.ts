// Which fields an update changes: paths of top-level fields, in snake case, as in `push_config`.

import type { Message } from '../../protocol/protoFiles.ts';
import { invalid, unimplemented } from './errors.ts';

/** The fields of a resource, by their paths. */
export interface Fields {
  /** `Topic` or `Subscription`, for the errors. */
  resource: string;
  mutable: readonly string[];
  immutable: readonly string[];
  /** Those of Pub/Sub that this one lacks. */
  missing: readonly string[];
}

/**
 * `current` with the fields that the mask names as they are in `update`; those absent there are cleared.
 * @throws StatusError INVALID_ARGUMENT, or UNIMPLEMENTED for a field that this one lacks.
 */
export function applyMask(
  { resource, mutable, immutable, missing }: Fields,
  current: object,
  update: Message,
  mask: { paths?: string[] } | null | undefined,
): Message {
  const paths = mask?.paths ?? [];
  const where = `update_mask in the Update${resource}Request`;
  if (paths.length === 0) throw invalid(`The ${where} must be set, and must contain a non-empty paths list.`);
  const result: Message = { ...current };
  for (const path of paths) {
    const wrong = `Invalid update_mask provided in the Update${resource}Request:`;
    if (immutable.includes(path)) {
      throw invalid(`${wrong} the ${path} field in the ${resource} is not mutable.`);
    }
    if (missing.includes(path)) throw unimplemented(`the ${path} of a ${resource}`);
    if (!mutable.includes(path)) throw invalid(`${wrong} ${path} is not a known ${resource} field.`);
    const field = path.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
    result[field] = update[field];
  }
  return result;
}
