// What an agent is told of earlier sessions about the same alert, or a similar one.

import type { SeenSession } from '../schema/session.ts';
import { frameData } from '../text/frame.ts';
import { withoutMarks } from './findings.ts';

/** The sessions, framed as data. */
export function seenBeforePrompt(seen: readonly SeenSession[], nonce: string): string {
  const lines = seen.map(({ sessionId, key, title, text, endedAt, isSame }) =>
    [
      `Session ${sessionId} (${isSame ? 'the same alert' : 'a similar alert'}), ended ${endedAt.toISOString()}, entry ${key} of the knowledge base: ${title}`,
      text,
    ].join('\n'),
  );
  return [
    'Seen before: earlier investigations of this alert, or of one like it. What they found may be wrong, or true no more; take it as a place to look first, and prove it anew.',
    frameData(withoutMarks(lines.join('\n\n')), { nonce, source: 'earlier sessions' }),
  ].join('\n\n');
}
