// The alert of a session with the changes before it, as agents see it.

import type { KnownChanges } from '../changes/change.ts';

/** The alert and the block of changes, both framed; empty without both. */
export function withChanges(alertText: string | null, changes: KnownChanges | undefined): string {
  return [alertText, changes?.text].filter((text) => text !== undefined && text !== null).join('\n\n');
}
