// Follows a reference within a JSON Schema.

import type { JsonObject } from '../json.ts';

/** The place in `root` that a local reference (`#`, `#/$defs/x`) names; undefined for others. */
export function resolveReference(root: unknown, ref: string): unknown {
  if (ref === '#') return root;
  if (!ref.startsWith('#/')) return undefined;
  let current: unknown = root;
  for (const step of ref.slice(2).split('/')) {
    const name = decodeStep(step).replaceAll('~1', '/').replaceAll('~0', '~');
    const isOwn = typeof current === 'object' && current !== null && Object.hasOwn(current, name);
    if (!isOwn) return undefined;
    current = (current as JsonObject)[name];
  }
  return current;
}

function decodeStep(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}
