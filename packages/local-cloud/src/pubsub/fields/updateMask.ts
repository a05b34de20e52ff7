// Update masks: paths of top-level fields in snake case, such as `push_config`.

import type { Message } from '../../protocol/protoFiles.ts';
import { invalid, unimplemented } from './errors.ts';

/** The fields of a resource, by their paths. */
interface Fields {
  /** `Topic` or `Subscription`, for the errors. */
  resource: string;
  /** Paths that an update can change. */
  mutable: readonly string[];
  /** Paths that are set at creation only. */
  immutable: readonly string[];
  /** Paths of features that the local cloud does not have. */
  missing: readonly string[];
}

/**
 * Copies the fields of the mask from `update` to a copy of `current`. Fields that are absent in `update` are
 * cleared.
 * @throws StatusError INVALID_ARGUMENT, or UNIMPLEMENTED for a missing feature.
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
